"""Paper 001, figure 5: buffer length against the arrival rate."""

from __future__ import annotations

import math

import altair as alt

from benchmarks.figures.drawing import HEIGHT, Rows, axis, colour, lines
from benchmarks.figures.finding import Claim, Finding
from benchmarks.figures.rate_axis import RATES, SIMPLE, Runs, rate_axis
from benchmarks.figures.workload import ALGORITHMS, BLOCK
from whenabouts.chart.theme import WIDTH, themed, titled


def buffer_length(runs: Runs, setting: str) -> Finding:
    """Tuples in both buffers, on average over the arrivals."""
    length = {rate: {name: measured[name].average_buffer for name in ALGORITHMS} for rate, measured in runs.items()}
    more = [length[rate]["lazy"] - length[rate]["eager"] for rate in RATES]
    rows: Rows = [{"rate": rate, "name": name, "length": length[rate][name]} for rate in RATES for name in ALGORITHMS]
    y = alt.Y(**axis("length", "tuples in both buffers", (0, 1.05 * max(row["length"] for row in rows))))
    chart = lines(rows, rate_axis(), y, colour(ALGORITHMS)).properties(
        width=WIDTH,
        height=HEIGHT,
        title=titled(
            f"The lazy family keeps {min(more):,.0f} to {max(more):,.0f} tuples more",
            ["Paper 001, figure 5. Tuples in both buffers, on average over the arrivals."],
        ),
    )
    simple_family = all(
        math.isclose(took[name], took["eager"], rel_tol=1e-3) for took in length.values() for name in SIMPLE
    )
    return Finding(
        "buffer-length",
        themed(chart),
        setting,
        ("tuples/s", *ALGORITHMS),
        [(f"{rate:,}", *(f"{length[rate][name]:,.0f}" for name in ALGORITHMS)) for rate in RATES],
        [
            Claim(
                "eager's buffers are the shortest",
                "simple and sorted have the same" if simple_family else "see the table",
                all(took["eager"] <= min(took.values()) * 1.001 for took in length.values()),
            ),
            Claim(
                "simple sort's buffers are shorter than simple's",
                "they are equal" if simple_family else "see the table",
                all(took["sorted"] < took["simple"] for took in length.values()),
            ),
            Claim(
                f"lazy's are longer than eager's by roughly the block, {BLOCK:,}",
                f"by {min(more):,.0f} to {max(more):,.0f}",
                all(0.5 * BLOCK < extra < 2 * BLOCK for extra in more),
            ),
            Claim(
                "with a look-up table they are almost the same as lazy's",
                f"they differ by at most {max(abs(took['lazy'] - took['lookup']) for took in length.values()):.0f}",
                all(math.isclose(took["lazy"], took["lookup"], rel_tol=0.01) for took in length.values()),
            ),
        ],
        {"tuples": length},
    )
