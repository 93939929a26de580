"""Paper 003's lemmas, and our bounds beyond them, as properties: no pair that is sure enough is ever pruned."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import naive_similarity
from tests.similarity_cases import REACH, THRESHOLD, rows
from whenabouts.kernels.similarity.bounds import stretch_of, too_far, too_wide, variance_along
from whenabouts.kernels.similarity.clouds import cloud_at, clouds_of
from whenabouts.kernels.similarity.confidence import plain_confidence, settle_by_boxes, work_for
from whenabouts.kernels.similarity.distance import EUCLIDEAN, Space, distance_between, limit_of
from whenabouts.kernels.similarity.hyperspheres import miss_each_other, spheres_of
from whenabouts.kernels.similarity.windows import cells_of, expire, gather, insert, widest, window_of

SPACE = Space(2, EUCLIDEAN, weighted=True)
SLACK = 1e-6
"""More than rounding can move centres that are a million away."""


def arranged(stream):
    size = [len(row.samples) for row in stream]
    start = np.concatenate([[0], np.cumsum(size)]).astype(np.int64)
    samples = np.array([point for row in stream for point in row.samples]).reshape(-1, 2)
    weights = np.array([weight for row in stream for weight in row.weights])
    return clouds_of(SPACE, 100.0, start, samples, weights)


streams = rows(2, most=6).filter(bool)


@settings(max_examples=40)
@given(stream=streams, eps=REACH, alpha=THRESHOLD)
def test_bounds__never_refuse_a_pair_that_is_sure_enough(stream, eps, alpha):
    clouds, work = arranged(stream), None
    spheres, work = spheres_of(SPACE, clouds), work_for(clouds, clouds)
    stretch = stretch_of(alpha)
    for i, j in product(range(len(stream)), repeat=2):
        exact = naive_similarity.confidence(stream[i].exact().cloud, stream[j].exact().cloud, eps)
        apart = distance_between(SPACE, clouds.centre[i], clouds.centre[j])
        radii = clouds.radius[i] + clouds.radius[j]
        leaves = clouds.points.first
        settled = settle_by_boxes(
            SPACE, clouds.boxes, leaves[i], leaves[i + 1], clouds.boxes, leaves[j], leaves[j + 1],
            limit_of(EUCLIDEAN, eps), work,
        )  # fmt: skip
        assert settled.sure - 1e-12 <= exact <= settled.sure + settled.doubt + 1e-12
        if exact >= alpha:
            variance = variance_along(SPACE, clouds.moments, i, clouds.moments, j)
            assert not too_far(apart - eps, radii, variance, stretch, SLACK)
            assert not too_wide(SPACE, clouds.moments, i, clouds.moments, j, eps, stretch, SLACK)
            assert not miss_each_other(spheres, i, spheres, j, apart, eps, SLACK, alpha), "lemma 5.2"
        if apart - radii > eps + SLACK:
            assert exact == 0, "lemma 5.1"


@settings(max_examples=40)
@given(stream=streams, eps=REACH)
def test_plain_confidence__is_equation_2(stream, eps):
    clouds = arranged(stream)
    for i, j in product(range(len(stream)), repeat=2):
        exact = naive_similarity.confidence(stream[i].exact().cloud, stream[j].exact().cloud, eps)
        got = plain_confidence(SPACE, cloud_at(clouds.points, i), cloud_at(clouds.points, j), limit_of(EUCLIDEAN, eps))
        assert got == pytest.approx(float(exact), abs=1e-12)


@settings(max_examples=40)
@given(stream=streams, eps=REACH, alpha=THRESHOLD)
def test_hyperspheres__grow_with_their_mass_and_one_look_at_each_is_enough(stream, eps, alpha):
    clouds = arranged(stream)
    spheres = spheres_of(SPACE, clouds)
    for i, j in product(range(len(stream)), repeat=2):
        mine, theirs = (range(spheres.first[k], spheres.first[k + 1]) for k in (i, j))
        for one in mine[1:]:
            assert spheres.radius[one - 1] <= spheres.radius[one], "lemma 5.3"
            assert spheres.inside[one - 1] <= spheres.inside[one]
        apart = distance_between(SPACE, clouds.centre[i], clouds.centre[j])
        all_pairs = any(
            spheres.inside[a] * spheres.inside[b] > 1.0 - alpha + 1e-12
            and apart - (spheres.radius[a] + spheres.radius[b]) * (1.0 + 1e-9) > eps + SLACK
            for a, b in product(mine, theirs)
        )
        got = miss_each_other(spheres, i, spheres, j, apart, eps, SLACK, alpha)
        assert got == all_pairs, "lemma 5.4: for each sphere of x the least of y that is large enough decides"


@settings(max_examples=40)
@given(stream=streams, eps=REACH, window=st.integers(1, 6))
def test_grid__holds_the_window_its_widest_radius_and_all_that_can_be_near(stream, eps, window):
    clouds = arranged(stream)
    place = np.array([float(row.place) for row in stream])
    cells = cells_of([clouds.centre], eps + 1.0, len(stream))
    grid = window_of(cells, len(stream))
    near, odometer = np.empty(len(stream), dtype=np.int64), np.zeros((3, 2), dtype=np.int64)
    for now in range(len(stream)):
        expire(SPACE, cells, grid, clouds, place, place[now] - window)
        inside = [i for i in range(now) if place[i] > place[now] - window]
        assert widest(grid, clouds) == max((clouds.radius[i] for i in inside), default=0.0)
        reach = eps + clouds.radius[now] + widest(grid, clouds)
        count = gather(SPACE, cells, grid, clouds.centre[now], reach, odometer, near)
        found = set(near[:count].tolist())
        assert found <= set(inside)
        for i in inside:
            if distance_between(SPACE, clouds.centre[i], clouds.centre[now]) <= reach:
                assert i in found, "lemma 5.5"
        insert(SPACE, cells, grid, clouds, now)
