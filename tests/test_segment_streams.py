"""The generators of segmented intervals: seeded, and what they say they are."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import whenabouts as wa
from whenabouts.testing import bus_positions, lose, poisson_segments, road_speeds


@pytest.mark.parametrize(
    "make", [lambda seed: poisson_segments(3, seed=seed), lambda seed: road_speeds(4, minutes=5, seed=seed),
             lambda seed: bus_positions(2, seed=seed)]
)  # fmt: skip
def test_generators__depend_on_their_seed_alone(make):
    assert make(1).equals(make(1))
    assert not make(1).equals(make(2))


def test_poisson_segments__have_exponential_gaps():
    times = poisson_segments(200, segments=10, mean=5.0, seed=4).column("time").to_numpy().reshape(200, 20)
    gaps = np.diff(times, axis=1)
    assert gaps.mean() == pytest.approx(5.0, rel=0.05)
    assert gaps.std() == pytest.approx(5.0, rel=0.07)


def test_lose__keeps_the_first_and_the_last_event_of_a_key():
    whole = poisson_segments(50, segments=5, seed=1)
    left = lose(whole, 0.9, seed=2)
    assert len(left) < 0.4 * len(whole)
    ends = left.filter(pc.is_in(left["seq"], value_set=pa.array([1, 10])))
    assert len(ends) == 100


def test_roads_and_buses__make_segments():
    roads = wa.congestions(road_speeds(30, seed=2), key="sector", time="time", value="speed", below=20)
    assert 0 < pc.count_distinct(roads.data["sector"]).as_py() < 30
    visits = wa.journeys(
        bus_positions(3, seed=2), journey="journey", time="time", stop="stop", stops=[f"s{n}" for n in range(10)]
    )
    assert len(visits.data) > 0
    assert len(visits.rejected) == 0
