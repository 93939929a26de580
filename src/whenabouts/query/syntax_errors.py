"""What to say where the text of a query does not go on as it could: what was found, what would have fitted, a hint."""

from __future__ import annotations

import re
from collections.abc import Iterable

from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from whenabouts.errors import BadQuery, nearest
from whenabouts.query.tree import Start

_WORDS = {
    "PATTERN": "PATTERN", "SEQ": "SEQ", "ANY": "ANY", "WHERE": "WHERE", "WITHIN": "WITHIN", "RETURN": "RETURN",
    "AS": "AS", "_AND": "AND", "_OR": "OR", "NOT": "NOT", "_IN": "IN", "_BETWEEN": "BETWEEN", "IS": "IS",
    "NULL": "NULL", "STRATEGY": "skip_till_any_match", "EVERY": "EVERY", "SOME": "SOME", "_AT": "AT LEAST",
    "_LEAST": "LEAST", "ABSENT": "'!'", "COMPARE": "a comparison (= != < <= > >=)", "NUMBER": "a number",
    "DURATION": "a duration such as 15 seconds", "TEXT": "a text in 'quotes'", "NAME": "a name",
    "WORD": "a side or a relation (a, b, INTERSECTS, ...)", "LPAR": "'('",
    "RPAR": "')'", "LSQB": "'['", "RSQB": "']'", "COMMA": "','", "DOT": "'.'", "$END": "the end of the query",
}  # fmt: skip
_VALUE = {
    "NAME", "QUOTED_NAME", "NUMBER", "DURATION", "TEXT", "TIMESTAMP", "TRUE", "FALSE", "NULL", "LPAR", "MINUS",
    "LSQB", "STRATEGY", "NOT",
}  # fmt: skip
_SIGNS = {"PLUS", "MINUS", "TIMES", "PERCENT"}
_HINTS = {
    '"': "Text stands in 'single quotes', a name with odd characters in `backticks`.",
    ";": "A query ends without a semicolon.",
    "&": "Write AND.",
    "|": "Write OR.",
    "'": "A text begins here and does not end: close it with a single quote.",
    "`": "A name begins here and does not end: close it with a backtick.",
}


def syntax_error(wrong: UnexpectedInput, text: str, start: Start) -> BadQuery:
    """The error for a text that lark could not read."""
    if not text.strip():
        return BadQuery(f"The query is empty. Write it as {_EXAMPLES[start]}.")
    at: int
    if isinstance(wrong, UnexpectedCharacters):
        assert wrong.pos_in_stream is not None
        at = wrong.pos_in_stream
        word = re.compile(r"[\w.]+").match(text, at)
        found = word[0] if word else text[at]
        fits = set(wrong.allowed or ())
    else:
        assert isinstance(wrong, UnexpectedToken)
        ended = wrong.token.type == "$END"
        at = len(text.rstrip()) if ended else wrong.token.start_pos or 0
        found = "" if ended else str(wrong.token)
        fits = set(wrong.accepts or wrong.expected)
    bare = re.search(r"(\w+)$", text[:at].rstrip())
    if bare and fits == {"DOT"}:
        return BadQuery(_about_bare_name(text, bare, found), text, bare.start(), bare.end())
    if found[:1] in _HINTS:
        return BadQuery(f"{found!r} does not fit here. {_HINTS[found[0]]}", text, at, at + len(found))
    hint = _hint(text, at, found, fits, start)
    what = f"{found!r} does not fit here" if found else "The query ends too early"
    return BadQuery(f"{what}: expected {_one_of(_phrases(fits))}.{hint}", text, at, at + len(found))


def _phrases(fits: Iterable[str]) -> list[str]:
    """What would have fitted, in few words."""
    left, phrases = set(fits) - {"QUOTED_NAME"}, []
    if {"NUMBER", "TEXT", "LPAR"} <= left:
        phrases.append("a value (a.speed, 95, 'text', ...)")
        left -= _VALUE
    if "TIMES" in left:
        phrases.append("an operator (+ - * / %)")
        left -= _SIGNS
    return phrases + [_WORDS[name] for name in _WORDS if name in left]


def _one_of(phrases: list[str]) -> str:
    return phrases[0] if len(phrases) == 1 else f"{', '.join(phrases[:-1])} or {phrases[-1]}"


def _hint(text: str, at: int, found: str, fits: set[str], start: Start) -> str:
    """What was probably meant."""
    before, after = text[:at].rstrip(), text[at + len(found) :].lstrip()
    if found == "=" and before.endswith("="):
        return " Equality is a single '='."
    if before.endswith("%") and "NUMBER" in fits:
        return " '%' is the remainder of a division: write 95, not 95%."
    if found == "+" and "NAME" in fits:
        return " Repetition is not part of the language: a component stands for one event."
    if found and "COMPARE" not in fits and "_AND" in fits and found[0] in "=<>!":
        return " Comparisons do not chain: write a.x < b.x AND b.x < c.x."
    if re.search(r"\bWITHIN\s+[\d.]+$", before, re.IGNORECASE) and found.isidentifier():
        unit = nearest(found.lower(), _UNITS)
        return f" {found!r} is no unit of time.{unit} Units are ns, us, ms, seconds, minutes, hours, days and weeks."
    if start == "interval_query" and not found and "WORD" in fits:
        return " Both sides have a quantifier: EVERY, SOME or AT LEAST k."
    if start == "interval_query" and found.upper() in ("ALL", "ANY", "ONE", "EACH", "MOST", "EXACTLY", "NO"):
        return " Quantifiers are EVERY, SOME and AT LEAST k."
    if re.search(r"[(,]\s*NOT\s+\w+$", before, re.IGNORECASE):
        return " An absent event is written with '!', as in !Type a."
    if found.upper() in _CLAUSES and fits & {"$END", "COMMA"} and start == "pattern_query":
        return f" The order of clauses is {', '.join(_CLAUSES)}."
    if found.upper() == "SELECT":
        return f" A pattern query is written as {_EXAMPLES[start]}."
    if after.startswith(".") and found.upper() in _WORDS.values():
        return f" {found!r} is a keyword: as a name write `{found}`."
    return nearest(found.upper(), [word for name, word in _WORDS.items() if name in fits and word.isupper()])


def _about_bare_name(text: str, bare: re.Match[str], found: str) -> str:
    """What is wrong with a name that no '.' follows, so that it is neither variable nor attribute."""
    name = bare[1]
    if found == "(":
        strategies = ["skip_till_any_match", "skip_till_next_match"]
        hint = nearest(name.lower(), strategies)
        return f"{name!r} is no function.{hint or f' There are {strategies[0]}(...) and {strategies[1]}(...).'}"
    if name.upper() in _WORDS.values():
        percent = text[: bare.start()].rstrip().endswith("%")
        hint = " '%' is the remainder of a division: write 95, not 95%." if percent else ""
        return f"A value is missing before {name.upper()}.{hint}"
    if re.search(rf"\w\s+{name}\s*[,)]", text[: bare.start()]):
        return f"{name!r} is an event, not a value: name one of its attributes, as in {name}.value."
    return f"{name!r} alone is no attribute: say whose it is, as in a.{name}. Text stands in 'quotes'."


_CLAUSES = ("PATTERN", "WHERE", "WITHIN", "RETURN")
_UNITS = ("nanoseconds", "microseconds", "milliseconds", "seconds", "minutes", "hours", "days", "weeks")
_EXAMPLES: dict[Start, str] = {
    "pattern_query": "PATTERN SEQ(Type a, Type b) WHERE a.x = b.x WITHIN 15 seconds RETURN a, b",
    "interval_query": "AT LEAST 2 a INTERSECTS SOME b",
}
