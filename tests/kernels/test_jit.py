"""The one door to Numba, open and closed."""

import os
import tempfile
from pathlib import Path

import pytest

from whenabouts.kernels import _jit
from whenabouts.kernels.probability import uniform_at_most
from whenabouts.kernels.timing.sweep import sweep


@pytest.mark.parametrize("kernel", [uniform_at_most, sweep], ids=["small", "large"])
def test_jit__compiles_unless_the_environment_says_no(kernel):
    assert (os.environ.get("WHENABOUTS_JIT", "1") != "0") == _jit.ENABLED
    assert hasattr(kernel, "py_func") == _jit.ENABLED


@pytest.mark.parametrize(("anywhere", "expected"), [(False, "whenabouts-numba"), (True, None)])
def test_cache__goes_to_the_temporary_folder_where_no_other_can_hold_it(monkeypatch, anywhere, expected):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(_jit, "_writable", lambda folder: anywhere)
    _jit._ensure_cache_folder()
    folder = os.environ.pop("NUMBA_CACHE_DIR", None)
    assert folder == (None if expected is None else str(Path(tempfile.gettempdir()) / expected))


def test_cache__stays_where_the_user_put_it(monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", "/somewhere")
    monkeypatch.setattr(_jit, "_writable", lambda folder: False)
    _jit._ensure_cache_folder()
    assert os.environ["NUMBA_CACHE_DIR"] == "/somewhere"


def test_writable__looks_at_the_nearest_folder_that_exists(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(_jit.os, "access", lambda folder, mode: asked.append((folder, mode)))
    _jit._writable(tmp_path / "not" / "yet")
    _jit._writable(tmp_path)
    assert asked == [(tmp_path, os.W_OK)] * 2


@_jit.jit
def _scaled(number, factor, negative):
    return -number * factor if negative else number * factor


@_jit.jit
def _with_constants(number):
    return _scaled(number, 1, False) + _scaled(number, 2, True) + _scaled(number, factor=3, negative=False)


def test_jit__compiles_a_kernel_once_whatever_constants_it_is_called_with():
    assert _with_constants(5) == 5 - 10 + 15
    if _jit.ENABLED:
        assert len(_scaled.signatures) == 1
