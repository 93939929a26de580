"""The plan of a similarity join, before anything runs."""

from __future__ import annotations

from typing import Any

from whenabouts.api.objects import Objects
from whenabouts.api.similarity_join import plan_similarity_join
from whenabouts.errors import BadArgument, nearest
from whenabouts.model.times import describe

_REQUIRED = ("distance", "min_confidence", "window")
_DEFAULTS: dict[str, Any] = {
    "within": None, "metric": "euclidean", "method": "auto", "batch": 1, "confidence": True, "changes": False,
}  # fmt: skip
_NOT_OF_THE_PLAN = ("stats", "threads", "side_output")
_METHODS = {
    "auto": "a tree over centres and places, bounds on the distance, then samples in boxes",
    "grid": "the paper's grid: pruning of objects, of samples, then refinement (paper 003)",
    "wop": "without pruning: every pair of the windows is refined (paper 003)",
}


def explain_similarity(*sides: Objects, **options: Any) -> tuple[tuple[tuple[str, str], ...], str | None]:
    """Lines of name and value, and on Spark the physical plan."""
    known = (*_REQUIRED, *_DEFAULTS, *_NOT_OF_THE_PLAN)
    for name in options:
        if name not in known:
            raise BadArgument(f"wa.similarity_join has no option {name!r}.{nearest(name, known)}")
    for name in _REQUIRED:
        if name not in options:
            raise BadArgument(f"wa.similarity_join needs {name}=.")
    own = {name: value for name, value in options.items() if name not in _NOT_OF_THE_PLAN}
    join = plan_similarity_join(list(sides), **{**_DEFAULTS, **own})
    first = sides[0]
    where = "Spark, as a stream" if first.streaming else ("Spark" if first.engine == "spark" else "this process")
    window = "none: nothing expires" if options["window"] is None else f"{options['window']} of the "
    lines = [
        ("operator", f"similarity join in {where}"),
        ("question", f"{own.get('metric', _DEFAULTS['metric'])} distance <= {join.distance:g}{_in_time(own)}"),
        ("window", window if options["window"] is None else window + ("sequence" if join.by_seq else "time")),
        ("streams", "one, with itself" if join.within_itself else f"{len(sides)}, {len(join.pairs)} pairs of them"),
        *((stream.name, _side(side)) for stream, side in zip(join.streams, sides, strict=True)),
        ("threshold", f"{join.min_confidence:g}"),
        ("method", f"{join.method}: {_METHODS[join.method]}"),
        ("result", "a changelog" if join.changes else "pairs with their lives"),
    ]
    if first.streaming:
        return tuple(lines), None
    if first.engine == "spark":
        from whenabouts.spark.explain import explain_windows

        more, physical = explain_windows(join, [side.data for side in sides])
        return (*lines, *more), physical
    sizes = [len(side.table) for side in sides if side.table is not None]
    return (*lines, ("rows", " x ".join(f"{size:,}" for size in sizes))), None


def _in_time(options: dict[str, Any]) -> str:
    return "" if options.get("within") is None else f", and within {options['within']} in time"


def _side(side: Objects) -> str:
    contract = side.contract
    samples = (
        contract.samples if isinstance(contract.samples, str) else ", ".join(contract.samples) + ", a row a sample"
    )
    weights = f", weights {contract.weights}" if contract.weights else ", equal weights"
    places = " and ".join(describe(model) for model in contract.models)
    return f"{contract.id}, {places}, samples {samples}{weights}"
