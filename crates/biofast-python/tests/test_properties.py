"""Whatever records there are: what dnaio and pysam read of them is what comes out, in every way of reading and writing."""

from __future__ import annotations

import string
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import biofast
import pytest

pytest.importorskip("hypothesis")
pa = pytest.importorskip("pyarrow")

from hypothesis import given, settings, strategies as st  # noqa: E402

words = st.text("".join(sorted(set(string.printable) - set(string.whitespace))), min_size=1, max_size=20)
few = settings(max_examples=40, deadline=None)


@st.composite
def reads(draw: st.DrawFn) -> list[tuple[str, str, str]]:
    """Names, bases and qualities."""
    found = []
    for _ in range(draw(st.integers(0, 30))):
        bases = draw(st.text("ACGTNacgtn", max_size=60))
        qualities = draw(st.text([chr(byte) for byte in range(33, 127)], min_size=len(bases), max_size=len(bases)))
        name = draw(words) + draw(st.one_of(st.just(""), words.map(lambda word: " " + word)))
        found.append((name, bases, qualities))
    return found


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@few
@given(reads(), st.sampled_from(["", ".gz", ".zst"]), st.integers(1, 3), st.integers(1, 40))
def test_reads_are_those_of_dnaio(place: Path, given_reads: list[tuple[str, str, str]], ending: str, threads: int, size: int) -> None:
    dnaio = pytest.importorskip("dnaio")
    written = place / f"reads.fq{ending}"
    with biofast.writer(written, threads=threads) as out:
        for read in given_reads:
            out.write(biofast.Read(*read))
    if not given_reads:
        return
    mine = list(biofast.open(written, threads=threads))
    assert [(read.name, read.sequence, read.qualities) for read in mine] == given_reads
    batches = biofast.scan(written, columns=["definition", "sequence", "qualities"], batch_size=size, threads=threads)
    rows = [tuple(row.values()) for row in pa.table(batches).to_pylist()]
    assert rows == [(name, bases.encode(), qualities.encode()) for name, bases, qualities in given_reads]
    if ending != ".zst":
        with dnaio.open(written) as theirs:
            assert [(read.name, read.sequence, read.qualities) for read in theirs] == given_reads
    report = biofast.stats(written, threads=threads)
    assert (report.reads, report.bases) == (len(given_reads), sum(len(read[1]) for read in given_reads))


@st.composite
def alignments(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Records for pysam."""
    found = []
    for _ in range(draw(st.integers(0, 20))):
        mapped = draw(st.booleans())
        ops = draw(st.lists(st.tuples(st.sampled_from([0, 1, 2, 3, 7, 8]), st.integers(1, 9)), min_size=1, max_size=5))
        length = sum(n for op, n in ops if op in (0, 1, 7, 8)) if mapped else draw(st.integers(0, 20))
        missing = draw(st.booleans())
        tags: list[tuple[str, Any]] = []
        if draw(st.booleans()):
            tags.append(("NM", draw(st.integers(-(2**31), 2**31 - 1))))
        if draw(st.booleans()):
            tags.append(("RG", draw(words)))
        if draw(st.booleans()):
            tags.append(("XF", draw(st.floats(width=32, allow_nan=False))))
        found.append(
            {
                "query_name": draw(words.map(lambda word: word.replace("@", "a").replace("*", "b"))),
                "flag": (0 if mapped else 4) | draw(st.sampled_from([0, 16, 1 | 64, 1 | 128, 1024])),
                "reference_id": draw(st.integers(0, 1)) if mapped else -1,
                "reference_start": draw(st.integers(0, 900)) if mapped else -1,
                "mapping_quality": draw(st.integers(0, 255)),
                "cigartuples": ops if mapped and length else None,
                "query_sequence": draw(st.text("ACGTN", min_size=length, max_size=length)) or None,
                "qualities": None if missing or not length else draw(st.lists(st.integers(0, 93), min_size=length, max_size=length)),
                "tags": tags,
            }
        )
    return found


@few
@given(alignments(), st.integers(1, 3))
def test_alignments_are_those_of_pysam(place: Path, records: list[dict[str, Any]], threads: int) -> None:
    pysam = pytest.importorskip("pysam")
    header = pysam.AlignmentHeader.from_references(["chr1", "chr2"], [1000, 2000])
    path = place / "in.bam"
    with pysam.AlignmentFile(path, "wb", header=header) as out:
        for record in records:
            made = pysam.AlignedSegment(header)
            for name in ("query_name", "flag", "reference_id", "reference_start", "mapping_quality", "cigartuples", "query_sequence"):
                setattr(made, name, record[name])
            if record["qualities"] is not None:
                made.query_qualities = record["qualities"]
            made.set_tags(record["tags"])
            out.write(made)
    with pysam.AlignmentFile(path, check_sq=False) as file:
        theirs = list(file)
    reading = biofast.open(path, threads=threads)
    mine = list(reading)
    copy = place / "copy.bam"
    with biofast.writer(copy, header=reading, threads=threads) as out:
        for one in mine:
            out.write(one)
    with pysam.AlignmentFile(copy, check_sq=False) as file:
        assert [one.to_string() for one in file] == [one.to_string() for one in theirs]
    table = pa.table(biofast.scan(path, columns=["name", "flag", "reference", "start", "end", "cigarstring", "sequence", "NM", "RG", "XF:f"]))
    assert table.num_rows == len(mine) == len(theirs)
    for one, other, row in zip(mine, theirs, table.to_pylist(), strict=True):
        assert dict(one.get_tags()) == dict(other.get_tags())
        assert one.cigartuples == other.cigartuples
        start = other.reference_start
        assert row == {
            "name": other.query_name,
            "flag": other.flag,
            "reference": other.reference_name,
            "start": start if start >= 0 else None,
            "end": other.reference_end,
            "cigarstring": other.cigarstring,
            "sequence": other.query_sequence.encode() if other.query_sequence else None,
            "NM": other.get_tag("NM") if other.has_tag("NM") else None,
            "RG": other.get_tag("RG") if other.has_tag("RG") else None,
            "XF:f": other.get_tag("XF") if other.has_tag("XF") else None,
        }


@few
@given(reads().filter(bool), st.data())
def test_a_cut_file_never_gives_less_without_an_error(place: Path, given_reads: list[tuple[str, str, str]], data: st.DataObject) -> None:
    text = b"".join(biofast.Read(*read).fastq_bytes() for read in given_reads)
    cut = data.draw(st.integers(0, len(text) - 1))
    path = place / "cut.fq"
    path.write_bytes(text[:cut])
    seen = []
    error = None
    try:
        for read in biofast.open(path):
            seen.append((read.name, read.sequence, read.qualities))
    except biofast.Error as caught:
        error = caught
    assert seen == given_reads[: len(seen)]
    if error is None:
        # Only a cut behind a record, or before its last line feed, leaves whole records; of a read without bases the last line is empty.
        kept = sum(len(biofast.Read(*read).fastq_bytes()) for read in given_reads[: len(seen)])
        assert kept - (1 if seen and seen[-1][1] else 2) <= cut <= kept
    else:
        assert isinstance(error, biofast.FormatError)
