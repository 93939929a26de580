"""The examples of paper 000, number by number."""

import numpy as np
import pyarrow as pa
import pytest

import whenabouts as wa
from tests import naive
from tests.agreement import pairs_of
from whenabouts.kernels.events import Events, shape_supports, take
from whenabouts.kernels.timing.bounds import support_bounds
from whenabouts.kernels.timing.partition import partition_bounds
from whenabouts.kernels.timing.probing import Table
from whenabouts.kernels.timing.satisfaction import satisfaction_shifts
from whenabouts.schema import histogram_shapes
from whenabouts.testing import template_histograms

# Example 3: sensor s1's latency is ((0, 10, 0.6), (10, 20, 0.3), (20, 40, 0.1)), of which the template is the mirror.
LATENCY_1 = wa.Histogram([0, 10, 20, 40], [0.6, 0.3, 0.1])
LATENCY_2 = wa.Histogram([0, 10, 20, 30, 40], [0.15, 0.4, 0.3, 0.15])
H1 = wa.Histogram([20, 40, 50, 60], [0.1, 0.3, 0.6])
H2 = wa.Histogram([70, 80, 90, 100, 110], [0.15, 0.3, 0.4, 0.15])
H3 = wa.Histogram([170, 190, 200, 210], [0.1, 0.3, 0.6])


@pytest.mark.parametrize(
    ("latency", "t", "occurrence"),
    [(LATENCY_1, 60, H1), (LATENCY_2, 110, H2), (LATENCY_1, 210, H3)],
    ids=["a1", "a2", "a3"],
)
def test_example_3__detection_minus_latency_is_the_histogram_of_figure_2(latency, t, occurrence):
    assert latency.mirrored().shifted(t) == occurrence


@pytest.mark.parametrize("x", [75, 95, 45, 205])
def test_example_3__events_read_as_detected_have_these_histograms(x):
    """P(Y <= x) of each of a1, a2, a3, asked through the join: it is the histogram's distribution function."""
    detections = pa.table({"id": ["a1", "a2", "a3"], "sensor": ["s1", "s2", "s1"], "t": [60.0, 110.0, 210.0]})
    latency = {"s1": LATENCY_1, "s2": LATENCY_2}
    events = wa.events(detections, id="id", time=wa.detected("t", latency, by="sensor"))
    now = wa.events(pa.table({"id": ["now"], "t": [float(x)]}), id="id", time=wa.at("t"))
    got = pairs_of(wa.timing_join(now, events, wa.deadline(0), min_confidence=1e-9))
    for name, h in (("a1", H1), ("a2", H2), ("a3", H3)):
        share = naive.inside(naive.histogram(h.edges, h.mass), None, naive.Fraction(x))
        assert got.get(("now", name), 0.0) == pytest.approx(float(share), abs=1e-12)


def test_example_4__bounding_probabilities():
    assert wa.probability(H3, H2, wa.deadline(-90)) == pytest.approx(0.925, abs=5e-4)
    assert wa.probability(H3, H2, wa.deadline(-100)) == pytest.approx(0.769, abs=5e-4)


def test_example_4__satisfaction_time():
    assert wa.satisfaction_time(H3, H2, 0.8) == pytest.approx(208.59, abs=5e-3)
    exact = naive.stime(naive.histogram(H3.edges, H3.mass), naive.histogram(H2.edges, H2.mass), 0.8)
    assert wa.satisfaction_time(H3, H2, 0.8) == pytest.approx(float(exact), abs=1e-9)


def test_example_4__quadratic_of_the_paper():
    """In the bounding configuration the probability is -0.0007625 y^2 + 0.236 y - 17.315 with y = 70 + x."""
    for x in (90.0, 93.0, 97.5, 100.0):
        y = 70 + x
        printed = -0.0007625 * y**2 + 0.236 * y - 17.315
        assert wa.probability(H3, H2, wa.deadline(-x)) == pytest.approx(printed, abs=1e-9)


def test_example_5__partitions_of_500_templates_lie_inside_those_of_equations_4_to_6():
    """d = 1500, threshold 0.8, detected at 5000: theorem 3's probing ranges are properly inside the others'."""
    d, threshold, detected = 1500.0, 0.8, 5000.0
    templates = [t.mirrored() for t in template_histograms(500, length=(100, 1000), seed=5).values()]
    shapes = histogram_shapes(templates)
    first, last = shape_supports(shapes)
    anchor = np.full(500, detected)
    side = events_at(shapes, anchor)
    rng = np.random.default_rng(5)
    for u in rng.integers(0, 500, 3):
        one = histogram_shapes([templates[u]])
        a = events_at(one, np.array([detected]))
        table = Table.of(*satisfaction_shifts(one, shapes, -d, d, threshold))
        tight = partition_bounds(a, side, table, -d, d, False)
        wide = support_bounds(a, np.zeros(1, dtype=np.int64), np.array([np.max(last - first)]), -d, d)
        assert wide.no_before[0] < tight.no_before[0] < tight.yes_from[0] < wide.yes_from[0]
        assert wide.yes_to[0] < tight.yes_to[0] < tight.no_after[0] < wide.no_after[0]
        probing = [
            (bounds.yes_from[0] - bounds.no_before[0]) + (bounds.no_after[0] - bounds.yes_to[0])
            for bounds in (tight, wide)
        ]
        assert probing[0] < probing[1] / 2
        assert_partitions(tight, naive.detected(detected, *latency_of(templates[u])), templates[::25], d, threshold)


def events_at(shapes, anchor):
    first, last = shape_supports(shapes)
    own = np.arange(len(anchor))
    return take(Events(anchor + first, anchor + last, anchor, own, shapes), own)


def latency_of(template):
    latency = template.mirrored()
    return latency.edges, latency.mass


def assert_partitions(bounds, x, templates, d, threshold) -> None:
    """Just outside of the ranges no template reaches the threshold, just inside of the sure one all do."""
    hair = 1e-3
    for template in templates:
        y = naive.histogram(template.edges, template.mass)
        for latest, reaches in (
            (bounds.no_before[0] - hair, False),
            (bounds.yes_from[0] + hair, True),
            (bounds.yes_to[0] - hair, True),
            (bounds.no_after[0] + hair, False),
        ):
            moved = naive.shifted(y, naive.Fraction(latest) - naive.support(y)[1])
            assert (naive.probability(x, moved, -d, d) >= threshold) == reaches
