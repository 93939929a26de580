"""What was seen of some frames is kept for them, as long as they are, and for what it meant."""

from __future__ import annotations

import gc

import pyarrow as pa
import pytest

import whenabouts as wa
from whenabouts.spark import memory
from whenabouts.spark.memory import once


class Frame:
    """As far as memory goes, a DataFrame."""


@pytest.fixture
def looks(monkeypatch):
    """How many frames each look of a timing join was at."""
    from whenabouts.spark import slices

    real, counts = slices.look_at, []

    def counted(asked, share):
        counts.append(len(asked))
        return real(asked, share)

    monkeypatch.setattr(slices, "look_at", counted)
    return counts


def test_once__looks_again_at_other_frames_and_for_another_meaning():
    one, other, looks = Frame(), Frame(), []

    def seen(*frames, meaning="a"):
        return once(frames, meaning, lambda: looks.append((frames, meaning)) or len(looks))

    assert [seen(one, other), seen(one, other), seen(other, one), seen(one, one), seen(one), seen(one, other)] == [
        1, 1, 2, 3, 4, 1
    ]  # fmt: skip
    assert [seen(one, other, meaning="b"), seen(one, other), seen(one, other, meaning="b")] == [5, 1, 5]
    assert seen(Frame(), other) == 6


def test_once__forgets_with_the_frames():
    one, other = Frame(), Frame()
    before = len(memory._kept)
    once((one, other), "a", lambda: 1)
    del other
    gc.collect()
    once((one, Frame()), "a", lambda: 2)
    assert [entry[2] for entry in memory._kept[one]] == [2]
    del one
    gc.collect()
    assert len(memory._kept) == before


def test_once__keeps_nothing_of_a_look_that_failed():
    one = Frame()
    with pytest.raises(ZeroDivisionError):
        once((one,), "a", lambda: 1 / 0)
    assert once((one,), "a", lambda: 1) == 1


@pytest.mark.spark
def test_timing_join__asks_about_the_same_frames_without_another_look(spark, looks):
    rows = pa.table({"id": range(300), "key": range(300), "lo": [float(n) for n in range(300)]})
    frames = spark.createDataFrame(rows), spark.createDataFrame(rows)

    def pairs(predicate, time, **options):
        sides = (wa.events(frame, id="id", time=time) for frame in frames)
        return wa.timing_join(*sides, predicate, min_confidence=0.5, **options).count()

    assert pairs(wa.within(1), wa.at("lo")) == 898
    assert pairs(wa.within(0), wa.at("lo")) == 300
    assert pairs(wa.deadline(-299), wa.at("lo")) == 1
    assert pairs(wa.within(1), wa.at("lo"), by="key") == 300
    assert pairs(wa.within(1), wa.around("lo", 0.5), by="key") == 300
    assert looks == [2, 2, 2]


@pytest.mark.spark
def test_answers__do_not_depend_on_what_was_seen_of_a_frame_before(spark, tmp_path, monkeypatch):
    monkeypatch.setattr("whenabouts.spark.grid.SMALL", 50)
    monkeypatch.setattr("whenabouts.spark.slices._SHARE", 1.0)
    source = tmp_path / "count"

    def rows(batches):
        count = int(source.read_text())
        yield from (pa.record_batch({"id": range(count), "lo": [float(n) for n in range(count)]}) for _ in batches)

    frame = spark.range(1).coalesce(1).mapInArrow(rows, "id long, lo double")
    for count in (500, 2_000, 100):
        source.write_text(str(count))
        sides = [wa.events(frame, id="id", time=wa.at("lo"))] * 2
        assert wa.timing_join(*sides, wa.within(1), min_confidence=1.0).count() == 3 * count - 2
