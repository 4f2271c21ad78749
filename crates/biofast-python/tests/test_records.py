"""Records one by one, as dnaio and pysam have them, and files that appear when they are complete."""

from __future__ import annotations

import gzip
import io
import os
import pickle
import time
import warnings
from pathlib import Path
from typing import Any

import biofast
import pytest


def test_reads_have_the_attributes_of_dnaio(folder: Path) -> None:
    dnaio = pytest.importorskip("dnaio")
    with dnaio.open("reads.fq") as expected:
        for mine, theirs in zip(biofast.open("reads.fq"), expected, strict=True):
            for name in ("name", "id", "comment", "sequence", "qualities"):
                assert getattr(mine, name) == getattr(theirs, name)
            assert mine.qualities_as_bytes() == theirs.qualities_as_bytes()
            assert mine.fastq_bytes() == theirs.fastq_bytes()
            assert (len(mine), mine[1:-1].sequence) == (len(theirs), theirs[1:-1].sequence)
            assert mine.reverse_complement().sequence == theirs.reverse_complement().sequence
            assert mine.reverse_complement().qualities == theirs.reverse_complement().qualities


def test_reads_of_ones_own(folder: Path) -> None:
    read = biofast.Read("x y", "ACGT", "IIII")
    assert (read.id, read.comment, read.name) == ("x", "y", "x y")
    assert read == biofast.Read("x y", "ACGT", "IIII") and read != biofast.Read("x y", "ACGT", "IIIJ")
    assert hash(read) == hash(read.copy())
    assert pickle.loads(pickle.dumps(read)) == read
    assert biofast.Read("f", "AC").fastq_bytes() == b">f\nAC\n"
    for name, sequence, qualities in (("a\nb", "A", "I"), ("a", "A\n", "II"), ("a", "AC", "I"), ("a", "A", " ")):
        with pytest.raises(ValueError):
            biofast.Read(name, sequence, qualities)


def test_scores_are_arrays(folder: Path) -> None:
    pytest.importorskip("numpy")
    read = next(biofast.open("reads.fq"))
    assert read.quality_scores.tolist() == [40] * 8
    assert next(biofast.open("aln.sam")).query_qualities.tolist() == [40] * 10


def test_pairs(folder: Path) -> None:
    pairs = list(biofast.open("reads.fq", "mates.fq"))
    assert [(first.id, second.comment) for first, second in pairs] == [("r1", "second"), ("r2", None), ("r3", None)]
    with biofast.writer("both.fq") as out:
        for first, second in pairs:
            out.write(first)
            out.write(second)
    assert list(biofast.open("both.fq", interleaved=True)) == pairs
    assert out.count == 6


def test_what_is_no_pair_is_an_error(folder: Path) -> None:
    with pytest.raises(biofast.FormatError, match="r1.*m1|m1.*r1"):
        list(biofast.open("reads.fq", "more.fq"))
    Path("short.fq").write_text("@r1\nA\n+\nI\n")
    for files in (("reads.fq", "short.fq"), ("short.fq", "reads.fq")):
        reading = biofast.open(*files)
        next(reading)
        with pytest.raises(biofast.FormatError, match="short.fq"):
            next(reading)
    with pytest.raises(biofast.FormatError):
        list(biofast.open("reads.fq", interleaved=True))
    with pytest.raises(ValueError):
        biofast.open("aln.sam", "reads.fq")


def test_alignments_have_the_attributes_of_pysam(folder: Path) -> None:
    pysam = pytest.importorskip("pysam")
    names = """query_name flag reference_id reference_name reference_start reference_end mapping_quality cigarstring cigartuples
        next_reference_id next_reference_name next_reference_start template_length query_sequence query_length is_paired
        is_proper_pair is_unmapped mate_is_unmapped is_reverse mate_is_reverse is_read1 is_read2 is_secondary is_qcfail
        is_duplicate is_supplementary""".split()
    with pysam.AlignmentFile("aln.sam") as expected:
        reading = biofast.open("aln.sam")
        assert tuple(reading.references) == expected.references
        assert tuple(reading.lengths) == expected.lengths
        for mine, theirs in zip(reading, expected, strict=True):
            for name in names:
                assert getattr(mine, name) == getattr(theirs, name), name
            scores = theirs.query_qualities
            assert (mine.query_qualities is None) == (scores is None)
            if scores is not None:
                assert mine.query_qualities.tolist() == list(scores)
            assert mine.get_tags(with_value_type=True) == theirs.get_tags(with_value_type=True)


def test_alignments_change(folder: Path) -> None:
    reading = biofast.open("aln.sam")
    with biofast.writer("out.sam", header=reading) as out:
        for alignment in reading:
            alignment.is_duplicate = True
            alignment.set_tag("XX", 7)
            alignment.set_tag("NM", None)
            alignment.set_tag("XT", "text")
            alignment.mapping_quality = 9
            alignment.query_name = "n" + alignment.query_name
            out.write(alignment)
    changed = list(biofast.open("out.sam"))
    assert [one.query_name for one in changed] == ["na", "nb", "na", "nc"]
    assert all(one.flag & 1024 and one.get_tag("XX") == 7 and one.get_tag("XT") == "text" for one in changed)
    assert not any(one.has_tag("NM") for one in changed)
    with pytest.raises(KeyError):
        changed[0].get_tag("NM")
    with pytest.raises(ValueError):
        changed[0].set_tag("XXX", 1)
    assert pickle.loads(pickle.dumps(changed[0])) == changed[0]


def test_sorted_alignments_are_written_with_their_index(folder: Path) -> None:
    reading = biofast.open("aln.sam")
    with biofast.writer("out.bam", header=reading, index=True) as out:
        for alignment in reading:
            out.write(alignment)
    assert [one.reference_start for one in biofast.open("out.bam", region="chr1:95-200")] == [100]
    assert Path("out.bam.bai").exists()


def test_filters_and_regions_of_records(folder: Path) -> None:
    assert [one.query_name for one in biofast.open("aln.sam", filter="flag.unmap")] == ["c"]
    assert [one.query_name for one in biofast.open("aln.sam", region="chr1:20-30")] == ["b"]
    with pytest.raises(ValueError, match="alignments"):
        biofast.open("reads.fq", filter="mapq > 1")


def test_a_cut_file_raises_after_the_records_before_it(folder: Path) -> None:
    reading = biofast.open("cut.fq")
    assert next(reading).id == "a"
    with pytest.raises(biofast.FormatError) as caught:
        next(reading)
    assert (caught.value.record, caught.value.line) == (2, 8)
    with pytest.raises(StopIteration):
        next(reading)


def test_a_writer_leaves_nothing_after_an_exception(folder: Path) -> None:
    before = set(folder.iterdir())
    for names, options in ((("a.fq.gz", "b.fq.gz"), {}), (("a.bam",), {"header": "@SQ\tSN:c\tLN:9\n"})):
        with pytest.raises(KeyError), biofast.writer(*names, **options):  # type: ignore[arg-type]
            raise KeyError
    with pytest.raises(biofast.UsageError):
        biofast.writer("same.fq", "same.fq")
    reading = biofast.open("reads.fq")
    for _ in range(2):
        with pytest.raises(biofast.UsageError, match="reads.fq is being read"):
            biofast.writer(folder / "reads.fq")
    del reading
    biofast.writer("reads.fq").abandon()
    assert set(folder.iterdir()) == before


def test_writers_compress_by_name_and_check_what_they_are_given(folder: Path) -> None:
    read = biofast.Read("x", "ACGT", "IIII")
    with biofast.writer("x.fq.gz", level=9) as out:
        out.write(read)
    assert gzip.decompress(Path("x.fq.gz").read_bytes()) == read.fastq_bytes()
    with biofast.writer("1.fq", "2.fq") as out:
        out.write(read, read)
        with pytest.raises(ValueError, match="2 files"):
            out.write(read)
        with pytest.raises(ValueError, match="qualities"):
            out.write(biofast.Read("x", "A"), read)
    assert out.count == 1
    with pytest.raises(ValueError, match="closed"):
        out.write(read, read)
    with pytest.raises(ValueError, match="header"):
        biofast.writer("x.bam")
    with pytest.raises(FileNotFoundError):
        biofast.writer("no folder/x.fq")


def test_handles_refuse_to_be_pickled(folder: Path) -> None:
    handles: list[Any] = [biofast.open("reads.fq"), biofast.open("aln.sam"), biofast.writer("w.fq")]
    for handle in handles:
        with pytest.raises(TypeError, match="can't be pickled"):
            pickle.dumps(handle)


def test_file_objects(folder: Path) -> None:
    with open("reads.fq", "rb") as file:
        assert [read.id for read in biofast.open(file)] == ["r1", "r2", "r3"]
    sam = io.BytesIO(Path("aln.sam").read_bytes())
    assert [one.query_name for one in biofast.open(sam, region="chr1:20-30")] == ["b"]
    with gzip.open("x.fq.gz", "wb") as out:
        out.write(Path("reads.fq").read_bytes())
    with gzip.open("x.fq.gz") as plain, open("x.fq.gz", "rb") as stored:
        assert list(biofast.open(plain)) == list(biofast.open(stored))


def test_readings_close(folder: Path) -> None:
    with biofast.open("reads.fq") as reading:
        next(reading)
    assert list(reading) == []
    with biofast.open("aln.sam") as reading:
        next(reading)
    assert list(reading) == []


def test_the_name_of_a_file_says_its_format(folder: Path) -> None:
    with biofast.writer("short.fa") as out:
        for read in biofast.open("reads.fq"):
            out.write(read)
    assert Path("short.fa").read_text().startswith(">r1")
    for name in ("x.fq.xz", "x.cram", "x.bam", "x.sam.gz"):
        with pytest.raises(ValueError):
            biofast.writer(name)
        assert not Path(name).exists()
    for name in ("x.fq.gz", "x.bam.xz"):
        with pytest.raises(ValueError):
            biofast.writer(name, header=biofast.open("aln.sam"))
    with pytest.raises(ValueError, match="no qualities"), biofast.writer("x.fq") as out:
        out.write(biofast.Read("a", "ACGT"))
    assert not Path("x.fq").exists()


def test_records_do_not_change_their_reference(folder: Path) -> None:
    reading = biofast.open("aln.sam")
    other = "@SQ\tSN:other\tLN:500\n@SQ\tSN:chr1\tLN:1000\n"
    with pytest.raises(ValueError, match="other references"), biofast.writer("out.bam", header=other) as out:
        out.write(next(reading))
    assert not Path("out.bam").exists()
    # The same references under another text are fine.
    with biofast.writer("out.bam", header=reading.text + "@CO\tmore\n") as out:
        for alignment in reading:
            out.write(alignment)
    assert out.count == 3


def test_what_check_would_fault_is_not_assigned(folder: Path) -> None:
    alignment = next(biofast.open("aln.sam"))
    for name in ("a b", "@a", "caf\u00e9", "a\tb", "n" * 255):
        with pytest.raises(ValueError):
            alignment.query_name = name
    for value in (float("inf"), float("nan"), 1e39, "a\tb", "caf\u00e9", 1 << 40):
        with pytest.raises(ValueError):
            alignment.set_tag("XX", value)
    assert not alignment.has_tag("XX")
    Path("a.sam").write_text("@HD\tVN:1.6\nr\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\tXA:A:x\n")
    one = next(biofast.open("a.sam"))
    one.set_tag("XA", "y")
    with biofast.writer("b.sam", header="@HD\tVN:1.6\n") as out:
        out.write(one)
    assert "XA:A:y" in Path("b.sam").read_text()
    copy = one.copy()
    copy.set_tag("XA", "z")
    assert (one.get_tag("XA"), copy.get_tag("XA")) == ("y", "z")


def test_many_pickled_alignments_have_one_header(folder: Path) -> None:
    text = "@HD\tVN:1.6\n" + "".join(f"@SQ\tSN:contig_{n}\tLN:1000\n" for n in range(3000))
    record = "r{}\t0\tcontig_7\t5\t60\t4M\t*\t0\t0\tACGT\tIIII\n"
    Path("many.sam").write_text(text + "".join(record.format(n) for n in range(500)))
    alignments = list(biofast.open("many.sam"))
    pickled = pickle.dumps(alignments)
    assert len(pickled) < 2 * len(text) + 500 * 300
    restored = pickle.loads(pickled)
    assert restored == alignments and restored[499].reference_name == "contig_7"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked on Unix")
def test_a_reading_or_writer_of_the_parent_is_refused_in_a_child(folder: Path) -> None:
    reading = biofast.open("reads.fq")
    first = next(reading).id
    out = biofast.writer("out.fq")
    with warnings.catch_warnings():
        # Threads run beside the fork, which is what this is about.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        code = 1
        try:
            for attempt in (lambda: list(reading), lambda: out.write(biofast.Read("a", "A", "I")), out.close):
                try:
                    attempt()
                except RuntimeError as error:
                    assert "fork" in str(error)
                else:
                    os._exit(2)
            # What is opened in the child works there.
            code = 0 if next(biofast.open("reads.fq")).id == first else 3
        finally:
            os._exit(code)
    for _ in range(200):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            break
        time.sleep(0.05)
    else:
        os.kill(pid, 9)
        pytest.fail("the child hangs")
    assert os.waitstatus_to_exitcode(status) == 0
    assert [read.id for read in reading] == ["r2", "r3"]
    out.write(biofast.Read("a", "A", "I"))
    out.close()
    assert Path("out.fq").read_text() == "@a\nA\n+\nI\n"
