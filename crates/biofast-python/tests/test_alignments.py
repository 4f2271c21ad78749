"""Alignments made and changed, and what follows from their fields: all as in pysam."""

from __future__ import annotations

import array
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import biofast

HEADER = "@HD\tVN:1.6\n@SQ\tSN:chr1\tLN:100000\n@SQ\tSN:chr2\tLN:5000\n"
DERIVED = [
    "reference_name", "reference_end", "reference_length", "query_length", "query_alignment_start", "query_alignment_end",
    "query_alignment_length", "query_alignment_sequence", "next_reference_name", "is_mapped", "is_forward", "mate_is_mapped",
    "mate_is_forward", "cigarstring", "cigartuples", "query_sequence", "query_qualities_str",
]  # fmt: skip


def md_of(chance: random.Random, cigar: list[tuple[int, int]], bases: str) -> str:
    """An MD that fits: of matches, mismatches and deletions."""
    md, same, at = "", 0, 0
    for op, length in cigar:
        if op in (0, 7, 8):
            for base in bases[at : at + length]:
                if chance.random() < 0.2:
                    md, same = f"{md}{same}{'ACGT'.replace(base, '')[0]}", 0
                else:
                    same += 1
        elif op == 2:
            md, same = f"{md}{same}^{''.join(chance.choices('ACGT', k=length))}", 0
        at += length if op in (0, 1, 4, 7, 8) else 0
    return f"{md}{same}"


def fields_of(chance: random.Random) -> dict[str, Any]:
    inner = [(chance.choice([0, 0, 1, 2, 3, 7, 8]), chance.randint(1, 6)) for _ in range(chance.randint(0, 5))]
    # Two bases at least: of one, pysam 0.24 makes its text in Python's own one-byte object, which is another byte from then on.
    cigar = [(0, chance.randint(2, 9)), *inner, (0, chance.randint(1, 9))]
    cigar = [one for at, one in enumerate(cigar) if at == 0 or one[0] != cigar[at - 1][0]]
    if chance.random() < 0.5:
        cigar = [(4, chance.randint(1, 5)), *cigar]
    if chance.random() < 0.3:
        cigar = [(5, 3), *cigar]
    if chance.random() < 0.5:
        cigar = [*cigar, (4, chance.randint(1, 5))]
    mapped = chance.random() < 0.9
    length = sum(n for op, n in cigar if op in (0, 1, 4, 7, 8))
    bases = "".join(chance.choices("ACGT", k=length))
    return {
        "query_name": f"r{chance.randint(0, 99)}",
        "flag": (0 if mapped else 4) | chance.choice([0, 16, 1 | 64 | 32, 1 | 128 | 8, 1 | 16 | 64]),
        "reference_name": chance.choice(["chr1", "chr2"]) if mapped else None,
        "reference_start": chance.randint(0, 4000) if mapped else -1,
        "mapping_quality": chance.randint(0, 60),
        "cigartuples": cigar if mapped else None,
        "next_reference_name": chance.choice(["chr1", None]),
        "next_reference_start": 77,
        "template_length": chance.randint(-500, 500),
        "query_sequence": bases,
        "query_qualities": array.array("B", chance.choices(range(2, 41), k=length)),
        "MD": md_of(chance, cigar, bases),
    }


def made(kind: Callable[[Any], Any], header: Any, fields: dict[str, Any]) -> Any:
    one = kind(header)
    # Whatever comes first: fields that don't fit each other yet are no error.
    for name, value in fields.items():
        if name == "next_reference_start" and fields["next_reference_name"] is None:
            continue
        if name != "MD":
            setattr(one, name, value)
    one.set_tag("MD", fields["MD"])
    one.set_tag("NM", 3)
    one.set_tag("XA", "c", value_type="A")
    one.set_tag("XF", 1.5)
    one.set_tag("XI", -70000)
    one.set_tag("XB", array.array("h", [-3, 300]))
    one.set_tag("XL", [1.5, 2])
    one.set_tag("XU", array.array("I", [1, 4_000_000_000]))
    return one


@pytest.fixture
def pysam() -> Any:
    return pytest.importorskip("pysam")


def test_made_alignments_are_those_of_pysam(tmp_path: Path, pysam: Any) -> None:
    chance = random.Random(3)
    theirs_header = pysam.AlignmentHeader.from_text(HEADER)
    path = tmp_path / "made.bam"
    with biofast.writer(path, header=HEADER) as out:
        all_theirs = []
        for _ in range(400):
            fields = fields_of(chance)
            mine = made(biofast.AlignedSegment, HEADER, fields)
            theirs = made(pysam.AlignedSegment, theirs_header, fields)
            assert mine.to_string() == theirs.to_string()
            assert [(*tag[:2], tag[2]) for tag in mine.get_tags(with_value_type=True)] == [
                tuple(tag) for tag in theirs.get_tags(with_value_type=True)
            ]
            compare(mine, theirs)
            out.write(mine)
            all_theirs.append(theirs.to_string())
    with pysam.AlignmentFile(path) as file:
        assert [one.to_string() for one in file] == all_theirs


def compare(mine: Any, theirs: Any) -> None:
    for name in DERIVED:
        assert getattr(mine, name) == getattr(theirs, name), name
    for name in ("query_alignment_qualities", "query_qualities"):
        assert list(getattr(mine, name)) == list(getattr(theirs, name)), name
    assert mine.get_forward_sequence() == theirs.get_forward_sequence()
    assert list(mine.get_forward_qualities()) == list(theirs.get_forward_qualities())
    assert mine.infer_query_length() == theirs.infer_query_length()
    assert mine.infer_read_length() == theirs.infer_read_length()
    if theirs.is_unmapped:
        return
    for full in (False, True):
        assert mine.get_reference_positions(full_length=full) == theirs.get_reference_positions(full_length=full)
    for matches in (False, True):
        for seq in (False, True):
            for cigar in (False, True):
                words = {"matches_only": matches, "with_seq": seq, "with_cigar": cigar}
                assert mine.get_aligned_pairs(**words) == theirs.get_aligned_pairs(**words), words
    assert mine.get_blocks() == theirs.get_blocks()
    start = theirs.reference_start
    assert mine.get_overlap(start + 3, start + 12) == theirs.get_overlap(start + 3, start + 12)
    assert [list(part) for part in theirs.get_cigar_stats()] == mine.get_cigar_stats()
    assert mine.get_reference_sequence() == theirs.get_reference_sequence()


def test_modified_bases_are_those_of_pysam(pysam: Any) -> None:
    chance = random.Random(4)
    theirs_header = pysam.AlignmentHeader.from_text(HEADER)
    for _ in range(300):
        bases = "".join(chance.choices("ACGT", k=chance.randint(5, 60)))
        reverse = chance.random() < 0.5
        sequenced = bases.translate(str.maketrans("ACGT", "TGCA"))[::-1] if reverse else bases
        lists, probabilities = "", []
        for what in chance.sample(["C+m?", "C+mh.", "A+a", "G-m", "T+17802", "N+b?"], k=2):
            places = len(sequenced) if what[0] == "N" else sequenced.count(what[0])
            chosen = sorted(chance.sample(range(places), k=chance.randint(0, places)))
            skips = [at - before - 1 for before, at in zip([-1, *chosen], chosen, strict=False)]
            lists += what + "".join(f",{skip}" for skip in skips) + ";"
            probabilities += chance.choices(range(256), k=len(chosen) * (2 if "mh" in what else 1))
        found = []
        for kind, header in ((biofast.AlignedSegment, HEADER), (pysam.AlignedSegment, theirs_header)):
            one: Any = kind(header)
            one.query_name, one.flag, one.query_sequence = "r", 20 if reverse else 4, bases
            one.set_tag("MM", lists)
            if probabilities:
                one.set_tag("ML", array.array("B", probabilities))
            found.append((one.modified_bases, one.modified_bases_forward))
        assert found[0] == found[1], (lists, bases, reverse)


def test_what_contradicts_itself_isn_t_written(tmp_path: Path) -> None:
    one = biofast.AlignedSegment(HEADER)
    one.query_name, one.query_sequence, one.flag = "r", "ACGT", 0
    one.reference_name, one.reference_start, one.cigarstring = "chr1", 5, "3M"
    with pytest.raises(ValueError, match="covers 3 bases, but the sequence has 4"):
        with biofast.writer(tmp_path / "x.bam", header=HEADER) as out:
            out.write(one)
    assert not (tmp_path / "x.bam").exists()
    one.cigarstring = "4M"
    one.query_qualities = [30, 31, 32, 33]
    with biofast.writer(tmp_path / "x.bam", header=HEADER) as out:
        out.write(one.copy())
    biofast.check(tmp_path / "x.bam")  # raises at a fault
    for name, value in (
        ("reference_name", "chr9"), ("reference_id", 2), ("cigarstring", "4Y"), ("cigartuples", [(9, 4)]), ("query_sequence", "AC-T"),
        ("query_qualities", [1]), ("query_qualities", [94] * 4), ("query_qualities_str", "III\t"), ("reference_start", -2),
    ):  # fmt: skip
        before = one.to_string()
        with pytest.raises(ValueError):
            setattr(one, name, value)
        assert one.to_string() == before, name
    for value, kind in (("ab", "A"), (300, "C"), ([1, 2], "Z"), (2**32, None), ("x", "i"), ("\n", None)):
        with pytest.raises((ValueError, TypeError)):
            one.set_tag("XX", value, value_type=kind)  # type: ignore[arg-type]
    one.set_tags([("RG", "a"), ("XX", 5, "f")])
    assert one.get_tags(with_value_type=True) == [("RG", "a", "Z"), ("XX", 5.0, "f")]
    with pytest.raises(ValueError, match="MD tag not present"):
        one.get_reference_sequence()
    one.set_tag("MD", "3")
    with pytest.raises(ValueError, match="MD doesn't fit"):
        one.get_aligned_pairs(with_seq=True)
    one.query_sequence = "GGGG"
    assert one.query_qualities is None


def test_cram_is_written_with_its_reference(tmp_path: Path, pysam: Any) -> None:
    bases = "ACGT" * 50
    (tmp_path / "ref.fa").write_text(f">c\n{bases}\n")
    header = "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c\tLN:200\n"
    path = tmp_path / "x.cram"
    with pytest.raises(biofast.Error, match="reference"):
        biofast.writer(path, header=header)
    with biofast.writer(path, header=header, reference=tmp_path / "ref.fa", index=True) as out:
        for start in range(0, 100, 7):
            one = biofast.AlignedSegment(header)
            one.query_name, one.flag, one.reference_name, one.reference_start = f"r{start}", 0, "c", start
            one.query_sequence, one.cigarstring = bases[start : start + 30], "30M"
            out.write(one)
    assert Path(f"{path}.crai").exists()
    mine = [one.to_string().split("\tMD:")[0] for one in biofast.open(path, reference=tmp_path / "ref.fa")]
    with pysam.AlignmentFile(path, reference_filename=str(tmp_path / "ref.fa")) as file:
        assert [one.to_string().split("\tMD:")[0] for one in file] == mine
    assert len(mine) == out.count == 15
    with pytest.raises(ValueError, match="only"):
        biofast.writer(tmp_path / "x.bam", header=header, reference=tmp_path / "ref.fa")


def test_pileups_are_those_of_pysam(tmp_path: Path, pysam: Any) -> None:
    chance = random.Random(5)
    header = "@HD\tVN:1.6\tSO:coordinate\n" + HEADER.split("\n", 1)[1]
    records = []
    for _ in range(600):
        fields = fields_of(chance)
        if fields["reference_name"] is not None:
            fields["reference_start"] %= 300
            fields["flag"] |= chance.choice([0, 0, 0, 256, 512, 1024])
            records.append(made(biofast.AlignedSegment, header, fields))
    records.sort(key=lambda one: (one.reference_id, one.reference_start))
    path = tmp_path / "x.bam"
    with biofast.writer(path, header=header, index=True) as out:
        for one in records:
            out.write(one)
    with pysam.AlignmentFile(path) as file:
        for contig, start, stop in (("chr1", 0, 400), ("chr2", 50, 51), ("chr2", 120, 250), ("chr1", 4000, 4010)):
            for quality in (0, 15):
                theirs = file.count_coverage(contig, start, stop, quality_threshold=quality)
                found = biofast.pileup(path, contig, start, stop, min_base_quality=quality)
                assert [found[base].tolist() for base in "ACGT"] == [list(counts) for counts in theirs]
                assert found["depth"].tolist() == [sum(at) for at in zip(*theirs, strict=True)]
            deleted = [0] * (stop - start)
            for one in file.fetch(contig, start, stop):
                if not one.flag & 0x704:
                    for _, at, op in one.get_aligned_pairs(with_cigar=True):
                        if op == 2 and start <= at < stop:
                            deleted[at - start] += 1
            assert found["deletion"].tolist() == deleted
    assert len(biofast.pileup(path, "chr2")["N"]) == 5000
    assert len(biofast.pileup(path, "chr2", 7, 7)["A"]) == 0
    for bad in (("chr9", 0, 5), ("chr1", 9, 3)):
        with pytest.raises(biofast.UsageError):
            biofast.pileup(path, *bad)


def test_alignments_are_made_of_lines_of_sam(folder: Path) -> None:
    with biofast.open("aln.sam") as file:
        for one in file:
            for header in (file, file.text):
                again = biofast.AlignedSegment.fromstring(one.to_string(), header)
                assert again.to_string() == one.to_string() and again == one
        with biofast.writer("again.bam", header=file) as out:
            out.write(biofast.AlignedSegment.fromstring("x\t0\tchr2\t5\t9\t4M\t*\t0\t0\tACGT\tIIII\tNM:i:1\n", file))
        assert next(biofast.open("again.bam")).reference_name == "chr2"
        for line, why in (("", "one line"), ("@HD\tVN:1.6", "one line"), ("a\t4\n" * 2, "one line"), ("a\t4", ""), ("x\t0\tchr9\t5\t9\t4M\t*\t0\t0\tACGT\tIIII", "chr9")):
            with pytest.raises(ValueError, match=why):
                biofast.AlignedSegment.fromstring(line, file)
