"""biofast: statistics, filters, checks and records of FASTQ, BAM, SAM and CRAM, at the speed of decompression.

Whole files: :func:`stats`, :func:`flagstat`, :func:`idxstats`, :func:`check`, :func:`coverage`.
Records: :func:`open`, :func:`writer`; in columns: :func:`scan`, :func:`scan_fastq`, :func:`scan_bam`.
New files: :func:`filter`, :func:`sort`, :func:`dedup`, :func:`demux`, :func:`split`, :func:`grep`, :func:`repair`, :func:`merge`, :func:`convert`, :func:`shuffle`,
:func:`index`, and :func:`run` for every other command.
"""

from ._biofast import AlignedSegment, Alignments, Batch, Read, Reads, __version__
from ._commands import (
    CheckReport,
    Figures,
    ReferenceCount,
    ReferenceCounts,
    Report,
    Result,
    check,
    convert,
    coverage,
    dedup,
    demux,
    filter,
    flagstat,
    grep,
    idxstats,
    index,
    merge,
    repair,
    run,
    shuffle,
    sort,
    split,
    stats,
)
from ._errors import (
    AccessError,
    Error,
    FileError,
    FolderError,
    FormatError,
    InputWarning,
    MissingFileError,
    UsageError,
)
from ._records import Writer, open, tqdm_progress, writer
from ._scan import Scan, quality_matrix, scan, scan_bam, scan_fastq

for _kind in (Error, FormatError, UsageError, FileError, MissingFileError, AccessError, FolderError, InputWarning):
    # Messages name what users write.
    _kind.__module__ = "biofast"

__all__ = [
    "AccessError",
    "AlignedSegment",
    "Alignments",
    "Batch",
    "CheckReport",
    "Error",
    "Figures",
    "FileError",
    "FolderError",
    "FormatError",
    "InputWarning",
    "MissingFileError",
    "Read",
    "Reads",
    "ReferenceCount",
    "ReferenceCounts",
    "Report",
    "Result",
    "Scan",
    "UsageError",
    "Writer",
    "__version__",
    "check",
    "convert",
    "coverage",
    "dedup",
    "demux",
    "filter",
    "flagstat",
    "grep",
    "idxstats",
    "index",
    "merge",
    "open",
    "quality_matrix",
    "repair",
    "run",
    "scan",
    "scan_bam",
    "scan_fastq",
    "shuffle",
    "sort",
    "split",
    "stats",
    "tqdm_progress",
    "writer",
]
