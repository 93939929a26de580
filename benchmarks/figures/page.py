"""The page that shows the figures: its tables stand between markers and are written by the run they come from."""

from __future__ import annotations

import re
from collections.abc import Mapping


def refreshed(text: str, blocks: Mapping[str, str]) -> str:
    """
    The text with new blocks between ``<!-- name -->`` and ``<!-- /name -->``.

    >>> refreshed("a <!-- n -->old<!-- /n --> z", {"n": "new"})
    'a <!-- n -->\\nnew\\n<!-- /n --> z'
    """
    for name, block in blocks.items():
        start, end = f"<!-- {name} -->", f"<!-- /{name} -->"
        pattern = re.compile(f"{re.escape(start)}.*?{re.escape(end)}", re.DOTALL)
        if len(pattern.findall(text)) != 1:
            raise ValueError(f"the page needs {start} and {end} once, for the numbers of that figure")
        before, after = pattern.split(text)
        text = f"{before}{start}\n{block}\n{end}{after}"
    return text
