"""Code as people write it, which mypy and pyright check and nobody runs."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, assert_type

import biofast


def whole_files(path: Path) -> None:
    assert_type(biofast.stats([path, "r.fq"], paired=True), biofast.Report)
    assert_type(biofast.stats(io.BytesIO()).files, list[biofast.Figures])
    assert_type(biofast.check(path).ok, bool)
    assert_type(biofast.idxstats("a.bam")[0].mapped, int)
    with open(path, "rb") as file, gzip.open(path) as unpacked:
        assert_type(biofast.filter([file, unpacked], path, out2="2.fq"), biofast.Result)
    assert_type(biofast.markdup("a.bam", path, rule="picard"), biofast.Result)
    assert_type(biofast.cat([path, path], "all.bam"), biofast.Result)
    assert_type(biofast.depth(path), list[tuple[str | int, ...]])
    assert_type(biofast.faidx("x.fa", "chr1:1-9"), str)
    assert_type(biofast.dict("x.fa"), str)
    biofast.retag(path, "b.bam", remove_tag="NM")
    biofast.filter(path, "o.fq", min_len=3, adapter=["ACGT", "AGCT"], cut_tail=True, level="fast")
    # Options that are misspelt, or of another kind.
    biofast.filter(path, "o.fq", min_leng=3)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    biofast.filter(path, "o.fq", max_n="three")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    biofast.markdup(path, "o.bam", rule="picrad")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    with open(path) as text:
        biofast.scan(text)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def batches(path: Path) -> Iterator[int]:
    scan = biofast.scan(path, columns=["name"], progress=print)
    for batch in scan:
        assert_type(batch, biofast.Batch)
        yield len(batch)
    assert_type(scan.shards(), list[biofast.Scan])


def records(read: biofast.Read, alignment: biofast.AlignedSegment) -> None:
    assert_type(read[1:].reverse_complement(), biofast.Read)
    assert_type(read.qualities, "str | None")
    alignment.is_duplicate = True
    assert_type(alignment.cigartuples, "list[tuple[int, int]] | None")
    with biofast.writer("o.fq.gz", level=9) as out:
        out.write(read)
    assert_type(out.count, "int | None")


def errors() -> Any:
    try:
        return biofast.flagstat("a.bam")
    except biofast.FormatError as error:
        assert_type(error.line, "int | None")
        return error.hint
