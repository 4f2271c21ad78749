#!/usr/bin/env python3
"""Figures of reads or alignments from shards on the executors of Spark, with the bytes of one run.

    shards_spark.py -n 100 R1.fq.gz R2.fq.gz -o stats.json
    spark-submit --master spark://HOST:7077 shards_spark.py -n 100 R1.fq.gz R2.fq.gz -o stats.json

Without --master two threads on this machine do it. The executors need biofast, and this folder and the files under the
same names: a shared file system. Spark 4 and Java are needed.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition


def call(*arguments, folder=None):
    """Runs biofast, in a folder, and returns what it prints; an error has its message."""
    run = subprocess.run(arguments, capture_output=True, check=False, cwd=folder)
    if run.returncode != 0:
        raise RuntimeError(run.stderr.decode(errors="replace").strip())
    return run.stdout


class Reports(DataSource):
    """A row for each shard: its number and its report. `load` takes the plan, as text."""

    @classmethod
    def name(cls):
        return "biofast_reports"

    def schema(self):
        return "shard int, report binary"

    def reader(self, schema):
        return ShardReader(self.options)


class ShardReader(DataSourceReader):
    """A partition for each shard. The plan goes with the reader, so that no file of it must be shared."""

    def __init__(self, options):
        self.biofast, self.folder = options["biofast"], options["folder"]
        self.shards, self.plan = int(options["shards"]), options["plan"]
        self.files = options["files"].split("\0")

    def partitions(self):
        return [InputPartition(number) for number in range(1, self.shards + 1)]

    def read(self, partition):
        # A part of a task that fails is done again as a whole: nothing is given away before the report is complete.
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            file.write(self.plan.encode())
            file.flush()
            shard = f"{file.name}#{partition.value}"
            report = call(self.biofast, "stats", "--json", "-@", "1", "--shard", shard, *self.files, folder=self.folder)
        yield partition.value, report


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="FILE", help="BAM or FASTQ, or the two files of mates")
    parser.add_argument("-n", "--shards", type=int, default=8, help="how many shards [8]")
    parser.add_argument("-o", "--out", required=True, help="the merged report")
    parser.add_argument("--master", help="the address of a cluster [that of spark-submit, or two threads here]")
    parser.add_argument("--biofast", default=os.environ.get("BIOFAST", "biofast"), help="the program")
    args = parser.parse_args()

    plan = call(args.biofast, "shards", "--quiet", "--number", str(args.shards), *args.files)
    builder = SparkSession.builder.appName("biofast shards")
    # spark-submit has a master of its own. Here a task that fails is tried three times; on a cluster spark.task.maxFailures says how often.
    if args.master or "PYSPARK_GATEWAY_PORT" not in os.environ:
        builder = builder.master(args.master or "local[2,3]")
    spark = builder.config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    try:
        spark.dataSource.register(Reports)
        options = {"biofast": args.biofast, "folder": os.getcwd(), "shards": args.shards, "plan": plan.decode()}
        rows = spark.read.format("biofast_reports").options(**options, files="\0".join(args.files)).load()
        with tempfile.TemporaryDirectory() as folder:
            parts = {}
            # All shards at once: an iterator over the partitions would have two of them run.
            for row in rows.collect():
                path = pathlib.Path(folder) / f"{row.shard}.json"
                path.write_bytes(row.report)
                parts[row.shard] = str(path)
            call(args.biofast, "merge", "--json", *(parts[number] for number in sorted(parts)), "-o", args.out)
    finally:
        spark.stop()


if __name__ == "__main__":
    try:
        main()
    except (RuntimeError, PySparkException) as error:
        sys.exit(str(error))
