"""Every block of the documents runs and prints what the page says that it prints, and every link leads somewhere.

The ```python blocks of a document share one namespace and run in the order of the page, in a folder of their own. A
```text block right after one is what it prints; `...` in it stands for anything. Lines of a ```sh block that call
`whenabouts` run too. An HTML comment on the line before a block says more: `<!-- skip -->` leaves it alone, and
`<!-- spark -->` runs it only where there is a Spark session. `<!-- needs: folder/file -->` on a line of its own
names data that is not part of the project: where it is absent, the document is skipped.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGE = ROOT / "src" / "whenabouts"
GUIDES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [*GUIDES, *(ROOT / name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "benchmarks/README.md"))]
DATA = Path(os.environ.get("WHENABOUTS_DATA", ROOT.parent / "shared" / "data"))

FENCE = re.compile(r"^(`{3,})(\w*)$")
MARK = re.compile(r"^<!-- (skip|spark)\b.*-->$")
NEEDS = re.compile(r"^<!-- needs: (\S+) -->$", re.MULTILINE)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
COLUMNS = "100"


@dataclass(frozen=True)
class Block:
    """A fenced block: its tag, its text, the line that it begins in, its mark, and what it should print."""

    tag: str
    text: str
    line: int
    mark: str
    prints: str | None = None


def blocks_of(page: Path) -> list[Block]:
    """The fenced blocks of a document in order; a text block that tells an output goes with its code."""
    lines = page.read_text(encoding="utf-8").splitlines()
    blocks: list[Block] = []
    at, code_ended = 0, -1
    while at < len(lines):
        opened = FENCE.match(lines[at])
        if opened is None:
            if lines[at].strip():
                code_ended = -1
            at += 1
            continue
        end = lines.index(opened[1], at + 1)
        mark = MARK.match(lines[at - 1]) if at else None
        block = Block(opened[2], "\n".join(lines[at + 1 : end]) + "\n", at + 2, mark[1] if mark else "")
        if block.tag == "text" and code_ended >= 0:
            blocks[-1] = Block(*(getattr(blocks[-1], name) for name in ("tag", "text", "line", "mark")), block.text)
            code_ended = -1
        else:
            blocks.append(block)
            code_ended = end if block.tag in ("python", "sh") else -1
        at = end + 1
    return blocks


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def prose_of(page: Path) -> str:
    """A document without its fenced blocks and code spans."""
    text = re.sub(r"^(`{3,})\w*$.*?^\1$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "", text)


def needs_spark(page: Path) -> bool:
    return any(block.mark == "spark" for block in blocks_of(page))


def has_java() -> bool:
    return bool(os.environ.get("JAVA_HOME") or shutil.which("java"))


def run_python(block: Block, page: Path, names: dict) -> str:
    """Execute a block, with line numbers of the page in its tracebacks."""
    printed = io.StringIO()
    program = compile("\n" * (block.line - 1) + block.text, name_of(page), "exec")
    with contextlib.redirect_stdout(printed):
        exec(program, names)
    return printed.getvalue()


def commands_of(block: Block) -> list[list[str]]:
    """The calls of `whenabouts` in a shell block, as arguments."""
    lines = block.text.replace("\\\n", " ").splitlines()
    words = [shlex.split(line, comments=True) for line in lines]
    return [line[1:] for line in words if line and line[0] == "whenabouts"]


def run_commands(block: Block) -> str:
    from typer.testing import CliRunner

    from whenabouts.cli import app

    printed = []
    for arguments in commands_of(block):
        result = CliRunner().invoke(app, arguments, env={"COLUMNS": COLUMNS, "NO_COLOR": "1", "TERM": "dumb"})
        assert result.exit_code == 0, f"whenabouts {shlex.join(arguments)}\n{result.output}"
        printed.append(result.stdout)
    return "".join(printed)


def tidy(text: str) -> str:
    """Without spaces at the ends of lines, and empty lines around."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n") + "\n"


def check_printed(block: Block, printed: str, page: Path) -> None:
    if block.prints is None:
        return
    wanted, got = tidy(block.prints), tidy(printed)
    same = doctest.OutputChecker().check_output(wanted, got, doctest.ELLIPSIS)
    assert same, f"{name_of(page)}, the block of line {block.line}, prints\n{got}\nbut the page says\n{wanted}"


def run_page(page: Path, with_spark: bool) -> None:
    """Run all blocks of a document, one after the other."""
    missing = [name for name in NEEDS.findall(page.read_text(encoding="utf-8")) if not (DATA / name).exists()]
    if missing:
        pytest.skip(f"{', '.join(missing)} is not there")
    names: dict = {"__name__": "__main__"}
    for block in blocks_of(page):
        if block.mark == "skip" or (block.mark == "spark" and not with_spark):
            continue
        if block.tag == "python":
            check_printed(block, run_python(block, page, names), page)
        elif block.tag == "sh" and commands_of(block):
            check_printed(block, run_commands(block), page)


@pytest.fixture
def own_folder(tmp_path, monkeypatch):
    """What a document writes stays in a folder of its own; it finds the data that is not part of the project."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WHENABOUTS_DATA", str(DATA.resolve()))
    return tmp_path


@pytest.mark.parametrize("page", GUIDES, ids=name_of)
def test_document__runs_and_prints_what_it_says(page, own_folder):
    run_page(page, with_spark=False)


@pytest.mark.spark
@pytest.mark.skipif(not has_java(), reason="Spark needs Java")
@pytest.mark.parametrize("engine", ["spark"], indirect=True)
@pytest.mark.parametrize("page", [page for page in GUIDES if needs_spark(page)], ids=name_of)
def test_document__runs_on_spark_and_prints_what_it_says(page, engine, own_folder):
    run_page(page, with_spark=True)


@pytest.mark.parametrize("page", GUIDES, ids=name_of)
def test_document__tags_every_block(page):
    assert {block.tag for block in blocks_of(page)} <= {"python", "sh", "text"}


@pytest.mark.parametrize("page", GUIDES, ids=name_of)
def test_document__asks_only_for_make_targets_that_there_are(page):
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    shell = "\n".join(block.text for block in blocks_of(page) if block.tag == "sh")
    assert set(re.findall(r"^make ([a-z]+)", shell, re.MULTILINE)) <= targets


def anchor_of(heading: str) -> str:
    """The anchor that a heading gets: small letters, hyphens for spaces, no other marks."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def leads_somewhere(link: str, page: Path) -> bool:
    """Whether a link of a document is an address, a file, or a heading that the file has."""
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    if re.match(r"[a-z]+:", link):
        return True
    return target.exists() and (not anchor or anchor in map(anchor_of, HEADING.findall(target.read_text("utf-8"))))


def links_of(page: Path) -> list[str]:
    return [one or other for one, other in LINK.findall(prose_of(page))]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_document__links_only_to_what_there_is(page):
    assert [link for link in links_of(page) if not leads_somewhere(link, page)] == []


@pytest.mark.parametrize("page", GUIDES, ids=name_of)
def test_document__names_only_source_files_that_there_are(page):
    named = re.findall(r"`((?:\w+/)+\w+\.py)`", page.read_text(encoding="utf-8"))
    assert [name for name in named if not any((home / name).is_file() for home in (ROOT, PACKAGE))] == []


def test_index__leads_to_every_page_of_the_documents():
    index = ROOT / "docs" / "index.md"
    linked = {(index.parent / link).resolve() for link in links_of(index)}
    assert {page for page in GUIDES if page.parent != ROOT} - {index} <= linked


def test_images__are_all_used():
    used = {(page.parent / link).resolve() for page in GUIDES for link in links_of(page)}
    assert set((ROOT / "docs" / "images").glob("*.png")) <= used
