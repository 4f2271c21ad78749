#!/usr/bin/env python3
"""Figures of reads or alignments from shards on the workers of Dask, with the bytes of one run.

    shards_dask.py -n 100 R1.fq.gz R2.fq.gz -o stats.json

Without --scheduler two worker processes on this machine do it. The workers need biofast, and the files under the same
names: a shared file system.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

from dask.distributed import Client, LocalCluster, as_completed


def call(*arguments):
    """Runs biofast and returns what it prints; an error has its message."""
    run = subprocess.run(arguments, capture_output=True, check=False)
    if run.returncode != 0:
        raise RuntimeError(run.stderr.decode(errors="replace").strip())
    return run.stdout


def shard(biofast, plan, number, files):
    """The report of a shard. The plan goes with the task, so that no file of it must be shared."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        file.write(plan)
        file.flush()
        return call(biofast, "stats", "--json", "-@", "1", "--shard", f"{file.name}#{number}", *files)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="FILE", help="BAM or FASTQ, or the two files of mates")
    parser.add_argument("-n", "--shards", type=int, default=8, help="how many shards [8]")
    parser.add_argument("-o", "--out", required=True, help="the merged report")
    parser.add_argument("--scheduler", help="the address of a cluster [two workers here]")
    parser.add_argument("--biofast", default=os.environ.get("BIOFAST", "biofast"), help="the program")
    args = parser.parse_args()

    plan = call(args.biofast, "shards", "--quiet", "--number", str(args.shards), *args.files)
    local = None
    if args.scheduler is None:
        local = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
    with Client(args.scheduler or local) as client, tempfile.TemporaryDirectory() as folder:
        numbers = {}
        # What a worker that dies was doing is done again by another one.
        for number in range(1, args.shards + 1):
            future = client.submit(shard, args.biofast, plan, number, args.files, retries=2, pure=False)
            numbers[future] = number
        parts = {}
        for future, report in as_completed(numbers, with_results=True):
            path = pathlib.Path(folder) / f"{numbers[future]}.json"
            path.write_bytes(report)
            parts[numbers[future]] = str(path)
            future.release()
        call(args.biofast, "merge", "--json", *(parts[number] for number in sorted(parts)), "-o", args.out)
    if local is not None:
        local.close()


if __name__ == "__main__":
    try:
        main()
    except RuntimeError as error:
        sys.exit(str(error))
