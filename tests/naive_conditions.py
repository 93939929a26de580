"""Conditions by the book: one event at a time, None for what is unknown, and Python's own numbers.

Nodes are told apart by the names of their classes, so that nothing of the library is imported.
"""

import datetime as dt
import math
import operator

LARGEST = 2**63 - 1
COMPARE = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def value_of(node, events):
    """The value of an expression, given a dict of attributes for each variable."""
    kind = type(node).__name__
    if kind == "Attribute":
        found = events[node.variable][node.name]
        return None if isinstance(found, float) and math.isnan(found) else found
    if kind == "Constant":
        length = getattr(node.value, "amount", None)
        return node.value if length is None else dt.timedelta(microseconds=int(length / 1000))
    if kind == "Negative":
        found = value_of(node.value, events)
        return None if found is None else -found
    if kind == "Arithmetic":
        return compute(node.op, value_of(node.left, events), value_of(node.right, events))
    if kind == "Comparison":
        return compare(node.op, value_of(node.left, events), value_of(node.right, events))
    if kind == "IsIn":
        value = value_of(node.value, events)
        found = any_of([compare("=", value, value_of(option, events)) for option in node.options])
        return opposite(found) if node.negated else found
    if kind == "IsBetween":
        value = value_of(node.value, events)
        ends = [compare(">=", value, value_of(node.low, events)), compare("<=", value, value_of(node.high, events))]
        return opposite(all_of(ends)) if node.negated else all_of(ends)
    if kind == "IsNull":
        return (value_of(node.value, events) is None) != node.negated
    if kind == "Not":
        return opposite(value_of(node.part, events))
    if kind == "And":
        return all_of([value_of(part, events) for part in node.parts])
    if kind == "Or":
        return any_of([value_of(part, events) for part in node.parts])
    assert kind == "Same"
    values = [event[node.name] for event in events.values()]
    if len(values) == 1:
        return values[0] is not None
    return all_of([compare("=", values[0], other) for other in values[1:]])


def compare(op, left, right):
    if left is None or right is None:
        return None
    if isinstance(left, float) != isinstance(right, float):
        left, right = float(left), float(right)
    return COMPARE[op](left, right)


def compute(op, left, right):
    if left is None or right is None:
        return None
    if isinstance(left, int) and isinstance(right, int) and op != "/":
        if op == "%":
            return int(math.copysign(1, left)) * (abs(left) % abs(right)) if right else None
        result = {"+": operator.add, "-": operator.sub, "*": operator.mul}[op](left, right)
        return result if abs(result) <= LARGEST else None
    if isinstance(left, dt.datetime | dt.timedelta):
        return _REAL[op](left, right)
    left, right = float(left), float(right)
    if op in "/%" and right == 0:
        return None
    try:
        result = math.fmod(left, right) if op == "%" else _REAL[op](left, right)
    except (ValueError, OverflowError):
        return None
    return None if math.isnan(result) else result


_REAL = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


def all_of(parts):
    return False if False in parts else None if None in parts else True


def any_of(parts):
    return True if True in parts else None if None in parts else False


def opposite(part):
    return None if part is None else not part
