"""Larger data, where the laboratory's sample is there: counts of the command line, dnaio and pysam agree; memory doesn't grow with the file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import biofast
import pytest

SAMPLE = Path(__file__).resolve().parents[3] / "datasets" / "sample_R1.fq.bgz"
pytestmark = pytest.mark.skipif(not SAMPLE.exists(), reason="datasets/ is not in this archive")


def test_reads_of_the_sample_are_those_of_dnaio() -> None:
    dnaio = pytest.importorskip("dnaio")
    mate = SAMPLE.with_name("sample_R2.fq.bgz")
    report = biofast.stats([SAMPLE, mate], paired=True)
    with dnaio.open(SAMPLE, mate) as theirs:
        pairs = 0
        for mine, other in zip(biofast.open(SAMPLE, mate), theirs, strict=True):
            assert [(r.name, r.sequence, r.qualities) for r in mine] == [(r.name, r.sequence, r.qualities) for r in other]
            pairs += 1
    assert [file.reads for file in report.files] == [pairs, pairs]


@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured on Linux")
@pytest.mark.parametrize("way", ["for batch in biofast.scan(path): pass", "for read in biofast.open(path): pass", "biofast.stats(path)"])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, way: str) -> None:
    block = SAMPLE.read_bytes()
    peaks = []
    for times in (60, 180):
        path = tmp_path / f"{times}.fq.gz"
        path.write_bytes(block * times)
        code = f"import biofast\npath = {str(path)!r}\n{way}\nprint(*open('/proc/self/status'))"
        done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
        # Not ru_maxrss, which has what the parent took before.
        peak = next(line for line in done.stdout.splitlines() if "VmHWM" in line)
        peaks.append(int(peak.split()[1]))
    # Between them lie 107 MB of text.
    assert peaks[1] < peaks[0] + 16_000, peaks
