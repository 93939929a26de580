"""The names people type: all there, all documented, and their examples true."""

import doctest
import importlib
import pkgutil

import pytest

import whenabouts as wa

PLACES = ["api", "kernels", "model", "ops", "schema", "testing"]


def modules_of(place: str) -> list[str]:
    home = importlib.import_module(f"whenabouts.{place}")
    inside = pkgutil.walk_packages(home.__path__, f"{home.__name__}.") if hasattr(home, "__path__") else []
    return [home.__name__, *(found.name for found in inside)]


MODULES = sorted({"whenabouts", "whenabouts.errors", *(name for place in PLACES for name in modules_of(place))})


@pytest.mark.parametrize("name", wa.__all__)
def test_public_name__is_there_and_says_what_it_is(name):
    assert getattr(wa, name).__doc__
    assert name in dir(wa)


def test_public_name__that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'whenabouts' has no attribute 'nonsense'"):
        _ = wa.nonsense


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples__are_true(name):
    module = importlib.import_module(name)
    failed, _ = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert failed == 0


def test_docstring_examples__are_there_for_the_verbs_on_one_pair():
    found = doctest.DocTestFinder().find(wa.probability) + doctest.DocTestFinder().find(wa.satisfaction_time)
    assert all(test.examples for test in found)
