"""Answers about whole files, and new files: the commands of the program, run in this process.

Options have the names they have on the command line, with ``_`` for ``-``: ``--min-len 50`` is ``min_len=50``, and an option
without a value is ``True``. What may be given several times takes a list. ``biofast <command> --help`` has them all.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar, Unpack, cast

from . import _biofast, _options
from ._errors import Error, InputWarning, UsageError
from ._inputs import Input, Inputs, Path, Readable, is_object, listed, opened
from ._options import (
    AddreplacergOptions,
    CatOptions,
    CheckOptions,
    ChecksumOptions,
    CollateOptions,
    ConvertOptions,
    CoverageOptions,
    DedupOptions,
    DemuxOptions,
    DepthOptions,
    DictOptions,
    FaidxOptions,
    FilterOptions,
    FixmateOptions,
    FlagstatOptions,
    GrepOptions,
    IdxstatsOptions,
    IndexOptions,
    MarkdupOptions,
    MergeOptions,
    RenameContigsOptions,
    RepairOptions,
    ResetOptions,
    RetagOptions,
    SalvageOptions,
    ShuffleOptions,
    SortOptions,
    SplitByTagOptions,
    SplitOptions,
    StatsOptions,
)

Progress = Callable[[int], object]
_Function = TypeVar("_Function", bound=Callable[..., object])


def _documented(function: _Function) -> _Function:
    """The function with what its options are in its documentation."""
    options = getattr(_options, function.__annotations__["options"].removeprefix("Unpack[").removesuffix("]"))
    function.__doc__ = f"{(function.__doc__ or '').rstrip()}\n\n    {options.__doc__}"
    return function


class Figures(dict[str, Any]):
    """A JSON object whose values are attributes, too: ``figures["reads"]`` is ``figures.reads``."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no figure {name!r}; there are {', '.join(self)}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]


def _parsed(text: str) -> Any:
    return json.loads(text, object_hook=Figures)


class Result:
    """What a command answered, as JSON."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._figures = _parsed(text)

    def to_json(self) -> str:
        """The bytes that the command line writes, as text."""
        return self._text

    def to_dict(self) -> dict[str, Any]:
        """The same as dicts and lists."""
        figures: dict[str, Any] = json.loads(self._text)
        return figures

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._figures, name)

    def __getitem__(self, name: str) -> Any:
        return self._figures[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._figures]

    def __getstate__(self) -> str:
        return self._text

    def __setstate__(self, text: str) -> None:
        Result.__init__(self, text)

    def __repr__(self) -> str:
        return f"<biofast.{type(self).__name__}: {', '.join(self._figures)}>"


class Report(Result):
    """Statistics of reads or alignments: what ``biofast stats --json`` prints.

    ``report.files`` has an entry for each sample. With one sample its figures are attributes of the report:
    ``report.reads``, ``report.quality.q30_percent``, ``report.records.passed.mapped``.
    """

    @property
    def files(self) -> list[Figures]:
        """The samples, in the order of the inputs."""
        files: list[Figures] = self._figures["files"]
        return files

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        files = self._figures["files"]
        if name not in self._figures and len(files) == 1:
            return getattr(files[0], name)
        return getattr(self._figures, name)

    def __getitem__(self, name: str) -> Any:
        """The figures of the sample of this name."""
        for file in self.files:
            if file["sample"] == name:
                return file
        raise KeyError(name)

    def to_html(self) -> str:
        """The page that ``biofast stats --html`` writes: it needs nothing from elsewhere."""
        return _biofast.page(self._text)

    def _repr_html_(self) -> str:
        # A document of its own: neither its styles nor its script reach the notebook.
        from html import escape

        page = escape(self.to_html(), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:640px;border:0" title="biofast report"></iframe>'

    def __repr__(self) -> str:
        samples = ", ".join(str(file["sample"]) for file in self.files)
        return f"<biofast.Report of {samples}>"


class CheckReport(Result):
    """What ``biofast check --json`` prints. It is true if every file is good to its last byte."""

    @property
    def ok(self) -> bool:
        """Whether every file is good."""
        return all(file["status"] == "ok" for file in self._figures["files"])

    def __bool__(self) -> bool:
        return self.ok


class ReferenceCount(NamedTuple):
    """A line of ``biofast idxstats``; the last one, ``*``, counts the records without a place."""

    reference: str
    length: int
    mapped: int
    unmapped: int


class ReferenceCounts(list[ReferenceCount]):
    """The lines of ``biofast idxstats``."""

    def to_text(self) -> str:
        """As ``samtools idxstats`` prints them."""
        return "".join("\t".join(map(str, line)) + "\n" for line in self)


def _word(name: str, value: object) -> str:
    if is_object(value) or hasattr(value, "write"):
        why = "what lies beside the inputs is opened by its name, and outputs appear under theirs when they are complete"
        raise TypeError(f"{name} takes a path, not {_biofast.object_name(value)}: {why}")
    return os.fspath(cast("os.PathLike[str]", value)) if isinstance(value, os.PathLike) else str(value)


def _has(options: Mapping[str, object], *names: str) -> bool:
    """Whether any of these is given."""
    return any(options.get(name) for name in names)


def _words(options: Mapping[str, object]) -> Iterator[str]:
    for name, value in options.items():
        option = ("-" if len(name) == 1 else "--") + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            yield option
            continue
        several = cast("Sequence[object]", value) if isinstance(value, (list, tuple)) else [value]
        for one in several:
            # In one word, so that a value may start with a dash.
            word = _word(name, one)
            yield f"{option}={word}" if len(name) > 1 else f"{option}{word}"


def run(words: Sequence[Input], *, progress: Progress | None = None) -> str:
    """Runs any command, given by the words that follow ``biofast``, and returns what it prints.

    >>> import biofast
    >>> print(biofast.run(["stats", "--tsv", "reads.fq"]).splitlines()[1].split("\\t")[:4])
    ['reads.fq', 'FASTQ', 'DNA', '3']

    Its warnings are :class:`InputWarning`; what it says beside them goes to the logger ``biofast``. ``progress`` is called with the bytes of the inputs read so far, on another thread.
    Ctrl-C ends the run, and no output appears. Two commands may run at once. Where the command line takes ``-`` for standard input, a
    word may be a binary file object.
    """
    return answer(words, progress)[1]


def answer(words: Sequence[Input], progress: Progress | None = None) -> tuple[int, str]:
    """The exit code, 0 or 1, and what is printed."""
    code, text, error = _run([opened(word) for word in words], progress)
    if error is not None and code > 1:
        raise error
    return code, text


def warn(text: str) -> None:
    """Warns whoever called into this package."""
    if sys.version_info >= (3, 12):
        warnings.warn(text, InputWarning, skip_file_prefixes=(os.path.dirname(__file__),))
    else:
        warnings.warn(text, InputWarning, stacklevel=5)


def _run(words: Sequence[str | Readable], progress: Progress | None) -> tuple[int, str, BaseException | None]:
    named: list[str] = []
    objects: dict[int, tuple[str, str | None, Readable]] = {}
    for word in words:
        if isinstance(word, str):
            named.append(word)
            continue
        if id(word) not in objects:
            objects[id(word)] = (_name(word, {name for name, _, _ in objects.values()}), _file(word), word)
        # Named twice it is refused, as it can be read once only.
        named.append(objects[id(word)][0])
    code, out, messages, error = _biofast.run(named, progress, list(objects.values()))
    for level, text in messages:
        if level == "warning":
            warn(text)
        elif level == "note":
            logging.getLogger("biofast").info(text)
    text = out.decode("utf-8", "surrogateescape")
    if code > 1 and error is None:
        error = Error("; ".join(text for level, text in messages if level == "error") or "the command failed")
    return code, text, error


def _name(object: Readable, taken: set[str]) -> str:
    """What an object is called; by a number, too, if others are called so."""
    name = _biofast.object_name(object)
    number = 2
    while name in taken:
        name = f"{_biofast.object_name(object)[:-1]} {number}>"
        number += 1
    return name


def _file(object: Readable) -> str | None:
    """The file that an object reads, which no output may replace."""
    name = getattr(object, "name", None)
    return name if isinstance(name, str) and os.path.exists(name) else None


def _command(
    name: str, paths: list[str | Readable], options: Mapping[str, object], progress: Progress | None = None
) -> tuple[int, str, BaseException | None]:
    words: list[str | Readable] = [name, *_words(options)]
    if name == "demux":
        # Its inputs follow an option.
        for input in paths:
            words += ["--inputs", input]
    else:
        words += ["--", *paths]
    return _run(words, progress)


def _answer(name: str, paths: list[str | Readable], options: Mapping[str, object], progress: Progress | None = None) -> str:
    code, text, error = _command(name, paths, options, progress)
    if code > 1 and error is not None:
        raise error
    return text


@_documented
def stats(paths: Inputs, *, progress: Progress | None = None, **options: Unpack[StatsOptions]) -> Report:
    """Statistics of reads or alignments: counts, lengths, composition, qualities, coverage.

    >>> report = biofast.stats("reads.fq")
    >>> report.reads, report.bases, round(report.composition.gc_percent, 1)
    (3, 24, 41.7)
    >>> biofast.stats(["reads.fq", "more.fq"]).files[1].reads
    2

    An input is a path, or a file object that is open as binary, here as in all commands.

    >>> with open("reads.fq", "rb") as file:
    ...     print(biofast.stats(file))
    <biofast.Report of <file object reads.fq>>

    If a file can't be read to its end, the error has what was counted before as ``error.report``.
    """
    code, text, error = _command("stats", listed(paths), {"json": True, **options}, progress)
    report = Report(text) if text else None
    if code > 1 and error is not None:
        if isinstance(error, Error):
            error.report = report
        raise error
    assert report is not None
    return report


@_documented
def flagstat(path: Input, *, progress: Progress | None = None, **options: Unpack[FlagstatOptions]) -> Result:
    """Records of a file of alignments by flag, as ``samtools flagstat -O json`` counts them.

    >>> biofast.flagstat("aln.sam")["QC-passed reads"]["mapped"]
    3
    """
    return Result(_answer("flagstat", listed(path), {"output_fmt": "json", **options}, progress))


@_documented
def idxstats(path: Input, *, progress: Progress | None = None, **options: Unpack[IdxstatsOptions]) -> ReferenceCounts:
    """Mapped and unmapped records of each reference; no index is needed.

    >>> biofast.idxstats("aln.sam")[0]
    ReferenceCount(reference='chr1', length=1000, mapped=3, unmapped=0)
    """
    lines = _answer("idxstats", listed(path), options, progress).splitlines()
    rows = (line.split("\t") for line in lines)
    return ReferenceCounts(ReferenceCount(row[0], int(row[1]), int(row[2]), int(row[3])) for row in rows)


@_documented
def check(paths: Inputs, *, progress: Progress | None = None, **options: Unpack[CheckOptions]) -> CheckReport:
    """Whether files are good to their last byte. What is wrong with a file is an answer; that it can't be read is an error.

    >>> biofast.check("reads.fq").ok
    True
    >>> found = biofast.check("cut.fq")
    >>> found.ok, found.files[0].fault.record
    (False, 2)
    """
    return CheckReport(_answer("check", listed(paths), {"json": True, **options}, progress))


class ChecksumReport(Result):
    """What ``biofast checksum --json`` prints. It is true unless files were compared and differ."""

    @property
    def equal(self) -> bool:
        """Whether the files hold the same records as those they were compared with."""
        comparison = self._figures["comparison"]
        if comparison is None:
            raise ValueError("nothing was compared: name files with against=")
        return bool(comparison["equal"])

    def __bool__(self) -> bool:
        return self._figures["comparison"] is None or self.equal


@_documented
def checksum(paths: Inputs, *, progress: Progress | None = None, **options: Unpack[ChecksumOptions]) -> ChecksumReport:
    """Checksums of reads or alignments that don't depend on order, as ``samtools checksum`` computes them.

    >>> sums = biofast.checksum("reads.fq").files[0].all.all
    >>> sums.count, len(sums.name)
    (3, 8)

    With ``against`` (a path or a list) it says whether the files hold the same reads. That they don't is an answer.

    >>> biofast.checksum("reads.fq", against="reads.fq").equal
    True
    """
    return ChecksumReport(_answer("checksum", listed(paths), {"json": True, **options}, progress))


@_documented
def coverage(paths: Inputs, *, progress: Progress | None = None, **options: Unpack[CoverageOptions]) -> list[dict[str, Any]]:
    """How deep sorted alignments cover the reference: a row for each file, with the names of ``biofast coverage --format tsv``.

    With ``prefix`` or ``out_dir`` the files of mosdepth are written instead, and the list is empty.

    >>> row = biofast.coverage("aln.sam")[0]
    >>> row["length"], row["bases"]
    (1500, 24)
    """
    if options.get("format") not in (None, "tsv"):
        raise UsageError("coverage() returns rows of its own table; biofast.run(['coverage', '--format', …]) returns other formats as text")
    writes = _has(options, "prefix", "out_dir", "out", "p", "o")
    text = _answer("coverage", listed(paths), options if writes else {"format": "tsv", **options}, progress)
    return [] if writes else _rows(text)


def _rows(text: str) -> list[dict[str, Any]]:
    lines = [line.split("\t") for line in text.splitlines()]
    return [dict(zip(lines[0], map(_number, line), strict=True)) for line in lines[1:]] if lines else []


@_documented
def depth(paths: Inputs, *, progress: Progress | None = None, **options: Unpack[DepthOptions]) -> list[tuple[str | int, ...]]:
    """The depth of each position, as ``biofast depth`` prints it: reference, position (from 1), and the depth in each file.

    With ``out`` the lines are written to a file instead, and the list is empty.

    >>> biofast.depth("aln.sam", region="chr1:25-26")
    [('chr1', 25, 1), ('chr1', 26, 0)]
    """
    if _has(options, "with_header", "H") and not _has(options, "out", "o"):
        raise UsageError("depth() returns rows without a header; with_header goes with out")
    text = _answer("depth", listed(paths), options, progress)
    rows = (line.split("\t") for line in text.splitlines())
    return [(reference, *map(int, numbers)) for reference, *numbers in rows]


@_documented
def faidx(path: Path, *regions: str, progress: Progress | None = None, **options: Unpack[FaidxOptions]) -> str:
    """Sequences of FASTA or FASTQ by region, as ``biofast faidx`` prints them; without regions, makes the index beside the file.

    >>> import pathlib
    >>> _ = pathlib.Path("x.fa").write_text(">chr1\\nACGTA\\nCC\\n")
    >>> biofast.faidx("x.fa")
    ''
    >>> biofast.faidx("x.fa", "chr1:4-6")
    '>chr1:4-6\\nTAC\\n'
    """
    return _answer("faidx", [*listed(path), *regions], options, progress)


@_documented
def dictionary(path: Input, *, progress: Progress | None = None, **options: Unpack[DictOptions]) -> str:
    """The sequence dictionary of a FASTA file: the text that ``biofast dict`` prints, or an empty one with ``out``."""
    return _answer("dict", listed(path), options, progress)


def _number(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def _changed(
    name: str, paths: list[str | Readable], options: Mapping[str, object], progress: Progress | None, kind: type[Result] = Result
) -> Any:
    """Runs a command that writes files and says in JSON what it did."""
    for option in ("out", "out2", "out_dir"):
        if option in options and str(options[option]) in ("None", "-"):
            raise UsageError(f"{option} is the file to write; biofast.run(['{name}', …]) returns what a command prints")
    # Up to 0.2 it was called json.
    asked = options.get("summary") or options.get("json")
    if asked:
        _answer(name, paths, options, progress)
        with open(_word("summary", asked), encoding="utf-8") as file:
            return kind(file.read())
    with tempfile.TemporaryDirectory(prefix="biofast-") as folder:
        summary = os.path.join(folder, "summary.json")
        _answer(name, paths, {"summary": summary, **options}, progress)
        with open(summary, encoding="utf-8") as file:
            return kind(file.read())


@_documented
def filter(paths: Inputs, out: Path, *, progress: Progress | None = None, **options: Unpack[FilterOptions]) -> Result:
    """Selects and trims reads, or selects alignments, and writes them to ``out`` (mates to ``out`` and ``out2``).

    >>> biofast.filter("reads.fq", "long.fq", min_len=8).summary.after_filtering.total_reads
    2

    Returns the summary that ``biofast filter --summary`` writes. Outputs appear when all are complete.
    """
    return _changed("filter", listed(paths), {"out": out, **options}, progress)  # type: ignore[no-any-return]


@_documented
def sort(paths: Inputs, out: Path, *, progress: Progress | None = None, **options: Unpack[SortOptions]) -> Result:
    """Sorts alignments by coordinate, or reads and alignments by what ``options`` say, and returns the summary of ``biofast sort --summary``."""
    return _changed("sort", listed(paths), {"out": out, **options}, progress)  # type: ignore[no-any-return]


@_documented
def markdup(path: Input, out: Path, *, progress: Progress | None = None, **options: Unpack[MarkdupOptions]) -> Result:
    """Marks duplicates in alignments of any order, which is kept, and returns the summary of ``biofast markdup --summary``.

    >>> marked = biofast.markdup("aln.sam", "marked.bam", rule="picard", metrics="metrics.txt")
    >>> marked.summary.records, marked.summary.duplicates.duplicate_single
    (4, 0)
    """
    return _changed("markdup", listed(path), {"out": out, **options}, progress)  # type: ignore[no-any-return]


@_documented
def dedup(paths: Inputs, out: Path, *, progress: Progress | None = None, **options: Unpack[DedupOptions]) -> Result:
    """Writes each read or pair once, and returns the summary of ``biofast dedup --summary``."""
    return _changed("dedup", listed(paths), {"out": out, **options}, progress)  # type: ignore[no-any-return]


@_documented
def demux(inputs: Inputs, output: Path, sample_metadata: Path, *, progress: Progress | None = None, **options: Unpack[DemuxOptions]) -> Result:
    """Sorts reads into files by their barcodes, in the folder ``output``, and returns the summary of ``biofast demux --summary``."""
    words: dict[str, Any] = {"out_dir": output, "sample_metadata": sample_metadata, **options}
    return _changed("demux", listed(inputs), words, progress)  # type: ignore[no-any-return]


@_documented
def split(paths: Inputs, out: str, *, progress: Progress | None = None, **options: Unpack[SplitOptions]) -> Result:
    """Splits reads into several files, such as ``out="part_{n}.fq.gz", by_part=4``; see ``biofast split --help``."""
    return _changed("split", listed(paths), {"out": out, **options}, progress)  # type: ignore[no-any-return]


@_documented
def grep(paths: Inputs, out: Path, *, progress: Progress | None = None, **options: Unpack[GrepOptions]) -> Result:
    """Writes reads that hold a motif, and returns the summary of ``biofast grep --summary``."""
    return _changed("grep", listed(paths), {"out": out, **options}, progress)  # type: ignore[no-any-return]


@_documented
def convert(paths: Inputs, out: Path, *, progress: Progress | None = None, **options: Unpack[ConvertOptions]) -> Result:
    """Writes reads in another format, or changed (FASTQ, FASTA, tables, unaligned BAM), and returns the summary of ``biofast convert --summary``."""
    return _changed("convert", listed(paths), {"out": out, **options}, progress)  # type: ignore[no-any-return]


@_documented
def shuffle(paths: Inputs, out: Path, *, progress: Progress | None = None, **options: Unpack[ShuffleOptions]) -> Result:
    """Writes reads or pairs in random order, and returns the summary of ``biofast shuffle --summary``."""
    return _changed("shuffle", listed(paths), {"out": out, **options}, progress)  # type: ignore[no-any-return]


@_documented
def repair(paths: Inputs, out: Path, out2: Path, *, progress: Progress | None = None, **options: Unpack[RepairOptions]) -> Result:
    """Puts mates together again, and returns the summary of ``biofast repair --summary``.

    Reads without mates are left out unless ``orphans`` names a file for them; the summary counts them.
    """
    return _changed("repair", listed(paths), {"out": out, "out2": out2, **options}, progress)  # type: ignore[no-any-return]


def _rewritten(name: str, path: Input, out: Path, options: Mapping[str, object], progress: Progress | None) -> None:
    """Runs a command that writes alignments and has no summary."""
    if str(out) in ("None", "-"):
        raise UsageError(f"out is the file to write; biofast.run(['{name}', …]) returns what a command prints")
    _answer(name, listed(path), {"out": out, **options}, progress)


@_documented
def split_by_tag(path: Path, out: str, tag: str, *, progress: Progress | None = None, **options: Unpack[SplitByTagOptions]) -> None:
    """Splits alignments into a file for each value of a tag, such as ``out="{value}.bam", tag="CB"``, like ``biofast split --by``."""
    _rewritten("split", path, out, {"by": tag, **options}, progress)


@_documented
def fixmate(path: Input, out: Path, *, progress: Progress | None = None, **options: Unpack[FixmateOptions]) -> None:
    """Fills in the mate fields of alignments that are grouped by name, like ``samtools fixmate``."""
    _rewritten("fixmate", path, out, options, progress)


@_documented
def collate(path: Input, out: Path, *, progress: Progress | None = None, **options: Unpack[CollateOptions]) -> None:
    """Groups alignments by name, without sorting the names, like ``samtools collate``."""
    _rewritten("collate", path, out, options, progress)


@_documented
def reset(path: Input, out: Path, *, progress: Progress | None = None, **options: Unpack[ResetOptions]) -> None:
    """Turns alignments back into unaligned reads, like ``samtools reset``."""
    _rewritten("reset", path, out, options, progress)


@_documented
def retag(path: Input, out: Path, *, progress: Progress | None = None, **options: Unpack[RetagOptions]) -> None:
    """Removes, keeps and renames tags, and moves UMIs between names and tags.

    >>> biofast.retag("aln.sam", "clean.bam", remove_tag="NM,XF", rename_tag="RG:rg")
    >>> next(biofast.open("clean.bam")).get_tag("rg")
    'g'
    """
    _rewritten("retag", path, out, options, progress)


@_documented
def rename_contigs(path: Input, out: Path, table: Path, *, progress: Progress | None = None, **options: Unpack[RenameContigsOptions]) -> None:
    """Renames reference sequences in the header and in tags, by a table of old and new names."""
    _rewritten("rename-contigs", path, out, {"table": table, **options}, progress)


@_documented
def addreplacerg(path: Input, out: Path, *, progress: Progress | None = None, **options: Unpack[AddreplacergOptions]) -> None:
    """Sets the read group of alignments, like ``samtools addreplacerg``: ``rg_line=["ID:a", "SM:sample"]`` or ``rg="a"``."""
    _rewritten("addreplacerg", path, out, options, progress)


@_documented
def cat(paths: Inputs, out: Path, *, progress: Progress | None = None, **options: Unpack[CatOptions]) -> Result:
    """Concatenates BAM or FASTQ files without compressing them again, and returns the summary of ``biofast cat --summary``."""
    return _changed("cat", listed(paths), {"out": out, **options}, progress)  # type: ignore[no-any-return]


@_documented
def salvage(path: Input, out: Path, *, progress: Progress | None = None, **options: Unpack[SalvageOptions]) -> Result:
    """Writes the whole records of a damaged file, and returns the summary of ``biofast check --repair --summary``.

    What is missing is an answer, not an error.

    >>> import pathlib
    >>> biofast.sort("aln.sam", "whole.bam", n=True).summary.records
    4
    >>> _ = pathlib.Path("cut.bam").write_bytes(pathlib.Path("whole.bam").read_bytes()[:-28])
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     found = biofast.salvage("cut.bam", "salvaged.bam")
    >>> found.summary.records, found.summary.has_end_marker
    (4, False)
    """
    return _changed("check", listed(path), {"repair": True, "out": out, **options}, progress)  # type: ignore[no-any-return]


@_documented
def merge(paths: Inputs, out: Path, *, progress: Progress | None = None, **options: Unpack[MergeOptions]) -> None:
    """Merges sorted files of alignments into one, or reports of ``stats`` into one."""
    _answer("merge", listed(paths), {"out": out, **options}, progress)


@_documented
def index(path: Input, *, progress: Progress | None = None, **options: Unpack[IndexOptions]) -> None:
    """Makes the index of a BAM, CRAM, SAM or FASTQ file beside it, or as ``out``."""
    _answer("index", listed(path), options, progress)
