"""Paper 001's figure 1 and paper 000's figure 3: ranges of latest times that need no look at a pair."""

from __future__ import annotations

import numpy as np

import whenabouts as wa
from benchmarks.figures.finding import Claim, Finding, Scale
from whenabouts import chart
from whenabouts.chart.curves import interval_curves
from whenabouts.chart.shapes import as_events
from whenabouts.kernels.timing.bounds import Bounds, support_bounds
from whenabouts.kernels.timing.partition import partition_bounds
from whenabouts.kernels.timing.probing import Table
from whenabouts.kernels.timing.satisfaction import satisfaction_shifts
from whenabouts.testing import template_histograms

D = 1500.0
CONFIDENCE = 0.8
DETECTED = 5000.0
LENGTHS = (100.0, 1000.0)
BUCKETS = 20
SEEDS = (1, 2)

INTERVAL = (1000.0, 1110.0)
PARTNERS = (20.0, 200.0)
INTERVAL_D = 500.0


def run(scale: Scale) -> list[Finding]:
    return [_intervals(), _templates(500 if scale == "full" else 60)]


def _intervals() -> Finding:
    lo, hi = INTERVAL
    drawn = chart.interval_ranges(lo, hi, PARTNERS, wa.within(INTERVAL_D), CONFIDENCE)
    curves = interval_curves(lo, hi, PARTNERS, -INTERVAL_D, INTERVAL_D, CONFIDENCE)
    ends = curves.ends
    sure = (curves.m >= ends.yes_from) & (curves.m <= ends.yes_to)
    out = (curves.m < ends.no_before) | (curves.m > ends.no_after)
    least, most = float(curves.least[sure].min()), float(curves.most[out].max())
    marks = {"LH": ends.no_before, "LL": ends.yes_from, "RL": ends.yes_to, "RH": ends.no_after}
    return Finding(
        "interval-ranges",
        drawn,
        f"An event in [{lo:g}, {hi:g}] ms, partners {PARTNERS[0]:g} to {PARTNERS[1]:g} wide, d = {INTERVAL_D:g} ms, "
        f"threshold {CONFIDENCE:g}.",
        ("", *marks),
        [("ms", *(f"{mark:,.1f}" for mark in marks.values()))],
        [
            Claim(
                "a partner whose latest time is in [LL, RL] is sure to satisfy",
                f"the least probability there is {least:.4f}",
                least >= CONFIDENCE - 1e-9,
            ),
            Claim(
                "one before LH or after RH is sure to violate",
                f"the greatest probability there is {most:.4f}",
                most < CONFIDENCE + 1e-9,
            ),
        ],
        {"ends": marks},
    )


def _templates(count: int) -> Finding:
    """Example 5: an event of a random template, and then every template of the side, against all of the other."""
    ours, theirs = (
        list(template_histograms(count, buckets=BUCKETS, length=LENGTHS, seed=seed).values()) for seed in SEEDS
    )
    placed = [wa.Histogram([edge + DETECTED - t.edges[-1] for edge in t.edges], t.mass) for t in ours]
    chosen = int(np.random.default_rng(SEEDS[0]).integers(count))
    event = placed[chosen]
    tight, loose = _bounds(placed, theirs)
    by_definition = [
        extreme(wa.satisfaction_time(event, t, level) for t in theirs) + shift
        for level, shift in ((1 - CONFIDENCE, -D), (CONFIDENCE, D))
        for extreme in (min, max)
    ]
    apart = max(abs(a - b[chosen]) for a, b in zip(by_definition, tight, strict=True))
    points = [
        ("LPR begins", "(1)", loose.no_before, "(2)", tight.no_before),
        ("LPR ends, SR begins", "(4)", loose.yes_from, "(3)", tight.yes_from),
        ("SR ends, RPR begins", "(5)", loose.yes_to, "(6)", tight.yes_to),
        ("RPR ends", "(8)", loose.no_after, "(7)", tight.no_after),
    ]
    probe, free = _probed(tight), _probed(loose)
    sure, free_sure = tight.yes_to - tight.yes_from, loose.yes_to - loose.yes_from
    share = probe / free
    return Finding(
        "template-ranges",
        chart.ranges(event, theirs, wa.within(D), CONFIDENCE),
        f"{count} random templates a side of {BUCKETS} buckets, {LENGTHS[0]:g} to {LENGTHS[1]:,g} ms long, "
        f"d = {D:,g} ms, threshold {CONFIDENCE:g}, t_det = {DETECTED:,g} ms.",
        ("", "equations 4 to 6, ms", "theorem 3, ms"),
        [
            *(
                (name, f"{before} {a[chosen]:,.1f}", f"{after} {b[chosen]:,.1f}")
                for name, before, a, after, b in points
            ),
            ("to probe", f"{free[chosen]:,.1f}", f"{probe[chosen]:,.1f}"),
            ("surely yes", f"{free_sure[chosen]:,.1f}", f"{sure[chosen]:,.1f}"),
            (f"to probe, mean of all {count} templates", f"{free.mean():,.1f}", f"{probe.mean():,.1f}"),
        ],
        [
            Claim(
                "by theorem 3 the probing ranges are tighter than by equations 4 and 5 (and more is sure)",
                f"{share[chosen]:.0%} of the length is left to probe for this event, {share.min():.0%} to "
                f"{share.max():.0%} for all {count} templates",
                bool((share < 1).all() and (sure > free_sure).all()),
            ),
            Claim(
                "the ends are the least and greatest satisfaction times (definition 8)",
                f"differ from {2 * count} satisfaction times, one by one, by {apart:.0e} ms",
                apart < 1e-4,
            ),
        ],
        {
            "theorem_3": {name: after[chosen] for name, _, _, _, after in points},
            "equations_4_to_6": {name: before[chosen] for name, _, before, _, _ in points},
            "share_to_probe": {"this": share[chosen], "least": share.min(), "mean": share.mean(), "most": share.max()},
        },
    )


def _bounds(events: list[wa.Histogram], partners: list[wa.Histogram]) -> tuple[Bounds, Bounds]:
    """The ranges of every event with the threshold, and from the ends of the templates alone."""
    left, right = as_events(events), as_events(partners)
    table = Table.of(*satisfaction_shifts(left.shapes, right.shapes, -D, D, CONFIDENCE))
    widest = np.array([np.max(right.latest - right.earliest)])
    one_group = np.zeros(len(left.anchor), dtype=np.int64)
    return partition_bounds(left, right, table, -D, D, False), support_bounds(left, one_group, widest, -D, D)


def _probed(bounds: Bounds) -> np.ndarray:
    """The length of both probing ranges together."""
    return (bounds.yes_from - bounds.no_before) + (bounds.no_after - bounds.yes_to)
