#!/usr/bin/env python3
"""Figures of reads or alignments from shards on the workers of Ray, with the bytes of one run.

    shards_ray.py -n 100 R1.fq.gz R2.fq.gz -o stats.json

Without --address two workers on this machine do it. The workers need biofast, and this folder and the files under the
same names: a shared file system.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import ray


def call(*arguments, folder=None):
    """Runs biofast, in a folder, and returns what it prints; an error has its message."""
    run = subprocess.run(arguments, capture_output=True, check=False, cwd=folder)
    if run.returncode != 0:
        raise RuntimeError(run.stderr.decode(errors="replace").strip())
    return run.stdout


# A task whose worker dies, or whose biofast is killed, is done again.
@ray.remote(num_cpus=1, max_retries=2, retry_exceptions=[RuntimeError])
def shard(biofast, plan, number, folder, files):
    """The report of a shard. The plan goes with the task, so that no file of it must be shared."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        file.write(plan)
        file.flush()
        return call(biofast, "stats", "--json", "-@", "1", "--shard", f"{file.name}#{number}", *files, folder=folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="FILE", help="BAM or FASTQ, or the two files of mates")
    parser.add_argument("-n", "--shards", type=int, default=8, help="how many shards [8]")
    parser.add_argument("-o", "--out", required=True, help="the merged report")
    parser.add_argument("--address", help="the address of a cluster, or auto [two workers here]")
    parser.add_argument("--biofast", default=os.environ.get("BIOFAST", "biofast"), help="the program")
    args = parser.parse_args()

    plan = call(args.biofast, "shards", "--quiet", "--number", str(args.shards), *args.files)
    if args.address is None:
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    else:
        ray.init(address=args.address, log_to_driver=False)
    try:
        # The plan is put into the store once, and each worker's machine fetches it once.
        stored = ray.put(plan)
        waiting = {}
        for number in range(1, args.shards + 1):
            waiting[shard.remote(args.biofast, stored, number, os.getcwd(), args.files)] = number
        with tempfile.TemporaryDirectory() as folder:
            parts = {}
            while waiting:
                done, _ = ray.wait(list(waiting), num_returns=1)
                for task in done:
                    number = waiting.pop(task)
                    path = pathlib.Path(folder) / f"{number}.json"
                    path.write_bytes(ray.get(task))
                    parts[number] = str(path)
            call(args.biofast, "merge", "--json", *(parts[number] for number in sorted(parts)), "-o", args.out)
    finally:
        ray.shutdown()


if __name__ == "__main__":
    try:
        main()
    except (RuntimeError, ray.exceptions.RayError) as error:
        sys.exit(str(error))
