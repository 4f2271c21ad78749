"""The data source of Spark: its shards are the file."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import biofast
import pytest

pytest.importorskip("pyspark.sql.datasource")
pa = pytest.importorskip("pyarrow")
pytestmark = pytest.mark.skipif(shutil.which("java") is None, reason="java is not installed")


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    import os

    from biofast.spark import Records
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    session.dataSource.register(Records)
    yield session
    session.stop()


def test_reads_and_alignments_from_shards_are_those_of_one_run(folder: Path, spark: Any) -> None:
    biofast.filter("reads.fq", "reads.fq.gz")
    biofast.sort("aln.sam", "aln.bam")
    path = str(folder / "reads.fq.gz")
    rows = spark.read.format("biofast").option("shards", 2).option("columns", "name, length").load(path)
    assert rows.rdd.getNumPartitions() == 2
    assert [tuple(row) for row in rows.collect()] == [("r1", 8), ("r2", 4), ("r3", 12)]
    assert rows.groupBy().sum("length").collect()[0][0] == biofast.stats(path).bases
    columns = ["name", "flag", "reference", "start", "cigar", "sequence", "qualities", "NM"]
    whole = pa.table(biofast.scan("aln.bam", columns=columns)).to_pylist()
    source = spark.read.format("biofast").option("columns", ",".join(columns))
    for options in ({"shards": 3}, {"shards": 1}, {}):
        got = [row.asDict(recursive=True) for row in source.options(**options).load(str(folder / "aln.bam")).collect()]
        for row in got:
            for name in ("sequence", "qualities"):
                row[name] = None if row[name] is None else bytes(row[name])
        assert got == whole
    # What can't be cut is one part.
    assert source.load(str(folder / "aln.sam")).count() == 4
    assert spark.read.format("biofast").options(region="chr1:20-30").load(str(folder / "aln.sam")).count() == 1


def test_files_of_a_pattern_are_read_in_their_order_with_a_partition_for_each_shard(folder: Path, spark: Any) -> None:
    biofast.filter("reads.fq", "lane1.fq.gz")
    biofast.filter("more.fq", "lane2.fq.gz")
    source = spark.read.format("biofast").option("columns", "name")
    for shards, partitions in ((4, 4), (2, 2), (1, 2)):
        rows = source.option("shards", shards).load(str(folder / "lane*.fq.gz"))
        assert rows.rdd.getNumPartitions() == partitions
        assert [row.name for row in rows.collect()] == ["r1", "r2", "r3", "m1", "m2"]
    with pytest.raises(Exception, match="no file matches"):
        source.load(str(folder / "none*.fq")).collect()


def test_a_cut_file_and_a_wrong_option_fail(folder: Path, spark: Any) -> None:
    with pytest.raises(Exception, match="cut.fq"):
        spark.read.format("biofast").load(str(folder / "cut.fq")).collect()
    with pytest.raises(Exception, match="no option colums"):
        spark.read.format("biofast").option("colums", "name").load(str(folder / "reads.fq")).collect()
