"""The door to Numba: every kernel is decorated with `jit`, or a sibling of it that is here, and nothing else.

`WHENABOUTS_JIT=0` turns the door into a wall: kernels then run as plain Python, which is how the tests
check that the compiled and the plain kernels agree.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

ENABLED = os.environ.get("WHENABOUTS_JIT", "1") != "0"


def _writable(folder: Path) -> bool:
    """Whether a file can be made in `folder` or, where it does not exist yet, in its nearest parent."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return os.access(folder, os.W_OK)


def _ensure_cache_folder() -> None:
    """Point Numba to the temporary folder where neither the package nor the home can hold its cache.

    Without a cache every Spark worker would compile every kernel again.
    """
    beside = Path(__file__).parent / "__pycache__"
    if "NUMBA_CACHE_DIR" not in os.environ and not _writable(beside) and not _writable(Path.home() / ".cache"):
        os.environ["NUMBA_CACHE_DIR"] = str(Path(tempfile.gettempdir()) / "whenabouts-numba")


if ENABLED:
    _ensure_cache_folder()
    import numba
    from numba.core import types
    from numba.core.compiler import Compiler

    class _Apart(Compiler):
        """Numba's compiler, told that the arrays which a kernel takes do not overlap, as C's `restrict` does.

        Otherwise that is found out before every loop that is to be made wide.
        """

        def define_pipelines(self) -> Any:
            self.state.flags.noalias = True
            return super().define_pipelines()  # type: ignore[no-untyped-call]

    _OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
    """Nobody calls kernels from C, so no time is spent on compiling a door for that."""
    _BORROWING: dict[str, Any] = {"_nrt": False, "forceinline": True, "pipeline_class": _Apart}

    def _compiled(function: F, **options: Any) -> F:
        """A kernel of Numba's that is compiled once for all numbers.

        Numba would compile it anew for every constant that another kernel calls it with: for 0, for 1, for True.
        """
        kernel = numba.njit(function, **_OPTIONS, **options)
        template, plain = kernel.get_call_template, types.unliteral
        kernel.get_call_template = lambda args, kws: template(
            tuple(map(plain, args)), dict(zip(kws, map(plain, kws.values()), strict=True))
        )
        return kernel

    def jit(function: F) -> F:
        """Compile on first call, without the GIL, and keep the result on disk."""
        return _compiled(function)

    def jit_borrowing(function: F) -> F:
        """The same for an inner step that makes no arrays: it becomes a part of the kernel that takes it.

        Numba hands over an array as seven numbers, all of those of a tuple at every call, and counts who holds it. Both
        cost a short step more than its work does. The arrays that are handed over must not overlap.
        """
        return _compiled(function, **_BORROWING)

else:

    def jit(function: F) -> F:
        """Leave the function as it is: the JIT is switched off."""
        return function

    jit_borrowing = jit
