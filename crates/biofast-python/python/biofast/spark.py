"""Reads and alignments as a data source of Spark 4: a partition for each shard, and batches of Arrow from it.

    from biofast.spark import Records
    spark.dataSource.register(Records)
    reads = spark.read.format("biofast").option("columns", "name,length").option("shards", 16).load("reads.fq.gz")

The path may be a pattern (``lane*.fq.gz``); the files need the same columns. What can be cut (``biofast.scan(path).shards(16)``) is read in ``shards`` (8, if it isn't said) parts, shared among the files, and anything else in one for each file. Options are those of
:func:`biofast.scan`: ``columns`` (with commas), ``region``, ``filter``, ``reference``, ``batch_size``. The executors need this package, and the file under the same name.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from ._errors import Error, UsageError
from ._scan import Scan, scan

OPTIONS = {"path", "columns", "region", "filter", "reference", "batch_size", "shards", "allow_missing_eof"}


class Records(DataSource):
    """The records of a file of reads or alignments, with the columns of :func:`biofast.scan`."""

    @classmethod
    def name(cls) -> str:
        """What ``spark.read.format`` takes."""
        return "biofast"

    def schema(self) -> StructType:
        """The columns, as Spark has them."""
        return from_arrow_schema(_plain(pyarrow.schema(self._scan(self._paths()[0]))))

    def reader(self, schema: StructType) -> DataSourceReader:
        """What reads the parts."""
        return _Reader(self._shards())

    def _paths(self) -> list[str]:
        """The files, those of a pattern in the order of their names."""
        path = self.options.get("path")
        if not path:
            raise UsageError("load() takes the path of a file, or a pattern")
        paths = [path] if os.path.exists(path) or not glob.has_magic(path) else sorted(glob.glob(path))
        if not paths:
            raise UsageError(f"no file matches {path}")
        return paths

    def _scan(self, path: str) -> Scan:
        unknown = sorted(set(self.options) - OPTIONS)
        if unknown:
            raise UsageError(f"no option {unknown[0]}; there are {', '.join(sorted(OPTIONS))}")
        columns = self.options.get("columns")
        size = self.options.get("batch_size")
        return scan(
            path,
            [column.strip() for column in columns.split(",")] if columns else None,
            region=self.options.get("region"),
            filter=self.options.get("filter"),
            reference=self.options.get("reference"),
            allow_missing_eof=str(self.options.get("allow_missing_eof", "")).lower() == "true",
            batch_size=int(size) if size else None,
            # Executors have a core for each task.
            threads=1,
        )

    def _shards(self) -> Sequence[Scan]:
        paths = self._paths()
        asked = self.options.get("shards")
        # One is read as it is: no plan is needed.
        number = -(-int(asked or 8) // len(paths))
        return [shard for path in paths for shard in self._parts(self._scan(path), number, bool(asked))]

    def _parts(self, whole: Scan, number: int, is_asked: bool) -> Sequence[Scan]:
        if self.options.get("region") or number == 1:
            return [whole]
        try:
            return whole.shards(number)
        except Error:
            if is_asked:
                raise
            return [whole]


class _Reader(DataSourceReader):
    def __init__(self, shards: Sequence[Scan]) -> None:
        self._shards = shards

    def partitions(self) -> Sequence[InputPartition]:
        return [InputPartition(shard) for shard in self._shards]

    def read(self, partition: InputPartition) -> Iterator[pyarrow.RecordBatch]:
        for batch in partition.value:
            made = pyarrow.record_batch(batch)
            yield made.cast(_plain(made.schema))


def _plain(schema: Any) -> Any:
    """The same without what Spark has none of: dictionaries, and numbers without a sign."""
    return pyarrow.schema([field.with_type(_plain_type(field.type)) for field in schema])


def _plain_type(kind: Any) -> Any:
    types = pyarrow.types
    if types.is_dictionary(kind):
        return kind.value_type
    if types.is_list(kind):
        return pyarrow.list_(kind.value_field.with_type(_plain_type(kind.value_type)))
    if types.is_struct(kind):
        return pyarrow.struct([field.with_type(_plain_type(field.type)) for field in kind])
    # Each into the next larger one.
    larger = {pyarrow.uint8(): pyarrow.int16(), pyarrow.uint16(): pyarrow.int32(), pyarrow.uint32(): pyarrow.int64()}
    return larger.get(kind, kind)
