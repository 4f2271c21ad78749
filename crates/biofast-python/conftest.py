"""Small files that tests and documentation read, in a folder that is made the working one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

READS = "@r1 first\nACGTACGT\n+\nIIIIIIII\n@r2\nGGCC\n+\nII!!\n@r3 third\nATATATATATCG\n+\nFFFFFFFFFFFF\n"
MORE = "@m1\nACGT\n+\nIIII\n@m2\nTTTT\n+\n####\n"
MATES = "@r1 second\nTTTTACGT\n+\nIIIIIIII\n@r2\nGGGG\n+\nIIII\n@r3\nCCCC\n+\nFFFF\n"
CUT = "@a\nACGT\n+\nIIII\n@b\nAC\n+\n"
SAM = (
    "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:chr1\tLN:1000\n@SQ\tSN:chr2\tLN:500\n@RG\tID:g\tSM:s\n"
    "a\t99\tchr1\t11\t60\t4M2I4M\t=\t101\t98\tACGTACGTAC\tIIIIIIIIII\tNM:i:2\tRG:Z:g\tXF:f:1.5\n"
    "b\t0\tchr1\t21\t20\t3S5M2D3M\t*\t0\t0\tTTTTTTTTTTT\t*\tNM:i:0\tML:B:C,1,2,255\n"
    "a\t147\tchr1\t101\t60\t8M\t=\t11\t-98\tGGGGCCCC\tFFFFFFFF\tNM:i:1\tRG:Z:g\n"
    "c\t4\t*\t0\t0\t*\t*\t0\t0\tNNAC\t!!##\n"
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the small files, which is the working one."""
    for name, text in (("reads.fq", READS), ("more.fq", MORE), ("mates.fq", MATES), ("cut.fq", CUT), ("aln.sam", SAM)):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(autouse=True)
def doctest_files(request: pytest.FixtureRequest) -> None:
    """Examples in documentation find the same files."""
    if isinstance(request.node, pytest.DoctestItem):
        import biofast

        request.getfixturevalue("folder")
        request.node.dtest.globs["biofast"] = biofast


@pytest.fixture(scope="session")
def program() -> list[str]:
    """The command line to compare with: BIOFAST names a build of it; else it is the one in the package."""
    own = os.environ.get("BIOFAST")
    return [own] if own else [sys.executable, "-m", "biofast"]


def printed(program: list[str], *words: str) -> bytes:
    """What the command line prints."""
    return subprocess.run([*program, *words], check=False, capture_output=True).stdout


def needs(tool: str) -> pytest.MarkDecorator:
    """Skips a test, and says so, where a program isn't installed."""
    return pytest.mark.skipif(shutil.which(tool) is None, reason=f"{tool} is not installed")
