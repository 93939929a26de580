"""SQL that DuckDB and Spark read alike."""

from __future__ import annotations

from benchmarks.peers.question import Question


def middles_sql(source: str) -> str:
    """Give each event its middle ``m`` and its half width ``s``."""
    return f"SELECT id, (lo + hi) / 2e0 AS m, (hi - lo) / 2e0 AS s FROM {source}"


def confident_sql(question: Question, pairs: str) -> str:
    """Compute the confidence of `pairs`, columns ``left_id, right_id, m, s, t``, and keep the confident ones."""
    return f"""
        SELECT left_id, right_id, confidence
        FROM (SELECT left_id, right_id, {confidence_sql(question)} AS confidence FROM ({pairs}) AS pairs) AS answers
        WHERE confidence >= {question.least!r}
    """


def confidence_sql(question: Question) -> str:
    """Write the confidence over the columns ``m`` (the distance of the middles), ``s`` and ``t`` (the half widths)."""
    near, far = (_tail_sql(question, f"{sign}m - {question.window!r}") for sign in ("", "-"))
    tails = near if question.one_sided else f"{near} - {far}"
    return f"CASE WHEN m + s + t <= {question.window!r} THEN 1e0 ELSE 1e0 - {tails} END"


def _tail_sql(question: Question, z: str) -> str:
    def squared(ramp: str) -> str:
        return f"greatest({z} {ramp}, 0e0) * greatest({z} {ramp}, 0e0)"

    ramps = f"({squared('+ s + t')} - {squared('+ s - t')} - {squared('- s + t')} + {squared('- s - t')})"
    tail = f"{ramps} / (8e0 * s * t)"
    if not question.has_points:
        return tail
    one_point = f"least(greatest(({z} + s + t) / (2e0 * (s + t)), 0e0), 1e0)"
    two_points = f"CASE WHEN {z} > 0e0 THEN 1e0 ELSE 0e0 END"
    return f"CASE WHEN s * t > 0e0 THEN {tail} WHEN s + t > 0e0 THEN {one_point} ELSE {two_points} END"


def closed_form_sql(question: Question, left: str, right: str) -> str:
    """
    The inequality join as one writes it who knows the formula and nothing of the data.

    Events whose intervals, moved by the window, touch are joined, and their confidence is P(X + d >= Y) less
    P(X - d > Y), each four ramps over both widths; where a width is zero, a hair stands in for it.
    """
    d = question.window

    def ramp(z: str) -> str:
        return f"greatest({z}, 0e0) * greatest({z}, 0e0)"

    def at_most(shift: str) -> str:
        ramps = f"{ramp(f'x2 {shift} - y1')} - {ramp(f'x1 {shift} - y1')} - {ramp(f'x2 {shift} - y2')}"
        return f"({ramps} + {ramp(f'x1 {shift} - y2')}) / (2e0 * (x2 - x1) * (y2 - y1))"

    wide = "SELECT id, lo, CASE WHEN hi > lo THEN hi ELSE lo + 1e-9 END AS hi FROM"
    return f"""
        SELECT left_id, right_id, confidence
        FROM (
            SELECT left_id, right_id, {at_most(f"+ {d!r}")} - {at_most(f"- {d!r}")} AS confidence
            FROM (
                SELECT a.id AS left_id, b.id AS right_id, a.lo AS x1, a.hi AS x2, b.lo AS y1, b.hi AS y2
                FROM ({wide} {left}) AS a JOIN ({wide} {right}) AS b
                ON b.lo <= a.hi + {d!r} AND b.hi >= a.lo - {d!r}
            ) AS pairs
        ) AS answers
        WHERE confidence >= {question.least!r}
    """
