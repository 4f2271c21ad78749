"""biofast: statistics, filters, checks and records of FASTQ, BAM, SAM and CRAM, at the speed of decompression.

Whole files: :func:`stats`, :func:`flagstat`, :func:`idxstats`, :func:`check`, :func:`coverage`.
New files: :func:`filter`, :func:`sort`, :func:`dedup`, :func:`demux`, :func:`split`, :func:`grep`, :func:`repair`, :func:`merge`,
:func:`index`, and :func:`run` for every other command.
"""

from ._biofast import __version__
from ._commands import (
    CheckReport,
    Figures,
    ReferenceCount,
    ReferenceCounts,
    Report,
    Result,
    check,
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

__all__ = [
    "AccessError",
    "CheckReport",
    "Error",
    "Figures",
    "FileError",
    "FolderError",
    "FormatError",
    "InputWarning",
    "MissingFileError",
    "ReferenceCount",
    "ReferenceCounts",
    "Report",
    "Result",
    "UsageError",
    "__version__",
    "check",
    "coverage",
    "dedup",
    "demux",
    "filter",
    "flagstat",
    "grep",
    "idxstats",
    "index",
    "merge",
    "repair",
    "run",
    "sort",
    "split",
    "stats",
]
