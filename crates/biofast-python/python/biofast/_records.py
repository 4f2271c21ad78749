"""Records one by one."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

from . import _biofast
from ._errors import UsageError
from ._inputs import Input, opened, path_of
from ._scan import given


def open(
    input: Input,
    input2: Input | None = None,
    *,
    interleaved: bool = False,
    region: str | Sequence[str] | None = None,
    filter: str | None = None,
    threads: int | None = None,
    reference: str | os.PathLike[str] | None = None,
    allow_missing_eof: bool = False,
    strict: bool = False,
    progress: Callable[[int], object] | None = None,
) -> Any:
    """Iterates over the records of FASTQ, FASTA, BAM, SAM or CRAM, recognised by content, in any container.

    >>> [(read.id, len(read), read.qualities[:2]) for read in biofast.open("reads.fq")]
    [('r1', 8, 'II'), ('r2', 4, 'II'), ('r3', 12, 'FF')]
    >>> [(first.sequence[:4], second.sequence[:4]) for first, second in biofast.open("reads.fq", "mates.fq")][0]
    ('ACGT', 'TTTT')
    >>> [alignment.query_name for alignment in biofast.open("aln.sam", filter="mapq >= 30")]
    ['a', 'a']

    Reads are :class:`Read`, with the attributes of dnaio's; alignments are :class:`AlignedSegment`, with those of pysam's. With two
    inputs, or ``interleaved``, pairs come as tuples, whose names must agree. Paths and binary file objects are taken.
    """
    regions = [region] if isinstance(region, str) else list(region or [])
    inputs = [opened(input)] if input2 is None else [opened(input), opened(input2)]
    if input2 is input and not isinstance(inputs[0], str):
        raise UsageError(f"{_biofast.object_name(input)} can't be both mates: interleaved=True reads pairs from one")
    options: dict[str, Any] = {
        "interleaved": interleaved,
        "region": regions,
        "filter": filter,
        "threads": threads,
        "reference": reference,
        "allow_missing_eof": allow_missing_eof,
        "strict": strict,
        "progress": progress,
    }
    return _biofast.open(inputs, **given(options))


def pileup(
    path: str | os.PathLike[str],
    contig: str,
    start: int = 0,
    stop: int | None = None,
    *,
    min_base_quality: int = 0,
    min_mapping_quality: int = 0,
    exclude_flags: int = 0x704,
    filter: str | None = None,
    threads: int | None = None,
    reference: str | os.PathLike[str] | None = None,
) -> dict[str, Any]:
    """What lies at each position of a reference from ``start`` to before ``stop``, counted from 0: numpy arrays by name.

    >>> found = biofast.pileup("aln.sam", "chr1", 10, 14)
    >>> found["depth"].tolist(), found["A"].tolist()
    ([1, 1, 1, 1], [1, 0, 0, 0])

    ``A``, ``C``, ``G``, ``T``, ``N`` (all other letters) and ``deletion`` are alignments that have it there; ``depth`` is the sum of the
    letters. Unmapped, secondary and duplicate alignments and those that failed quality checks don't count (``exclude_flags``), nor do bases
    below ``min_base_quality``; mates that overlap count twice. It needs 28 bytes of memory for each position.
    """
    import numpy

    path = path_of(path, "the header is read first, then the region")
    with open(path, filter=filter, threads=threads, reference=reference) as whole:
        if not isinstance(whole, _biofast.Alignments):
            raise UsageError("a pileup is of alignments")
        lengths = dict(zip(whole.references, whole.lengths, strict=True))
    if contig not in lengths:
        raise UsageError(f"the header has no reference {contig!r}")
    stop = lengths[contig] if stop is None else min(stop, lengths[contig])
    if not 0 <= start <= stop:
        raise UsageError(f"positions from {start} to {stop} aren't on {contig}, which has {lengths[contig]}")
    region = f"{{{contig}}}:{start + 1}-{max(stop, start + 1)}"
    with open(path, region=region, filter=filter, threads=threads, reference=reference) as reading:
        counts = reading._pileup(contig, start, stop, min_base_quality, min_mapping_quality, exclude_flags)
    names = ("A", "C", "G", "T", "N", "deletion")
    found = {name: numpy.frombuffer(bytes, numpy.uint32) for name, bytes in zip(names, counts, strict=True)}
    return {"depth": sum(found[name] for name in names[:5]), **found}


class Writer:
    """What :func:`writer` returns. The files appear at the end of the ``with``, complete; after an exception there are none."""

    def __init__(self, native: _biofast.ReadWriter | _biofast.AlignmentWriter) -> None:
        self._native = native
        #: Reads, pairs or alignments written, once it is closed.
        self.count: int | None = None
        #: Writes a read, a pair (``write(first, second)``) or an alignment.
        self.write: Callable[..., None] = native.write

    def close(self) -> None:
        """Completes the files, which appear under their names, all together."""
        self.count = self._native.close()

    def abandon(self) -> None:
        """Drops what was written."""
        self._native.abandon()

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.abandon()

    def __reduce__(self) -> Any:
        raise TypeError("a writer can't be pickled: write to a file of its own in each process, and `biofast.run(['cat', …])` them")


def writer(
    path: str | os.PathLike[str],
    path2: str | os.PathLike[str] | None = None,
    *,
    header: Any = None,
    level: str | int | None = None,
    threads: int | None = None,
    index: bool = False,
    reference: str | os.PathLike[str] | None = None,
) -> Writer:
    """Writes reads (FASTQ, FASTA), pairs, or, with a ``header``, alignments (BAM, SAM, CRAM). The name says the format and how it is
    compressed; one of a format that isn't written (``.xz``) is refused.

    >>> with biofast.writer("long.fq.gz") as out:
    ...     for read in biofast.open("reads.fq"):
    ...         if len(read) >= 8:
    ...             out.write(read)
    >>> out.count, biofast.stats("long.fq.gz").reads
    (2, 2)

    ``header`` is text, or what :func:`open` returned. ``index`` makes a BAI of sorted alignments, a CRAI of CRAM. ``reference`` is the FASTA
    file of CRAM. A file that is being read is refused.
    """
    wanted = None if level is None else str(level)
    why = "what is written appears under its name when it is complete"
    paths = [path_of(one, why) for one in ([path] if path2 is None else [path, path2])]
    if header is not None:
        if path2 is not None:
            raise ValueError("alignments go into one file")
        return Writer(
            _biofast.AlignmentWriter(paths[0], header, level=wanted, threads=threads, index=index, reference=reference)
        )
    if index or reference is not None:
        raise ValueError("index and reference are for alignments, which need a header: header=biofast.open(…), or its text")
    return Writer(_biofast.ReadWriter(paths, level=wanted, threads=threads))


class tqdm_progress:
    """A progress bar of tqdm for anything that takes ``progress``.

    >>> with biofast.tqdm_progress("reads.fq", disable=True) as bar:
    ...     report = biofast.stats("reads.fq", progress=bar)
    >>> bar.bytes
    84
    """

    def __init__(self, *paths: str | os.PathLike[str], **options: Any) -> None:
        from tqdm.auto import tqdm  # type: ignore[import-untyped,unused-ignore]

        total = sum(os.path.getsize(path) for path in paths) or None
        self.bytes: int = 0
        self._bar = tqdm(total=total, unit="B", unit_scale=True, **options)

    def __call__(self, read: int) -> None:
        # Calls of several threads may overtake each other.
        if read > self.bytes:
            self._bar.update(read - self.bytes)
            self.bytes = read

    def __enter__(self) -> tqdm_progress:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()
