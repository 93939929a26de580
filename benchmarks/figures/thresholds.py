"""Paper 001, figures 8 and 9: what the threshold does to execution times and to the probe regions."""

from __future__ import annotations

import math
from collections.abc import Callable

import altair as alt
import numpy as np

import whenabouts as wa
from benchmarks.figures.drawing import HEIGHT, Rows, axis, colour, over
from benchmarks.figures.finding import Claim, Finding, Scale
from benchmarks.figures.workload import BLOCK, WIDTHS, Measured, Workload, measure
from whenabouts.chart.theme import LEFT, RIGHT, WIDTH, themed, titled
from whenabouts.kernels.timing.bounds import uniform_bounds

CONFIDENCES = (1.0, 0.7, 0.4, 0.1)
NAMES = ("eager", "lazy", "lookup")
D = 1000.0
RATE = 500
STEPS = 100
"""Thresholds at which the regions are worked out, closest to each other near 0 and 1."""
ONE_GROUP = np.zeros(1, dtype=np.int64)


def run(scale: Scale) -> list[Finding]:
    """Time the algorithms on tuples in order, and work out the regions."""
    tuples, repetitions = (8_000, 5) if scale == "full" else (1_500, 1)
    runs = {
        confidence: measure(
            Workload(rate=RATE, tuples=tuples, d=D, confidence=confidence, delay=(0.0, 0.0)),
            {name: (name, BLOCK) for name in NAMES},
            repetitions=repetitions,
        )
        for confidence in CONFIDENCES
    }
    setting = f"{tuples:,} tuples a stream in the order of their latest times, {RATE} a second, d = {D:g} ms"
    return [_times(runs, f"{setting}, blocks of {BLOCK:,}; best of {repetitions} runs."), _regions()]


def _times(runs: dict[float, dict[str, Measured]], setting: str) -> Finding:
    seconds = {confidence: {name: took[name].seconds for name in NAMES} for confidence, took in runs.items()}
    ratio = {c: {name: took[name] / took["lazy"] for name in NAMES} for c, took in seconds.items()}
    probed = {c: took["lazy"].counts["probed"] / took["lazy"].counts["candidates"] for c, took in runs.items()}
    probes = {c: took["eager"].counts["probed"] / took["lazy"].counts["probed"] for c, took in runs.items()}
    hits = {c: took["lookup"].hit_ratio for c, took in runs.items()}
    rows: Rows = [
        {"threshold": f"{c:g}", "name": name, "ratio": ratio[c][name], "said": f"{ratio[c][name]:.2f}"}
        for c in CONFIDENCES
        for name in NAMES
    ]
    y = alt.Y(**axis("ratio", "times lazy", (0, 1.15 * max(row["ratio"] for row in rows))))
    base = over(rows).encode(
        x=alt.X("threshold:N", sort=None, title="threshold", axis=alt.Axis(labelAngle=0)),
        xOffset=alt.XOffset("name:N", sort=list(NAMES)),
        y=y,
    )
    gain = {c: 1.0 - took["lookup"] for c, took in ratio.items()}
    chart = alt.layer(
        base.mark_bar(size=34).encode(color=colour(NAMES, symbol="square")),
        base.mark_text(dy=-8).encode(text="said:N"),
    ).properties(
        width=WIDTH,
        height=HEIGHT,
        title=titled(
            f"With a look-up table: {ratio[1.0]['lookup']:.2f} of lazy's time at threshold 1, "
            f"{ratio[0.1]['lookup']:.2f} at 0.1",
            [f"Paper 001, figure 8. Time over that of lazy; tuples in order, {RATE} a second, d = {D:,g} ms."],
        ),
    )
    return Finding(
        "thresholds",
        themed(chart),
        setting,
        (
            "threshold",
            "lazy, s",
            "eager / lazy",
            "lookup / lazy",
            "lazy probes",
            "eager's probes / lazy's",
            "look-up hits",
        ),
        [
            (
                f"{c:g}",
                f"{seconds[c]['lazy']:.3f}",
                f"{ratio[c]['eager']:.2f}",
                f"{ratio[c]['lookup']:.2f}",
                f"{probed[c]:.1%} of candidates",
                f"{probes[c]:.2f}",
                f"{hits[c]:.1%}",
            )
            for c in CONFIDENCES
        ],
        [
            Claim(
                "lazy with a look-up table is the fastest at every threshold",
                f"{min(took['lookup'] for took in ratio.values()):.2f} to "
                f"{max(took['lookup'] for took in ratio.values()):.2f} times lazy, "
                f"{min(took['lookup'] / took['eager'] for took in ratio.values()):.2f} to "
                f"{max(took['lookup'] / took['eager'] for took in ratio.values()):.2f} times eager",
                all(took["lookup"] == min(took.values()) for took in ratio.values()),
            ),
            Claim(
                "its lead over lazy shrinks as the threshold falls",
                ", ".join(f"{gain[c]:.0%} at {c:g}" for c in CONFIDENCES),
                gain[1.0] > gain[0.1] and gain[1.0] == max(gain.values()),
            ),
            Claim(
                "because there is less to probe",
                ", ".join(f"{probed[c]:.1%} of the candidates at {c:g}" for c in CONFIDENCES),
                list(probed.values()) == sorted(probed.values(), reverse=True),
            ),
        ],
        {"seconds": seconds, "probed_share": probed, "eager_probes_over_lazy": probes, "hit_ratio": hits},
    )


def region_sizes(width: float, confidence: float) -> tuple[float, float]:
    """LL - LH and RH - RL of an event so wide, among partners 20 to 200 wide."""
    ends = np.array([0.0]), np.array([width])
    widths = np.array([WIDTHS[0]]), np.array([WIDTHS[1]])
    bounds = uniform_bounds(*ends, ONE_GROUP, *widths, -D, D, confidence, False)
    lh, ll, rl, rh = (float(column[0]) for column in bounds)
    return ll - lh, rh - rl


def searched_sizes(width: float, confidence: float) -> tuple[float, float]:
    """The same by bisection on the probability itself, for the narrowest and the widest partner."""

    def crossing(partner: float, inside: float, outside: float) -> float:
        def enough(m: float) -> bool:
            times = wa.Histogram([0, width], [1]), wa.Histogram([m - partner, m], [1])
            return wa.probability(*times, wa.within(D)) >= confidence - 1e-12

        return bisect(enough, inside, outside)

    middle, far = 0.5 * (width + WIDTHS[1]), 3 * D
    first, last = ([crossing(partner, middle, end) for partner in WIDTHS] for end in (-far, far))
    return abs(first[1] - first[0]), abs(last[1] - last[0])


def bisect(holds: Callable[[float], bool], inside: float, outside: float) -> float:
    """The end of the range around `inside` in which something holds."""
    for _ in range(60):
        middle = 0.5 * (inside + outside)
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
    return inside


def _regions() -> Finding:
    levels = [0.5 * (1.0 - math.cos(math.pi * k / STEPS)) for k in range(1, STEPS + 1)]
    half = STEPS // 2 - 1
    typical = sum(WIDTHS) / 2
    own_widths = np.linspace(*WIDTHS, 19).tolist()
    rows: Rows = []
    for c in levels:
        for side, name in enumerate(("left, LL - LH", "right, RH - RL")):
            all_widths = [region_sizes(width, c)[side] for width in own_widths]
            rows.append(
                {
                    "c": c,
                    "name": name,
                    "size": region_sizes(typical, c)[side],
                    "least": min(all_widths),
                    "most": max(all_widths),
                }
            )
    scale = alt.Scale(domain=["left, LL - LH", "right, RH - RL"], range=[LEFT, RIGHT])
    by = alt.Color("name:N", scale=scale, legend=alt.Legend(title=None, symbolOpacity=1))
    base = over(rows).encode(x=alt.X(**axis("c", "threshold", (0, 1))), color=by)
    up = axis("size", "milliseconds", (0, 200))
    chart = alt.layer(
        base.mark_area(opacity=0.16).encode(y=alt.Y(**{**up, "shorthand": "least:Q"}), y2="most:Q"),
        base.mark_line(strokeWidth=2).encode(y=alt.Y(**up)),
    ).properties(
        width=WIDTH,
        height=HEIGHT,
        title=titled(
            "A higher threshold means more to probe on the left, less on the right",
            [
                f"Paper 001, figure 9. The probe regions of an event {typical:g} ms wide (shaded: {WIDTHS[0]:g} to "
                f"{WIDTHS[1]:g}),",
                f"among partners {WIDTHS[0]:g} to {WIDTHS[1]:g} wide, within {D:g} ms.",
            ],
        ),
    )
    sizes = {c: region_sizes(typical, c) for c in CONFIDENCES}
    searched = {c: searched_sizes(typical, c) for c in CONFIDENCES}
    apart = max(abs(a - b) for c in CONFIDENCES for a, b in zip(sizes[c], searched[c], strict=True))
    left, right = ([region_sizes(typical, c)[side] for c in levels] for side in (0, 1))
    widest = [max(region_sizes(width, c)[side] for c in levels for width in own_widths) for side in (0, 1)]
    return Finding(
        "probe-regions",
        themed(chart),
        f"An event {typical:g} ms wide, partners {WIDTHS[0]:g} to {WIDTHS[1]:g}, d = {D:g} ms; the closed form agrees "
        f"with a search on the probability to {apart:.0e} ms.",
        ("threshold", "LL - LH, ms", "RH - RL, ms"),
        [(f"{c:g}", f"{sizes[c][0]:.1f}", f"{sizes[c][1]:.1f}") for c in CONFIDENCES],
        [
            Claim(
                "the higher the threshold, the larger the left region; the lower, the larger the right one",
                f"left {left[0]:.0f} to {left[-1]:.0f} ms, right {right[0]:.0f} to {right[-1]:.0f} ms "
                f"from threshold {levels[0]:.1g} to {levels[-1]:g}",
                bool(np.all(np.diff(left) > -1e-2) and np.all(np.diff(right) < 1e-2)),
            ),
            Claim(
                "at threshold 1 there is no right region, and the left one is at its largest",
                f"right {sizes[1.0][1]:.1f} ms, left {sizes[1.0][0]:.1f} ms",
                sizes[1.0][1] < 1e-2 and sizes[1.0][0] >= max(left) - 1e-2,
            ),
            Claim(
                f"the left region grows up to d - rho = {D - WIDTHS[0]:g} ms",
                f"up to {widest[0]:.0f} ms, which is pi - rho",
                abs(widest[0] - (D - WIDTHS[0])) < 1.0,
            ),
            Claim(
                f"the right region grows up to pi - rho = {WIDTHS[1] - WIDTHS[0]:g} ms",
                f"up to {widest[1]:.0f} ms at threshold {levels[0]:.1g}",
                abs(widest[1] - (WIDTHS[1] - WIDTHS[0])) < 2.0,
            ),
            Claim(
                "the left region is likely to be larger than the right one",
                f"left and right are mirror images: {left[half]:.1f} and {right[half]:.1f} ms at threshold 0.5",
                left[half] > right[half] + 1.0,
            ),
        ],
        {"sizes": sizes, "searched": searched, "widest": widest},
    )
