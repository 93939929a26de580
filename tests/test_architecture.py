"""The promises that the structure of the package makes, held by machine."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "whenabouts"
SOURCES = sorted(PACKAGE.rglob("*.py"))

RUNS_TEXT_AS_CODE = {"eval", "exec"}
ABSENT_FROM_SPARK_CONNECT = {"_jdf", "_jsc", "_jvm", "rdd", "sparkContext"}
CLASSIC_ONLY = {"spark/progress.py": {"sparkContext"}}
"""A classic session can only be watched through its context; on Connect the same file uses another way."""


def name_of(source: Path) -> str:
    return source.relative_to(PACKAGE).as_posix()


def syntax_of(source: Path) -> ast.Module:
    return ast.parse(source.read_text(encoding="utf-8"), filename=str(source))


def test_layers__import_only_what_lies_below_them():
    linter = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as lint; lint()"]
    report = subprocess.run([*linter, "--no-cache", "--no-logo"], cwd=ROOT, capture_output=True, text=True)
    assert report.returncode == 0, report.stdout + report.stderr


def test_package__has_sources_to_check():
    assert SOURCES


@pytest.mark.parametrize("source", SOURCES, ids=name_of)
def test_source__never_runs_text_as_code(source):
    calls = [
        f"{node.func.id} in line {node.lineno}"
        for node in ast.walk(syntax_of(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in RUNS_TEXT_AS_CODE
    ]
    assert not calls


@pytest.mark.parametrize("source", SOURCES, ids=name_of)
def test_source__uses_only_what_spark_connect_has(source):
    uses = [
        f".{node.attr} in line {node.lineno}"
        for node in ast.walk(syntax_of(source))
        if isinstance(node, ast.Attribute)
        and node.attr in ABSENT_FROM_SPARK_CONNECT - CLASSIC_ONLY.get(name_of(source), set())
    ]
    assert not uses


@pytest.mark.parametrize("heavy", ["altair", "numba", "pandas", "pyspark"])
def test_import__leaves_heavy_packages_alone(heavy):
    program = f"import sys, whenabouts; sys.exit({heavy!r} in sys.modules)"
    report = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert report.returncode == 0, report.stderr or f"`import whenabouts` imports {heavy}"


def test_oracle__imports_nothing_of_what_it_judges():
    oracle = ROOT / "tests" / "naive.py"
    imported = {
        name
        for node in ast.walk(syntax_of(oracle))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert not {name for name in imported if name.split(".")[0] == "whenabouts"}
