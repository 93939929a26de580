"""`whenabouts pair`, the version, and help."""

import pytest

import whenabouts as wa


@pytest.mark.parametrize(
    ("arguments", "x", "y", "predicate"),
    [
        (["0,10", "5,20", "--within", "3"], ([0, 10], [1]), ([5, 20], [1]), wa.within(3)),
        (
            ["5", "0,20,30,40:0.1,0.3,0.6", "--deadline", "20.5"],
            ([5, 5], [1]),
            ([0, 20, 30, 40], [0.1, 0.3, 0.6]),
            wa.deadline(20.5),
        ),
        (["0,10", "5,20", "--delay", "3"], ([0, 10], [1]), ([5, 20], [1]), wa.delay(3)),
    ],
)
def test_pair__prints_the_probability(run, arguments, x, y, predicate):
    result = run("pair", *arguments)
    assert result.exit_code == 0, result.output
    expected = wa.probability(wa.Histogram(*x), wa.Histogram(*y), predicate)
    assert float(result.stdout.rsplit("=", 1)[1]) == pytest.approx(expected, abs=1e-11)


def test_pair__takes_times_as_seconds_where_the_predicate_has_a_unit(run):
    assert run("pair", "0,10", "5,20", "--within", "3000ms").stdout == "P(|X - Y| <= 3s) = 0.2\n"


@pytest.mark.parametrize("name", ["pair.png", "pair.html"])
def test_pair__draws(run, tmp_path, name):
    result = run("pair", "0,10", "5,20", "--within", "3", "--chart", tmp_path / name)
    assert result.exit_code == 0, result.output
    assert str(tmp_path / name) in result.stdout
    assert (tmp_path / name).stat().st_size > 10_000


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["0,x", "5", "--within", "3"], "is not a time"),
        (["10,0", "5", "--within", "3"], "edges must not decrease"),
        (["0,10:0.5", "5", "--within", "3"], "masses must sum to 1"),
        (["0,10", "5"], "choose one of --within"),
        (["0,10", "5", "--within", "3", "--chart", "pair.gif"], ".html or .png"),
    ],
)
def test_mistakes__are_told_in_words(run, arguments, words):
    result = run("pair", *arguments)
    assert result.exit_code == 2
    assert words in result.stderr


def test_version__is_that_of_the_package(run):
    assert run("--version").stdout == f"whenabouts {wa.__version__}\n"


def test_help__names_the_commands(run):
    shown = run("--help").stdout
    assert all(name in shown for name in ("join", "pair", "demo"))
