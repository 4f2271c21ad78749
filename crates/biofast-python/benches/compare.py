"""Measures this package beside dnaio, pysam and polars-bio, where they are installed.

python benches/compare.py READS.fq.gz ALIGNMENTS.bam [--threads 2] [--runs 3] [--only NAME,…]

Contestants of a group run in turns, each in a process of its own, whose start isn't counted, nor are imports. Printed are the median, the smallest and
the largest time, the largest memory, and what was counted, which must agree within a group.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

# Name, group, which file, code that leaves a number in `n`. THREADS and path are set.
CONTESTANTS: list[tuple[str, str, str, str, str]] = [
    ("batches", "reads: sequence and qualities", "reads", "import biofast",
     "n = sum(len(batch) for batch in biofast.scan(path, columns=['sequence', 'qualities'], threads=THREADS))"),
    ("records", "reads: sequence and qualities", "reads", "import biofast",
     "n = 0\nfor read in biofast.open(path, threads=THREADS):\n    read.sequence, read.qualities\n    n += 1"),
    ("dnaio", "reads: sequence and qualities", "reads", "import dnaio",
     "n = 0\nwith dnaio.open(path) as reads:\n    for read in reads:\n        read.sequence, read.qualities\n        n += 1"),
    ("dnaio-threads", "reads: sequence and qualities", "reads", "import dnaio",
     "n = 0\nwith dnaio.open(path, open_threads=THREADS) as reads:\n    for read in reads:\n        read.sequence, read.qualities\n        n += 1"),
    ("polars", "reads: sums of lengths in polars", "reads", "import biofast, polars",
     "f = biofast.scan_fastq(path, threads=THREADS)\n"
     "n = sum(f.select(polars.col('sequence').bin.size().sum(), polars.col('qualities').bin.size().sum()).collect().row(0))"),
    ("polars-bio", "reads: sums of lengths in polars", "reads",
     "import polars, polars_bio\npolars_bio.set_option('datafusion.execution.target_partitions', str(THREADS))",
     "f = polars_bio.scan_fastq(path)\n"
     "n = sum(f.select(polars.col('sequence').str.len_bytes().sum(), polars.col('quality_scores').str.len_bytes().sum()).collect().row(0))"),
    ("bam-polars", "alignments: nine columns in polars", "alignments", "import biofast",
     "n = biofast.scan_bam(path, threads=THREADS, columns=['name', 'reference', 'start', 'end', 'flag', 'cigarstring', "
     "'mapping_quality', 'sequence', 'qualities']).collect().height"),
    ("bam-polars-bio", "alignments: nine columns in polars", "alignments",
     "import polars_bio\npolars_bio.set_option('datafusion.execution.target_partitions', str(THREADS))",
     "n = polars_bio.scan_bam(path).select('name', 'chrom', 'start', 'end', 'flags', 'cigar', 'mapping_quality', 'sequence', "
     "'quality_scores').collect().height"),
    ("bam-sums", "alignments: sums of two columns in polars", "alignments", "import biofast, polars",
     "n = sum(biofast.scan_bam(path, threads=THREADS).select(polars.col('mapping_quality').cast(polars.Int64).sum(), "
     "polars.col('flag').cast(polars.Int64).sum()).collect().row(0))"),
    ("bam-sums-polars-bio", "alignments: sums of two columns in polars", "alignments",
     "import polars, polars_bio\npolars_bio.set_option('datafusion.execution.target_partitions', str(THREADS))",
     "n = sum(polars_bio.scan_bam(path).select(polars.col('mapping_quality').cast(polars.Int64).sum(), "
     "polars.col('flags').cast(polars.Int64).sum()).collect().row(0))"),
    ("bam-records", "alignments: records", "alignments", "import biofast",
     "n = sum(record.reference_start for record in biofast.open(path, threads=THREADS))"),
    ("bam-pysam", "alignments: records", "alignments", "import pysam",
     "with pysam.AlignmentFile(path, threads=THREADS) as records:\n    n = sum(record.reference_start for record in records)"),
    ("stats", "whole file: stats", "reads", "import biofast",
     "n = biofast.stats(path, threads=THREADS).reads"),
    ("stats-program", "whole file: stats", "reads", "import json, subprocess",
     "n = json.loads(subprocess.run(['biofast', 'stats', '--json', '-@', str(THREADS), path], check=True, capture_output=True).stdout)"
     "['files'][0]['reads']"),
]


def once(name: str, path: str, threads: int) -> None:
    """Runs one contestant in this process."""
    setup, code = next((setup, code) for one, _, _, setup, code in CONTESTANTS if one == name)
    names: dict[str, object] = {"THREADS": threads, "path": path}
    exec(setup, names)
    start = time.perf_counter()
    exec(code, names)
    took = time.perf_counter() - start
    print(took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, names["n"])


def main() -> None:
    """Runs all of them in turns."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reads")
    parser.add_argument("alignments")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("--once", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.once:
        once(args.once, args.reads, args.threads)
        return
    wanted = args.only.split(",") if args.only else [one[0] for one in CONTESTANTS]
    runs: dict[str, list[tuple[float, int, str]]] = {name: [] for name in wanted}
    for _ in range(args.runs):
        for name, _, which, _, _ in CONTESTANTS:
            if name not in wanted:
                continue
            path = args.reads if which == "reads" else args.alignments
            command = [sys.executable, __file__, path, path, "--once", name, "--threads", str(args.threads)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"{name}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
                continue
            took, memory, count = done.stdout.split()[-3:]
            runs[name].append((float(took), int(memory), count))
    show: Callable[[list[float]], str] = lambda took: f"{statistics.median(took):.3f} s ({min(took):.3f}–{max(took):.3f})"
    for name, group, _, _, _ in CONTESTANTS:
        if runs.get(name):
            took = [one[0] for one in runs[name]]
            memory = max(one[1] for one in runs[name]) // 1024
            print(f"{group:44} {name:20} {show(took):28} {memory:6} MB  {runs[name][0][2]}")


if __name__ == "__main__":
    main()
