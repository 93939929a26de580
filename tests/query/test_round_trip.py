import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.query.expressions import patterns
from whenabouts.model.relation import RELATIONS, IntervalQuery, Quantifier
from whenabouts.query import format_interval_query, format_pattern, parse_interval_query, parse_pattern

QUANTIFIERS = st.one_of(st.just(Quantifier("every")), st.builds(Quantifier, st.just("at least"), st.integers(1, 10**6)))


@given(patterns())
def test_every_pattern__reads_back_from_its_text(pattern):
    assert parse_pattern(format_pattern(pattern)) == pattern


@given(QUANTIFIERS, st.sampled_from("ab"), st.lists(st.sampled_from([*RELATIONS]), min_size=1, max_size=3), QUANTIFIERS)
def test_every_interval_query__reads_back_from_its_text(outer, subject, names, inner):
    query = IntervalQuery(outer, subject, tuple(names), inner)
    assert parse_interval_query(format_interval_query(query)) == query


PAPER = """
PATTERN SEQ(TaskStart a, CPU b, TaskFinish c, CPU d)
WHERE a.taskId = c.taskId AND
      b.nodeId = a.nodeId AND
      d.nodeId = a.nodeId AND
      b.value > 95 AND
      d.value <= 70 AND
      skip_till_any_match(a, b, c, d)
WITHIN 15 seconds
RETURN a, b, c
"""

TEXTS = {
    PAPER: "PATTERN SEQ(TaskStart a, CPU b, TaskFinish c, CPU d) WHERE a.taskId = c.taskId AND b.nodeId = a.nodeId "
    "AND d.nodeId = a.nodeId AND b.value > 95 AND d.value <= 70 AND skip_till_any_match(a, b, c, d) WITHIN 15s "
    "RETURN a, b, c",
    "pattern seq(any a)": "PATTERN SEQ(ANY a) WHERE skip_till_any_match(a)",
    "PATTERN SEQ(A a, !B b, C c) WHERE skip_till_next_match() AND [k] within 100 -- a comment": "PATTERN SEQ(A a, !B b,"
    " C c) WHERE [k] AND skip_till_next_match(a, c) WITHIN 100",
    "PATTERN SEQ(A a) WHERE (a.x + 1) * 2 - (3 - a.y) % 4 > -a.z AND (a.x + (1 * 2)) <> 4": "PATTERN SEQ(A a) WHERE "
    "(a.x + 1) * 2 - (3 - a.y) % 4 > -a.z AND a.x + 1 * 2 != 4 AND skip_till_any_match(a)",
    "PATTERN SEQ(A a) WHERE (a.x = 1 OR a.y = 2) AND NOT (a.x IS NULL OR a.y not in (1,2))": "PATTERN SEQ(A a) WHERE "
    "(a.x = 1 OR a.y = 2) AND NOT (a.x IS NULL OR a.y NOT IN (1, 2)) AND skip_till_any_match(a)",
    "PATTERN SEQ(`task-start` a) RETURN a.`my col` AS c, a.x": "PATTERN SEQ(`task-start` a) WHERE "
    "skip_till_any_match(a) RETURN a.`my col` AS c, a.x",
    "PATTERN SEQ(A a) WITHIN '1h 30m'": "PATTERN SEQ(A a) WHERE skip_till_any_match(a) WITHIN 1h 30m",
}


@pytest.mark.parametrize("text", TEXTS)
def test_a_text__is_written_in_its_plain_form(text):
    written = format_pattern(parse_pattern(text))
    assert " ".join(written.split()) == TEXTS[text]
    assert parse_pattern(written) == parse_pattern(text)
