"""The chart of joined pairs draws the right events in the right places."""

import datetime as dt

import pyarrow as pa
import pytest

import whenabouts as wa
from whenabouts import chart
from whenabouts.errors import BadArgument, UnknownColumn
from whenabouts.testing import sensor_network

UTC = dt.UTC
LEFT = pa.table({"id": ["door", "badge", "alarm"], "lo": [1000, 1010, 1030], "hi": [1008, 1018, 1030]})
RIGHT = pa.table({"id": [1, 2, 3], "t": [1005, 1016, 1033]})


def numbers():
    return wa.events(LEFT, id="id", time=wa.between("lo", "hi")), wa.events(RIGHT, id="id", time=wa.around("t", 3))


def bars_of(drawn):
    return [row for rows in drawn.to_dict()["datasets"].values() for row in rows if "side" in row]


def spans_of(drawn, side):
    spans = {}
    for bar in bars_of(drawn):
        if bar["side"] == side:
            lo, hi = spans.get(bar["label"], (float("inf"), -float("inf")))
            spans[bar["label"]] = min(lo, bar["lo"]), max(hi, bar["hi"])
    return spans


def test_pairs__stand_where_their_events_are_in_time():
    left, right = numbers()
    drawn = chart.pairs(wa.timing_join(left, right, wa.within(6), min_confidence=0.3), left, right)
    assert spans_of(drawn, "left") == {"door · 1": (1000, 1008), "badge · 2": (1010, 1018), "alarm · 3": (1030, 1030)}
    assert spans_of(drawn, "right") == {"door · 1": (1002, 1008), "badge · 2": (1013, 1019), "alarm · 3": (1030, 1036)}


def test_pairs__that_lie_far_apart_are_drawn_from_their_own_beginning():
    left = wa.events(pa.table({"id": [1, 2], "t": [0.0, 1e6]}), id="id", time=wa.around("t", 2.0))
    right = wa.events(pa.table({"id": [1, 2], "t": [1.0, 1e6 + 3]}), id="id", time=wa.around("t", 1.0))
    drawn = chart.pairs(wa.timing_join(left, right, wa.within(4), min_confidence=0.5), left, right)
    assert spans_of(drawn, "left") == {"1 · 1": (0, 4), "2 · 2": (0, 4)}
    assert spans_of(drawn, "right") == {"1 · 1": (2, 4), "2 · 2": (4, 6)}
    assert "earliest moment of the pair" in drawn.to_json()


def test_pairs__of_timestamps_choose_a_unit_and_name_their_origin():
    start = dt.datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
    minutes = [start + dt.timedelta(minutes=m) for m in (0, 7, 21)]
    left = wa.events(pa.table({"id": [1, 2, 3], "t": minutes}), id="id", time=wa.around("t", "2m"))
    drawn = chart.pairs(wa.timing_join(left, left, wa.within("5m"), min_confidence=0.9), left, left)
    assert spans_of(drawn, "left") == {"1 · 1": (-2, 2), "2 · 2": (5, 9), "3 · 3": (19, 23)}
    assert "minutes after 2026-03-01 09:30:00 UTC" in drawn.to_json(ensure_ascii=False)


def test_bars__carry_the_mass_of_each_event_and_are_darker_where_it_is_denser():
    seismic, acoustic, seismic_latency, acoustic_latency = sensor_network(300, sensors=4, seed=3)
    left = wa.events(seismic, id="id", time=wa.detected("detected", seismic_latency, by="sensor"))
    right = wa.events(acoustic, id="id", time=wa.detected("detected", acoustic_latency, by="sensor"))
    bars = bars_of(chart.pairs(wa.timing_join(left, right, wa.within("2s"), min_confidence=0.6), left, right, top=5))
    for label in {bar["label"] for bar in bars}:
        own = [bar for bar in bars if bar["label"] == label and bar["side"] == "left"]
        assert sum(bar["mass"] for bar in own) == pytest.approx(1.0)
        own.sort(key=lambda bar: bar["mass"] / (bar["hi"] - bar["lo"]))
        shades = [bar["shade"] for bar in own]
        assert shades == sorted(shades)


def some_result(count=101):
    return pa.table(
        {
            "left_id": list(range(count)),
            "right_id": list(range(count)),
            "confidence": [k / (count - 1) for k in range(count)],
        }
    )


def drawn_confidences(pick, top):
    events = wa.events(pa.table({"id": list(range(101)), "t": [0.0] * 101}), id="id", time=wa.around("t", 1.0))
    drawn = chart.pairs(some_result(), events, events, pick=pick, top=top)
    return list(dict.fromkeys(bar["confidence"] for bar in bars_of(drawn)))


def test_pick__takes_the_surest_the_least_sure_or_both_ends_and_between():
    assert drawn_confidences("surest", 3) == [1.0, 0.99, 0.98]
    assert drawn_confidences("least sure", 3) == [0.0, 0.01, 0.02]
    assert drawn_confidences("spread", 3) == [1.0, 0.5, 0.0]


def test_spread__of_equal_confidences_repeats_no_pair():
    left = wa.events(pa.table({"id": list(range(20)), "t": [0.0] * 20}), id="id", time=wa.at("t"))
    result = pa.table({"left_id": list(range(20)), "right_id": list(range(20)), "confidence": [1.0] * 20})
    bars = bars_of(chart.pairs(result, left, left, pick="spread", top=6))
    assert len({bar["label"] for bar in bars}) == 6


def test_title__counts_the_pairs_and_says_how_sure_they_are():
    left, right = numbers()
    result = wa.timing_join(left, right, wa.within(6), min_confidence=0.3)
    assert chart.pairs(result, left, right).to_dict()["title"]["text"] == "All 3 pairs, confidence 1 down to 0.9062"
    assert chart.pairs(result, left, right, top=1).to_dict()["title"]["text"] == "1 surest of 3 pairs, confidence 1"


def test_result__may_be_a_pandas_frame():
    left, right = numbers()
    result = wa.timing_join(left, right, wa.within(6), min_confidence=0.3).to_pandas()
    assert len(spans_of(chart.pairs(result, left, right), "left")) == 3


def test_mistakes__are_explained():
    left, right = numbers()
    result = wa.timing_join(left, right, wa.within(6), min_confidence=0.3)
    with pytest.raises(BadArgument, match="no pair to draw"):
        chart.pairs(result.slice(0, 0), left, right)
    with pytest.raises(UnknownColumn, match="confidence"):
        chart.pairs(result.drop_columns(["confidence"]), left, right)
    with pytest.raises(BadArgument, match="'ghost'"):
        chart.pairs(result.set_column(0, "left_id", pa.array(["door", "badge", "ghost"])), left, right)
    with pytest.raises(BadArgument, match="pick"):
        chart.pairs(result, left, right, pick="best")
    with pytest.raises(BadArgument, match="top"):
        chart.pairs(result, left, right, top=0)
