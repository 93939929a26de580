"""Paper 001, figures 6 and 7: execution time and look-up hits against the size of the lazy blocks."""

from __future__ import annotations

from itertools import pairwise
from statistics import mean

import altair as alt

from benchmarks.figures.drawing import HALF, HEIGHT, Rows, axis, colour, heading, lines
from benchmarks.figures.finding import Claim, Finding, Scale
from benchmarks.figures.workload import BLOCK, Measured, Workload, measure
from whenabouts.chart.theme import WIDTH, themed, titled

SIZES = tuple(range(200, 2001, 200))
CONFIDENCES = (0.8, 0.5)
RATE = 500
D = 500.0
STABLE_FROM = 1200
"""The block size from which the paper's hit ratios no longer change."""
LAZY = ("lazy", "lookup")
MIDDLE = 1000
NOTICEABLE = 0.97
"""A ratio of times below this counts as faster."""

Runs = dict[float, dict[str, Measured]]


def run(scale: Scale) -> list[Finding]:
    """Measure both lazy algorithms with every block size, and eager next to them."""
    tuples, repetitions = (8_000, 5) if scale == "full" else (1_500, 1)
    contestants = {"eager": ("eager", BLOCK)}
    contestants |= {_key(name, size): (name, size) for size in SIZES for name in LAZY}
    runs: Runs = {
        confidence: measure(
            Workload(rate=RATE, tuples=tuples, d=D, confidence=confidence), contestants, repetitions=repetitions
        )
        for confidence in CONFIDENCES
    }
    setting = f"{tuples:,} tuples a stream, {RATE} a second, d = {D:g} ms"
    return [_times(runs, f"{setting}; best of {repetitions} runs."), _hits(runs, f"{setting}.")]


def _key(name: str, size: int) -> str:
    return f"{name}, blocks of {size}"


def _size_axis() -> alt.X:
    return alt.X(**axis("size", "tuples a block", (150, 2050), (200, *range(400, 2001, 400))))


def _times(runs: Runs, setting: str) -> Finding:
    seconds = {
        confidence: {name: {size: took[_key(name, size)].seconds for size in SIZES} for name in LAZY}
        for confidence, took in runs.items()
    }
    eager = {confidence: took["eager"].seconds for confidence, took in runs.items()}
    ratio = {
        confidence: {name: {size: s / eager[confidence] for size, s in of.items()} for name, of in took.items()}
        for confidence, took in seconds.items()
    }
    top = 1.12 * max(max(1.0, *of.values()) for took in ratio.values() for of in took.values())
    y = alt.Y(**axis("ratio", "times eager", (0, top)))
    names = ("eager", *LAZY)
    panels = [
        lines(
            [{"size": size, "name": "eager", "ratio": 1.0} for size in SIZES]
            + [{"size": size, "name": name, "ratio": of[size]} for name, of in ratio[c].items() for size in SIZES],
            _size_axis(),
            y,
            colour(names),
        ).properties(width=HALF, height=HEIGHT, title=heading(f"Threshold {c:g}"))
        for c in CONFIDENCES
    ]
    first, last = SIZES[0], SIZES[-1]
    kept = {c: {name: of[last] / of[first] for name, of in took.items()} for c, took in seconds.items()}
    early, late = (
        [(of[a] - of[b]) / of[first] for took in seconds.values() for of in took.values()]
        for a, b in ((first, MIDDLE), (MIDDLE, last))
    )
    probes = {
        c: {size: took[_key("lazy", size)].counts["probed"] / took["eager"].counts["probed"] for size in SIZES}
        for c, took in runs.items()
    }
    chart = alt.hconcat(*panels, spacing=34).properties(
        title=titled(
            f"With blocks ten times larger lazy takes {kept[0.8]['lazy']:.2f} times as long at 0.8, "
            f"{kept[0.5]['lazy']:.2f} at 0.5",
            [f"Paper 001, figure 6. Execution time over that of eager, {RATE} tuples/s, within {D:g} ms."],
        )
    )
    return Finding(
        "block-size",
        themed(chart),
        setting,
        (
            "block",
            *(f"{name}, s ({confidence:g})" for confidence in CONFIDENCES for name in LAZY),
            *(f"{name} / eager ({confidence:g})" for confidence in CONFIDENCES for name in LAZY),
            *(f"lazy's probes / eager's ({confidence:g})" for confidence in CONFIDENCES),
        ),
        [
            (
                f"{size:,}",
                *(f"{seconds[c][name][size]:.3f}" for c in CONFIDENCES for name in LAZY),
                *(f"{ratio[c][name][size]:.2f}" for c in CONFIDENCES for name in LAZY),
                *(f"{probes[c][size]:.2f}" for c in CONFIDENCES),
            )
            for size in SIZES
        ],
        [
            *(
                Claim(
                    f"larger blocks take less time, at threshold {c:g}",
                    ", ".join(f"{name} {kept[c][name]:.2f}" for name in LAZY)
                    + f" times as long with {last:,} as {first}",
                    max(kept[c].values()) < NOTICEABLE,
                )
                for c in CONFIDENCES
            ),
            Claim(
                "the gain diminishes gradually",
                f"{mean(early):.1%} from {first} to {MIDDLE:,}, {mean(late):.1%} on to {last:,}, on average",
                mean(early) > mean(late),
            ),
        ],
        {"seconds": seconds, "eager_seconds": eager, "lazy_probes_over_eager": probes},
    )


def _hits(runs: Runs, setting: str) -> Finding:
    hits = {c: {size: took[_key("lookup", size)].hit_ratio for size in SIZES} for c, took in runs.items()}
    rows: Rows = [
        {"size": size, "ratio": hits[c][size], "name": f"threshold {c:g}"} for c in CONFIDENCES for size in SIZES
    ]
    by = colour(("lookup", "lazy"), labels=[f"threshold {c:g}" for c in CONFIDENCES])
    y = alt.Y(**axis("ratio", "share settled by the table", (0, 1.3 * max(row["ratio"] for row in rows)), shape=".0%"))
    chart = lines(rows, _size_axis(), y, by).properties(
        width=WIDTH,
        height=HEIGHT,
        title=titled(
            "The table settles " + ", ".join(f"{h[BLOCK]:.0%} of all probes at {c:g}" for c, h in hits.items()),
            [f"Paper 001, figure 7. Pairs in the probe regions that need no probability, {RATE} tuples/s."],
        ),
    )
    steps = {c: {b: hits[c][b] - hits[c][a] for a, b in pairwise(SIZES)} for c in CONFIDENCES}
    after = max(abs(step) for of in steps.values() for size, step in of.items() if size > STABLE_FROM)
    return Finding(
        "lookup-hits",
        themed(chart),
        setting,
        ("block", *(f"hits, threshold {c:g}" for c in CONFIDENCES)),
        [(f"{size:,}", *(f"{hits[c][size]:.1%}" for c in CONFIDENCES)) for size in SIZES],
        [
            Claim(
                "hit ratios rise with the block size",
                ", ".join(f"{h[SIZES[0]]:.1%} to {h[SIZES[-1]]:.1%} at threshold {c:g}" for c, h in hits.items()),
                all(h[SIZES[-1]] > h[SIZES[0]] for h in hits.values()),
            ),
            Claim(
                f"they are stable from {STABLE_FROM:,} on",
                f"no step beyond it changes them by more than {100 * after:.1f} points",
                after < 0.01,
            ),
            Claim(
                "the largest change is from 200 to 400",
                ", ".join(f"threshold {c:g}: {100 * of[400]:+.1f} points" for c, of in steps.items()),
                all(of[400] == max(of.values()) for of in steps.values()),
            ),
            Claim(
                "they do not change much",
                f"by at most {100 * max(max(h.values()) - min(h.values()) for h in hits.values()):.1f} points",
                max(max(h.values()) - min(h.values()) for h in hits.values()) < 0.1,
            ),
        ],
        {"hit_ratio": hits},
    )
