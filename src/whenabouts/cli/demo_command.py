"""`whenabouts demo`: paper 000's example of seismic and acoustic sensors, from data to charts."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from whenabouts.cli.engines import Engine, Runner

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.table import Table

    from whenabouts.api import Events
    from whenabouts.model.histogram import Histogram

_SEED = 7
_SENSORS = 50
_WINDOW, _CONFIDENCE = "2s", 0.6
_OTHER_CONFIDENCES = (0.9, 0.3)
"""Thresholds to compare with: the dial that a join on detection times does not have."""


@dataclass(frozen=True)
class _Side:
    """The events of one kind of sensor, in memory and on disk."""

    name: str
    table: pa.Table
    latency: dict[str, Histogram]
    folder: Path

    @property
    def data_path(self) -> Path:
        return self.folder / f"{self.name}.parquet"

    @property
    def latency_path(self) -> Path:
        return self.folder / f"{self.name}_latency.json"

    def events(self, data: Any = None) -> Events:
        """What the columns mean: an event happened a latency of its sensor before it was detected."""
        import whenabouts as wa

        time = wa.detected("detected", self.latency, by="sensor")
        return wa.events(self.table if data is None else data, id="id", time=time)

    def occurrence(self, row: int) -> Histogram:
        """When an event may have happened, in seconds after it was detected: minus its sensor's latency."""
        return self.latency[self.table["sensor"][row].as_py()].mirrored()


def demo(
    events: Annotated[int, typer.Option(help="How many events each kind of sensor detects.", min=1)] = 1_000_000,
    engine: Annotated[Engine, typer.Option(help="Local Spark, or this process.")] = Engine.spark,
    out: Annotated[Path, typer.Option(help="The folder for data, pairs and charts.")] = Path("out/demo"),
) -> None:
    """Join a million seismic with a million acoustic detections, whose times are uncertain.

    An intruder makes the ground shake and the air sound. Sensors report both late, by a latency of which only the
    distribution is known. Which detections happened within 2 seconds of each other, with a confidence of 0.6?
    """
    from rich.text import Text

    import whenabouts as wa
    from whenabouts.cli import show

    console = show.out()
    runner = Runner(engine, show.err())
    with runner.step(f"Making {events:,} seismic and {events:,} acoustic detections"):
        sides = _make_data(events, out)
    console.print(
        f"[bold]{events:,} seismic and {events:,} acoustic detections[/bold], of {_SENSORS} sensors each. Which pairs "
        f"happened within {_WINDOW} of each other, with a confidence of at least {_CONFIDENCE}?\n"
    )
    stats = wa.Stats()
    left, right = (side.events(runner.read(str(side.data_path))) for side in sides)
    pairs_path = out / "pairs.parquet"
    runner.clear(pairs_path)
    with runner.working("Joining"):
        result = wa.timing_join(left, right, wa.within(_WINDOW), min_confidence=_CONFIDENCE, stats=stats)
        runner.write(result, pairs_path)
    pairs = runner.read_back(result, pairs_path)
    console.print(show.pairs_table(show.first_look(pairs), "Surest and least sure pairs"))
    console.print()
    console.print(show.summary(stats, runner.seconds))
    console.print()
    with runner.step("Comparing with a join on detection times"):
        scores, verdict, missed = _compare(pairs, sides)
    console.print(scores)
    console.print(f"{verdict}\n")
    with runner.step("Drawing"):
        charts = _draw(pairs, sides, missed, out)
    for path, what in [(pairs_path, "all pairs"), *charts]:
        console.print(Text.assemble("  ", (str(path), "bold"), "  ", (what, "dim")), soft_wrap=True)
    console.print("\nThe same by hand:")
    console.print(Text(_command(*sides, pairs_path), "dim"), soft_wrap=True)


def _make_data(events: int, out: Path) -> tuple[_Side, _Side]:
    """The detections as Parquet, and the latencies of the sensors as JSON."""
    from whenabouts import io
    from whenabouts.testing import sensor_network

    seismic, acoustic, seismic_latency, acoustic_latency = sensor_network(events, sensors=_SENSORS, seed=_SEED)
    sides = (
        _Side("seismic", seismic, seismic_latency, out),
        _Side("acoustic", acoustic, acoustic_latency, out),
    )
    for side in sides:
        io.write(side.table, side.data_path)
        latency = {name: {"edges": one.edges, "mass": one.mass} for name, one in side.latency.items()}
        side.latency_path.write_text(json.dumps(latency), encoding="utf-8")
    return sides


def _compare(pairs: pa.Table, sides: tuple[_Side, _Side]) -> tuple[Table, str, pa.Table]:
    """Score the pairs and those of a plain join on detection times: a table, a sentence, and the pairs it misses."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc
    from rich import box
    from rich.table import Table

    from whenabouts.cli.comparison import pair_keys, score

    rows = len(sides[1].table)
    ours = pair_keys(pairs, rows)
    naive, truth = (pair_keys(_exact_join(sides, column), rows) for column in ("detected", "occurred"))
    answers = {f"detected within {_WINDOW}": naive}
    loosest = _uncertain_join(sides, min(_OTHER_CONFIDENCES))
    for confidence in sorted({_CONFIDENCE, *_OTHER_CONFIDENCES}, reverse=True):
        sure = loosest.filter(pc.field("confidence") >= confidence)
        answers[f"confidence >= {confidence}"] = ours if confidence == _CONFIDENCE else pair_keys(sure, rows)
    table = Table(
        title="Against what really happened", title_justify="left", title_style="bold", box=box.SIMPLE_HEAD,
        header_style="dim", pad_edge=False,
    )  # fmt: skip
    for name in ("", "pairs", "right", "wrong", "missed", "precision", "recall"):
        table.add_column(name, justify="right" if name else "left")
    for name, answer in answers.items():
        one = score(answer, truth)
        counts = [f"{count:,}" for count in (one.pairs, one.right, one.wrong, one.missed)]
        rates = [f"{rate:.2%}" for rate in (one.precision, one.recall)]
        table.add_row(name, *counts, *rates, style="bold" if answer is ours else None)
    only_ours = ~np.isin(ours, naive, assume_unique=True)
    dropped = ~np.isin(naive, ours, assume_unique=True)
    verdict = (
        f"Detection times alone miss {only_ours.sum():,} of our pairs, {np.isin(ours[only_ours], truth).sum():,} "
        f"of them true, and add {dropped.sum():,}, {(~np.isin(naive[dropped], truth)).sum():,} of them false."
    )
    return table, verdict, pairs.filter(pa.array(only_ours))


def _exact_join(sides: tuple[_Side, _Side], column: str) -> pa.Table:
    """The pairs whose times in a column, taken for exact, are within the window: in this process, on any engine."""
    import whenabouts as wa

    left, right = (wa.events(side.table.select(["id", column]), id="id", time=wa.at(column)) for side in sides)
    return wa.timing_join(left, right, wa.within(_WINDOW), min_confidence=1.0, confidence=False)


def _uncertain_join(sides: tuple[_Side, _Side], confidence: float) -> pa.Table:
    """The join of the demo with another threshold, in this process."""
    import whenabouts as wa

    left, right = (side.events() for side in sides)
    return wa.timing_join(left, right, wa.within(_WINDOW), min_confidence=confidence)


def _draw(pairs: pa.Table, sides: tuple[_Side, _Side], missed: pa.Table, out: Path) -> list[tuple[Path, str]]:
    """Some pairs, the least sure one that detection times miss, and the ranges of its seismic event."""
    import pyarrow.compute as pc

    import whenabouts as wa
    from whenabouts import chart

    if not len(pairs):
        return []
    pool = missed if len(missed) else pairs
    borderline = pool.take(pc.select_k_unstable(pool, 1, [("confidence", "ascending")])).to_pylist()[0]
    rows = borderline["left_id"], borderline["right_id"]
    x, y = (side.occurrence(row) for side, row in zip(sides, rows, strict=True))
    moments = [side.table["detected"][row].as_py() for side, row in zip(sides, rows, strict=True)]
    names = [f"{side.name} {row}" for side, row in zip(sides, rows, strict=True)]
    predicate = wa.within(_WINDOW)
    one = chart.pair(x, y.shifted((moments[1] - moments[0]).total_seconds()), predicate, names=(names[0], names[1]))
    partners = {name: latency.mirrored() for name, latency in sides[1].latency.items()}
    drawn: list[tuple[Any, str, str]] = [
        (
            chart.pairs(pairs, *(side.events() for side in sides), pick="spread", names=(sides[0].name, sides[1].name)),
            "pairs.html",
            "pairs from the surest to the least sure, as fuzzy bars",
        ),
        (one, "pair.png", f"one borderline pair: {names[0]} and {names[1]}"),
        (
            chart.ranges(x, partners, predicate, _CONFIDENCE),
            "ranges.html",
            f"which partners of {names[0]} are surely in, and which must be probed",
        ),
    ]
    return [(chart.save(picture, out / name), what) for picture, name, what in drawn]


def _command(left: _Side, right: _Side, pairs: Path) -> str:
    times = [
        f'--{role}-time "detected(detected, {side.latency_path}, by=sensor)"'
        for role, side in (("left", left), ("right", right))
    ]
    question = f"--within {_WINDOW} --min-confidence {_CONFIDENCE} --out {pairs}"
    return " \\\n  ".join([f"whenabouts join {left.data_path} {right.data_path}", *times, question])
