"""Esper on the paper's stream with certain times: its jars by their coordinates, and a Java program that drives it.

Esper is under the GPL: nothing of it is kept here. Maven fetches it for the benchmark, which does without where there
is no Maven, no JDK or no way to get the jars.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

PROGRAM = Path(__file__).with_name("EsperMatch.java")
VERSION = "8.9.0"
_POM = """<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>benchmarks</groupId><artifactId>esper-match</artifactId><version>1</version>
  <dependencies>{0}</dependencies>
</project>
"""
_DEPENDENCY = """
    <dependency><groupId>com.espertech</groupId><artifactId>{0}</artifactId><version>{1}</version></dependency>"""


class NoEsper(Exception):
    """Why Esper cannot be measured here."""


def run_esper(count: int, runs: int, divisors: Sequence[int]) -> list[dict[str, float]]:
    """The seconds and the number of matches of every run; raises `NoEsper` where it cannot run."""
    for tool in ("mvn", "javac", "java"):
        if shutil.which(tool) is None:
            raise NoEsper(f"{tool} is not on the path")
    with tempfile.TemporaryDirectory() as folder:
        jars = _class_path(Path(folder))
        _said(["javac", "-cp", jars, "-d", folder, str(PROGRAM)], "the program does not compile")
        command = ["java", "-cp", os.pathsep.join((jars, folder)), "EsperMatch", *map(str, (count, runs, *divisors))]
        return json.loads(_said(command, "the program failed").strip().splitlines()[-1])


def _class_path(folder: Path) -> str:
    """The jars that Maven knows Esper's compiler and runtime by."""
    parts = "".join(_DEPENDENCY.format(name, VERSION) for name in ("esper-compiler", "esper-runtime"))
    (folder / "pom.xml").write_text(_POM.format(parts))
    listed = folder / "jars.txt"
    command = ["mvn", "-q", "-B", "-f", str(folder), "dependency:build-classpath", f"-Dmdep.outputFile={listed}"]
    _said(command, f"Maven could not get esper {VERSION}")
    return listed.read_text().strip()


def _said(command: list[str], failure: str) -> str:
    """What a command prints."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        words = (done.stderr or done.stdout).strip().splitlines()
        raise NoEsper(f"{failure}: {words[0][:200] if words else 'it said nothing'}")
    return done.stdout
