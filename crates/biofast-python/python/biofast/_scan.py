"""Records in columns: Arrow batches, for any library that takes them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from . import _biofast
from ._commands import run
from ._errors import UsageError
from ._inputs import Input, is_object, opened, path_of

if TYPE_CHECKING:
    import polars

Batch = _biofast.Batch


def given(options: dict[str, Any]) -> dict[str, Any]:
    """The options that say something."""
    if options.get("threads") is not None and options["threads"] < 1:
        raise UsageError("there is at least one thread")
    return {name: value for name, value in options.items() if value is not None and value is not False and value != []}


class Scan:
    """What :func:`scan` returns: a file that is read each time this is iterated, or handed to another library.

    It can be pickled, for other processes, if it is of a path.
    """

    def __init__(self, input: Input, columns: Sequence[str] | None, options: dict[str, Any], *, starts: bool = True) -> None:
        self._is_object = is_object(input)
        self._input = opened(input)
        self._columns = None if columns is None else list(columns)
        self._options = options
        # What is wrong with the columns, or with the start of the file, is said here; of shards when they are read, as there may be many.
        self._first: _biofast.Scan | None = self._start() if starts else None
        self._schema = self._first

    def _start(self) -> _biofast.Scan:
        return _biofast.Scan(self._input, self._columns, **self._options)

    def _open(self) -> _biofast.Scan:
        started, self._first = self._first, None
        if started is None and self._is_object:
            raise ValueError(f"{_biofast.object_name(self._input)} can be read once only: scan a path, or open it anew")
        return started or self._start()

    def __iter__(self) -> Iterator[Batch]:
        return self._open()

    def __arrow_c_schema__(self) -> object:
        return self._schema.__arrow_c_schema__() if self._schema else self._start().__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """All batches, for a library that knows the Arrow PyCapsule interface."""
        return self._open().__arrow_c_stream__()

    def __reduce__(self) -> Any:
        if self._is_object:
            raise TypeError(f"a scan of {_biofast.object_name(self._input)} can't be pickled: scan a path")
        return _restored, (self._input, self._columns, self._options)

    def __repr__(self) -> str:
        columns = "default columns" if self._columns is None else ", ".join(self._columns)
        name = _biofast.object_name(self._input) if self._is_object else self._input
        return f"<biofast.Scan of {name}: {columns}>"

    def shards(self, number: int | None = None) -> list[Scan]:
        """Scans of parts, which together are this one and can be pickled and read elsewhere, as by Dask, Ray, Spark or a pool of processes.

        >>> biofast.sort("aln.sam", "aln.bam", write_index=True).files[0].reads
        4
        >>> [sum(map(len, shard)) for shard in biofast.scan("aln.bam", columns=["name"]).shards()]
        [3, 0, 1]
        >>> [sum(map(len, shard)) for shard in biofast.scan("reads.fq").shards(2)]
        [2, 1]

        Without a ``number`` they are of indexed alignments: one for each reference, and one for records without a place. With it they are
        so many stretches, about as long, of any BAM, or of FASTQ that is plain, in BGZF, or in gzip with a seek index (``biofast.index``): the
        plan of ``biofast shards``, for which the file is read once. A file that was changed since is an error.
        """
        if self._is_object:
            raise TypeError(f"shards are read through the index of a file: {_biofast.object_name(self._input)} has none; scan its path")
        if self._options.get("region") or self._options.get("shard"):
            raise UsageError("shards are of all records, not of regions or of other shards")
        assert isinstance(self._input, str)
        if number is not None:
            words = ["shards", "--quiet", f"--number={number}", *(["--allow-missing-eof"] if self._options.get("allow_missing_eof") else [])]
            plan = run([*words, "--", self._input])
            return [self._shard(shard=part) for part in _biofast.parts_of_plan(plan)]
        reading = _biofast.open([self._input], **{k: v for k, v in self._options.items() if k in ("reference", "allow_missing_eof")})
        with reading:
            if not isinstance(reading, _biofast.Alignments):
                raise UsageError("number of shards missing: reads have no index by position to divide them by")
            names = reading.references
        return [self._shard(region=[name]) for name in [*names, "*"]]

    def _shard(self, **options: Any) -> Scan:
        return Scan(self._input, self._columns, {**self._options, **options}, starts=False)

    def fold(
        self,
        function: Callable[[Batch], Any],
        combine: Callable[[Any, Any], Any],
        initial: Any = None,
        *,
        workers: int | None = None,
    ) -> Any:
        """Calls ``function`` with each batch, on a pool of threads, and combines the results in the order of the file.

        >>> import operator
        >>> biofast.scan("reads.fq", columns=["length"]).fold(len, operator.add, 0)
        3

        Batches are read and decompressed on other threads meanwhile, without the interpreter. How much ``workers`` help depends
        on ``function``: numpy, pyarrow and polars let go of the interpreter's lock for long work, and a free-threaded Python has none.
        No more than twice as many batches as workers are held.
        """
        from collections import deque
        from concurrent.futures import Future, ThreadPoolExecutor

        number = workers or os.cpu_count() or 1
        waiting: deque[Future[Any]] = deque()
        result = initial
        with ThreadPoolExecutor(number) as pool:
            try:
                for batch in self:
                    waiting.append(pool.submit(function, batch))
                    if len(waiting) >= 2 * number:
                        result = combine(result, waiting.popleft().result())
                while waiting:
                    result = combine(result, waiting.popleft().result())
            finally:
                for future in waiting:
                    future.cancel()
        return result


def _restored(input: str, columns: list[str] | None, options: dict[str, Any]) -> Scan:
    return Scan(input, columns, options)


def scan(
    input: Input,
    columns: Sequence[str] | None = None,
    *,
    region: str | Sequence[str] | None = None,
    filter: str | None = None,
    batch_size: int | None = None,
    threads: int | None = None,
    reference: str | os.PathLike[str] | None = None,
    allow_missing_eof: bool = False,
    strict: bool = False,
    progress: Callable[[int], object] | None = None,
) -> Scan:
    """Reads FASTQ, FASTA, BAM, SAM or CRAM, in any container, as Arrow record batches; only ``columns`` are made.

    >>> for batch in biofast.scan("reads.fq", columns=["name", "length"]):
    ...     print(batch)
    <biofast.Batch of 3 records: name, length>
    >>> import pyarrow
    >>> pyarrow.table(biofast.scan("aln.sam", columns=["name", "reference", "start", "NM"])).to_pylist()[0]
    {'name': 'a', 'reference': 'chr1', 'start': 10, 'NM': 2}

    ``input`` is a path or a binary file object. Of alignments, ``region`` and ``filter`` select records: regions as ``chr1:1,000-2,000``,
    through the index where there is one, and expressions of ``samtools view -e``. Batches come in the order of the file; they have ``batch_size``
    records, or, without it, what a worker read at once: about a megabyte of text.

    A file that is cut or damaged is a :class:`FormatError` after the records before. Where another library takes all batches
    (``__arrow_c_stream__``), the error is that library's, with the same words.
    """
    options: dict[str, Any] = {
        "region": [region] if isinstance(region, str) else list(region or []),
        "filter": filter,
        "batch_size": batch_size,
        "threads": threads,
        "reference": reference,
        "allow_missing_eof": allow_missing_eof,
        "strict": strict,
        "progress": progress,
    }
    return Scan(input, columns, given(options))


#: Columns that take a few bytes a record, whatever the record.
NARROW = {"flag", "mapping_quality", "template_length", "reference", "start", "end", "mate_reference", "mate_start", "length"}


def _lazy(input: Input, options: dict[str, Any]) -> polars.LazyFrame:
    path = path_of(input, "a lazy frame reads its file each time it is collected")

    import polars
    from polars.io.plugins import register_io_source

    columns = options.pop("columns", None)
    empty = polars.DataFrame(_Empty(Scan(path, columns, options)))

    def batches(
        with_columns: list[str] | None,
        predicate: polars.Expr | None,
        n_rows: int | None,
        batch_size: int | None,
    ) -> Iterator[polars.DataFrame]:
        wanted = with_columns if with_columns is not None else empty.columns
        needed = [*wanted]
        if predicate is not None:
            needed += [name for name in predicate.meta.root_names() if name not in needed]
        # Without a column there are no rows to count.
        read = needed or empty.columns[:1]
        if batch_size is None and NARROW.issuperset(read):
            # What a worker reads at once are few bytes of these columns, and each frame has its price.
            batch_size = 65_536
        chosen = {**({"batch_size": batch_size} if batch_size else {}), **options}
        for batch in Scan(path, read, chosen):
            rows = polars.DataFrame(batch)
            if n_rows is not None:
                rows = rows.head(n_rows)
                n_rows -= rows.height
            if predicate is not None:
                rows = rows.filter(predicate)
            yield rows.select(wanted) if wanted and wanted != read else rows
            if n_rows == 0:
                break

    return register_io_source(io_source=batches, schema=empty.schema)


class _Empty:
    """The schema of a scan, as a stream without batches."""

    def __init__(self, scan: Scan) -> None:
        self._scan = scan

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._scan._open().empty_stream()


def scan_fastq(
    path: str | os.PathLike[str],
    *,
    columns: Sequence[str] | None = None,
    threads: int | None = None,
    batch_size: int | None = None,
) -> polars.LazyFrame:
    """Reads, as a lazy frame of polars: only the columns that a query needs are made, and no more rows than it asks for are read.

    >>> import polars
    >>> biofast.scan_fastq("reads.fq").filter(polars.col("name") != "r2").select("name").collect()["name"].to_list()
    ['r1', 'r3']
    """
    options = {"columns": columns, "threads": threads, "batch_size": batch_size}
    return _lazy(path, given(options))


def scan_bam(
    path: str | os.PathLike[str],
    *,
    columns: Sequence[str] | None = None,
    region: str | Sequence[str] | None = None,
    filter: str | None = None,
    reference: str | os.PathLike[str] | None = None,
    allow_missing_eof: bool = False,
    threads: int | None = None,
    batch_size: int | None = None,
) -> polars.LazyFrame:
    """Alignments (BAM, SAM, CRAM), as a lazy frame of polars. Optional fields are columns if ``columns`` names them.

    >>> query = biofast.scan_bam("aln.sam", columns=["name", "start", "NM"], filter="mapq >= 30")
    >>> query.select("start", "NM").collect().rows()
    [(10, 2), (100, 1)]
    """
    options = {
        "columns": columns,
        "region": [region] if isinstance(region, str) else list(region or []),
        "filter": filter,
        "reference": reference,
        "allow_missing_eof": allow_missing_eof,
        "threads": threads,
        "batch_size": batch_size,
    }
    return _lazy(path, given(options))


def quality_matrix(batch: Batch, length: int | None = None) -> Any:
    """Phred scores of a batch's reads as a numpy array of bytes with a row for each read; 255 behind the end of shorter ones.

    >>> batch = next(iter(biofast.scan("reads.fq", columns=["qualities"])))
    >>> biofast.quality_matrix(batch).shape
    (3, 12)

    If all reads are as long, no byte is copied one by one. ``length`` cuts longer ones and widens the array to so many columns.
    """
    import numpy

    text, places = batch.buffers("qualities")
    ends = numpy.frombuffer(places, numpy.int32)
    scores = numpy.frombuffer(text, numpy.uint8) - numpy.uint8(33)
    lengths = numpy.diff(ends)
    width = length if length is not None else int(lengths.max(initial=0))
    if len(lengths) and (lengths == width).all():
        return scores.reshape(len(lengths), width)
    columns = numpy.arange(width)
    there = columns < lengths[:, None]
    matrix = numpy.full((len(lengths), width), 255, numpy.uint8)
    matrix[there] = scores[(ends[:-1, None] + columns)[there]]
    return matrix
