"""Draw the pictures of the documents: `python docs/images/make.py` writes them next to this file."""

import contextlib
import re
import tempfile
from pathlib import Path

import pyarrow as pa

import whenabouts as wa
from whenabouts import chart

HERE = Path(__file__).parent


def one_pair():
    """The first row of the README's table: a door's stamp cut to 15 seconds, and an alarm known by a range."""
    door, alarm = wa.Histogram([0, 15], [1]), wa.Histogram([8, 20], [1])
    return chart.pair(door, alarm, wa.within("10s"), names=("front door", "alarm 1"))


def ranges():
    """Where the partners of one event are surely in, surely out, or must be probed."""
    return chart.interval_ranges(0, 100, (20, 200), wa.within(1000), 0.6)


def two_sectors():
    """The running example of paper 004: two road sectors, one of which lost two events."""
    a = pa.table({"sector": ["A"] * 4, "n": [1, 2, 3, 4], "t": [0, 2, 4, 6]})
    b = pa.table({"sector": ["B"] * 2, "n": [1, 4], "t": [1, 10]})
    left, right = (wa.segments(table, key="sector", seq="n", time="t") for table in (a, b))
    return chart.segments(left, right, "A", "B", "AT LEAST 2 a INTERSECTS SOME b")


def tutorial(page):
    """What the Python of a tutorial makes, by name; the charts that it saves stay in a temporary folder."""
    text = (HERE.parent / "tutorials" / page).read_text(encoding="utf-8")
    names = {}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), contextlib.redirect_stdout(None):
        for marked, block in re.findall(r"^(<!-- spark -->\n)?```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            if not marked:
                exec(block, names)
    return names


if __name__ == "__main__":
    sensors = tutorial("01-sensors.md")
    cluster = tutorial("03-cluster.md")
    pictures = {
        "pair.png": one_pair(),
        "ranges.png": ranges(),
        "sensor-pair.png": sensors["picture"],
        "sensor-pairs.png": sensors["chart"],
        "match.png": cluster["picture"],
        "segments.png": two_sectors(),
    }
    for name, picture in pictures.items():
        print(chart.save(picture, HERE / name).name)
