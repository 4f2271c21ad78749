"""biofast's reports in MultiQC: which files they are."""

from multiqc import config

#: What a report starts with, within its first lines.
PATTERNS = {
    "biofast/check": r'"schema": ?"biofast\.check"',
    "biofast/coverage": r'"schema": ?"biofast\.alignment-stats"',
    "biofast/filter": r'"name": ?"biofast filter"',
    "biofast/stats": r'"schema": ?"biofast\.(?:alignment-)?stats"',
    "biofast/summary": r'"schema": ?"biofast\.summary"',
}


def add_search_patterns() -> None:
    """Called by MultiQC before its configuration is read."""
    for name, pattern in PATTERNS.items():
        # Keys of summaries are sorted: the schema comes behind the files.
        found = {"fn": "*.json", "contents_re": ".*" + pattern, "num_lines": 3000, "shared": True}
        config.sp.setdefault(name, found)
    # MultiQC's own module of fastp takes reports of `biofast filter`, and would keep them to itself.
    fastp = config.sp.get("fastp", [])
    for pattern in fastp if isinstance(fastp, list) else [fastp]:
        pattern["shared"] = True
