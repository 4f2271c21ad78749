"""Reads and alignments as a data source of Spark 4: a partition for each shard, and batches of Arrow from it.

    from biofast.spark import Records
    spark.dataSource.register(Records)
    reads = spark.read.format("biofast").option("columns", "name,length").option("shards", 16).load("reads.fq.gz")

What can be cut (``biofast.scan(path).shards(16)``) is read in ``shards`` (8, if it isn't said) parts, and anything else in one. Options are those of
:func:`biofast.scan`: ``columns`` (with commas), ``region``, ``filter``, ``reference``, ``batch_size``. The executors need this package, and the file under the same name.
"""

from __future__ import annotations

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
        return from_arrow_schema(_plain(pyarrow.schema(self._scan())))

    def reader(self, schema: StructType) -> DataSourceReader:
        """What reads the parts."""
        return _Reader(self._shards())

    def _scan(self) -> Scan:
        unknown = sorted(set(self.options) - OPTIONS)
        if unknown:
            raise UsageError(f"no option {unknown[0]}; there are {', '.join(sorted(OPTIONS))}")
        path = self.options.get("path")
        if not path:
            raise UsageError("load() takes the path of one file")
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
        whole = self._scan()
        number = self.options.get("shards")
        if self.options.get("region"):
            return [whole]
        try:
            return whole.shards(int(number or 8))
        except Error:
            if number and int(number) > 1:
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
