"""Charts become files that stand on their own."""

import struct
import subprocess
import sys

import pytest

import whenabouts as wa
from whenabouts import chart
from whenabouts.errors import BadArgument


@pytest.fixture(scope="module")
def drawn():
    return chart.pair(wa.Histogram([0, 10], [1]), wa.Histogram([5, 20], [1]), wa.within(3))


def test_png__is_an_image_of_twice_the_size(drawn, tmp_path):
    content = chart.save(drawn, tmp_path / "new" / "pair.png").read_bytes()
    assert content.startswith(b"\x89PNG\r\n")
    width, height = struct.unpack(">II", content[16:24])
    assert width > 1300
    assert height > 700


def test_html__needs_no_network(drawn, tmp_path):
    text = chart.save(drawn, tmp_path / "pair.html").read_text(encoding="utf-8")
    assert "P(|X - Y| <= 3) = 0.2" in text
    assert "<script src=" not in text
    assert "cdn.jsdelivr" not in text
    assert len(text) > 300_000


def test_other_suffixes__are_an_error(drawn, tmp_path):
    with pytest.raises(BadArgument, match=r"\.html or \.png"):
        chart.save(drawn, tmp_path / "pair.gif")


def test_chart__is_loaded_only_when_it_is_used():
    program = "import sys, whenabouts as wa; before = 'altair' in sys.modules; wa.chart.pair; sys.exit(before)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
