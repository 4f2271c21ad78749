"""Batches: the records of dnaio and pysam, in columns, in the order of the file, and errors behind the records before them."""

from __future__ import annotations

import gzip
import io
import operator
import pickle
import threading
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import biofast
import pytest

pa = pytest.importorskip("pyarrow")


def rows(*args: Any, **options: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pa.table(biofast.scan(*args, **options)).to_pylist()
    return found


@pytest.mark.parametrize("name", ["reads.fq", "aln.sam"])
def test_batches_pickle(folder: Path, name: str) -> None:
    columns = ["name", "sequence"] if name == "reads.fq" else ["name", "reference", "cigar", "start", "NM", "XF:f", "ML:B"]
    for batch in biofast.scan(name, columns=columns):
        again = pickle.loads(pickle.dumps(batch))
        assert type(again) is biofast.Batch and len(again) == len(batch)
        assert pa.record_batch(again) == pa.record_batch(batch)


def test_reads_in_columns(folder: Path) -> None:
    assert rows("reads.fq")[0] == {
        "name": "r1",
        "description": "first",
        "sequence": b"ACGTACGT",
        "qualities": b"IIIIIIII",
    }
    assert rows("reads.fq", columns=["length", "definition"])[2] == {"length": 12, "definition": "r3 third"}
    schema = pa.table(biofast.scan("reads.fq")).schema
    assert [str(field.type) for field in schema] == ["string", "string", "binary", "binary"]
    assert pa.schema(biofast.scan("reads.fq")) == schema


def test_fasta_has_no_qualities(folder: Path) -> None:
    Path("a.fa").write_text(">s one\nACGT\nAC\n>t\nA\n")
    assert rows("a.fa") == [
        {"name": "s", "description": "one", "sequence": b"ACGTAC", "qualities": None},
        {"name": "t", "description": "", "sequence": b"A", "qualities": None},
    ]


def test_alignments_in_columns(folder: Path) -> None:
    first, second, third, last = rows("aln.sam")
    assert first == {
        "name": "a",
        "flag": 99,
        "reference": "chr1",
        "start": 10,
        "end": 18,
        "mapping_quality": 60,
        "cigar": [{"op": 0, "length": 4}, {"op": 1, "length": 2}, {"op": 0, "length": 4}],
        "mate_reference": "chr1",
        "mate_start": 100,
        "template_length": 98,
        "sequence": b"ACGTACGTAC",
        "qualities": b"IIIIIIIIII",
    }
    assert (second["end"], second["qualities"], second["mate_start"]) == (30, None, None)
    assert (third["flag"], third["template_length"]) == (147, -98)
    assert (last["reference"], last["start"], last["end"], last["cigar"]) == (None, None, None, [])


def test_optional_fields_are_typed_columns(folder: Path) -> None:
    columns = ["NM", "RG", "XF:f", "ML", "cigarstring"]
    assert rows("aln.sam", columns=columns)[:2] == [
        {"NM": 2, "RG": "g", "XF:f": 1.5, "ML": None, "cigarstring": "4M2I4M"},
        {"NM": 0, "RG": None, "XF:f": None, "ML": [1, 2, 255], "cigarstring": "3S5M2D3M"},
    ]
    with pytest.raises(ValueError, match="XF:f"):
        biofast.scan("aln.sam", columns=["XF"])
    with pytest.raises(biofast.FormatError, match="RG") as caught:
        list(biofast.scan("aln.sam", columns=["RG:i"]))
    assert (caught.value.path, caught.value.record) == ("aln.sam", 1)


def test_what_there_is_not_is_told_at_once(folder: Path) -> None:
    with pytest.raises(ValueError, match="no column nonsense .* sequence"):
        biofast.scan("reads.fq", columns=["nonsense"])
    with pytest.raises(ValueError, match="no column nonsense .* cigar"):
        biofast.scan("aln.sam", columns=["nonsense"])
    with pytest.raises(ValueError, match="filter"):
        biofast.scan("aln.sam", filter="mapq >")
    with pytest.raises(ValueError, match="alignments"):
        biofast.scan("reads.fq", region="chr1")
    with pytest.raises(FileNotFoundError):
        biofast.scan("no.fq")
    with pytest.raises(ValueError, match="chr9"):
        list(biofast.scan("aln.sam", region="chr9"))


def test_filters_and_regions_select(folder: Path) -> None:
    assert [row["start"] for row in rows("aln.sam", columns=["start"], filter="mapq >= 30 && [NM] > 1")] == [10]
    assert [row["start"] for row in rows("aln.sam", columns=["start"], region="chr1:20-30")] == [20]
    biofast.sort("aln.sam", "aln.bam", write_index=True)
    both = rows("aln.bam", columns=["start"], region=["chr1:1-12", "chr1:101"])
    assert [row["start"] for row in both] == [10, 100]


def test_a_cut_file_raises_after_the_records_before_it(folder: Path) -> None:
    seen: list[bytes] = []
    with pytest.raises(biofast.FormatError) as caught:
        for batch in biofast.scan("cut.fq", columns=["sequence"], batch_size=1000):
            seen += pa.record_batch(batch)["sequence"].to_pylist()
    assert seen == [b"ACGT"]
    assert (caught.value.path, caught.value.record, caught.value.line) == ("cut.fq", 2, 8)
    with pytest.raises(Exception, match="cut.fq"):
        pa.table(biofast.scan("cut.fq"))


def test_a_record_that_is_not_what_was_asked_for_raises_after_those_before_it(folder: Path) -> None:
    fields = "XX:i:1 XX:i:2 XX:Z:two XX:i:4".split()
    record = "{}\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\t{}\n"
    Path("mixed.sam").write_text("@HD\tVN:1.6\n" + "".join(record.format(*both) for both in zip("abcd", fields)))
    for options in ({"columns": ["name"], "filter": "[XX] * 2 > 0"}, {"columns": ["name", "XX:i"]}):
        names: list[str] = []
        with pytest.raises(biofast.FormatError) as caught:
            for batch in biofast.scan("mixed.sam", **options):  # type: ignore[arg-type]
                names += pa.record_batch(batch)["name"].to_pylist()
        assert (names, caught.value.record) == (["a", "b"], 3), options
    names = []
    with pytest.raises(biofast.FormatError):
        for one in biofast.open("mixed.sam", filter="[XX] * 2 > 0"):
            names.append(one.query_name)
    assert names == ["a", "b"]


def large(path: str, number: int = 30_000) -> None:
    with open(path, "w") as file:
        for i in range(number):
            file.write(f"@read{i}\n{'ACGT' * (i % 50)}\n+\n{'I' * (i % 50) * 4}\n")


def test_batches_have_the_length_asked_for_and_the_order_of_the_file(folder: Path) -> None:
    large("large.fq")
    sizes = [len(batch) for batch in biofast.scan("large.fq", columns=["name"], batch_size=7000)]
    assert sizes == [7000] * 4 + [2000]
    expected = [f"read{i}" for i in range(30_000)]
    for threads in (1, 2, 5):
        for size in (None, 1, 999) if threads == 2 else (None,):
            if size == 1:
                some = biofast.scan("large.fq", columns=["name"], batch_size=1, threads=threads)
                assert [len(batch) for _, batch in zip(range(10), some)] == [1] * 10
                continue
            table = pa.table(biofast.scan("large.fq", columns=["name"], threads=threads, batch_size=size))
            assert table["name"].to_pylist() == expected
    with pytest.raises(ValueError):
        biofast.scan("large.fq", batch_size=0)


def test_no_columns_still_count(folder: Path) -> None:
    assert sum(len(batch) for batch in biofast.scan("reads.fq", columns=[])) == 3


def test_a_scan_starts_anew_each_time_and_pickles_but_a_reading_does_not(folder: Path) -> None:
    scan = biofast.scan("aln.sam", columns=["name"], filter="mapq > 0")
    again = pickle.loads(pickle.dumps(scan))
    for one in (scan, scan, again):
        assert sum(len(batch) for batch in one) == 3
    with pytest.raises(TypeError, match="can't be pickled"):
        pickle.dumps(iter(scan))
    with pytest.raises(TypeError, match="can't be pickled"):
        pickle.dumps(biofast.scan(io.BytesIO(b"@a\nA\n+\nI\n")))


def count(scan: biofast.Scan) -> int:
    return sum(len(batch) for batch in scan)


def test_shards_in_processes_equal_one_run(folder: Path) -> None:
    biofast.sort("aln.sam", "aln.bam", write_index=True)
    shards = [biofast.scan("aln.bam", columns=["name"], region=region) for region in ("chr1:1-50", "chr1:51-1000", "*")]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert sum(pool.map(count, shards)) == count(biofast.scan("aln.bam", columns=[])) == 4


def test_a_dask_run_over_shards_equals_one_run(folder: Path) -> None:
    dask = pytest.importorskip("dask")
    biofast.sort("aln.sam", "aln.bam", write_index=True)
    scan = biofast.scan("aln.bam", columns=["name"])
    counts = dask.compute(*[dask.delayed(count)(shard) for shard in scan.shards()], scheduler="processes", num_workers=2)
    assert counts == (3, 0, 1) and sum(counts) == count(scan)
    biofast.filter("reads.fq", "reads.fq.gz")
    reads = biofast.scan("reads.fq.gz", columns=["name"])
    assert sum(dask.compute(*map(dask.delayed(count), reads.shards(2)), scheduler="processes", num_workers=2)) == count(reads)
    with pytest.raises(ValueError, match="number of shards missing"):
        biofast.scan("reads.fq").shards()


def test_file_objects(folder: Path) -> None:
    with open("reads.fq", "rb") as file:
        scan = biofast.scan(file, columns=["name"])
        assert [len(batch) for batch in scan] == [3]
        with pytest.raises(ValueError, match="once"):
            iter(scan)
    assert pa.table(biofast.scan(io.BytesIO(Path("aln.sam").read_bytes()))).num_rows == 4

    class Broken(io.RawIOBase):
        def read(self, size: int = -1) -> bytes:
            raise RuntimeError("no more tape")

    with pytest.raises(OSError, match="no more tape"):
        list(biofast.scan(Broken()))


def test_a_fold_calls_on_other_threads_and_combines_in_order(folder: Path) -> None:
    large("large.fq")
    threads = set()

    def first(batch: biofast.Batch) -> list[str]:
        threads.add(threading.get_ident())
        names: list[str] = pa.record_batch(batch)["name"].to_pylist()
        return names

    scan = biofast.scan("large.fq", columns=["name"], batch_size=1000)
    assert scan.fold(first, operator.add, [], workers=3) == [f"read{i}" for i in range(30_000)]
    assert threading.get_ident() not in threads

    def fails(_: biofast.Batch) -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        scan.fold(fails, operator.add)


def test_a_reading_that_is_left_ends(folder: Path) -> None:
    large("large.fq")
    before = threading.active_count()
    for _ in range(50):
        next(iter(biofast.scan("large.fq", batch_size=10)))
    assert threading.active_count() == before


def test_polars_takes_only_what_it_needs(folder: Path) -> None:
    pl = pytest.importorskip("polars")
    frame = biofast.scan_fastq("reads.fq")
    assert frame.collect_schema() == {"name": pl.String, "description": pl.String, "sequence": pl.Binary, "qualities": pl.Binary}
    assert frame.select(pl.len()).collect().item() == 3
    assert frame.head(2).select("name").collect()["name"].to_list() == ["r1", "r2"]
    aligned = biofast.scan_bam("aln.sam", columns=["name", "reference", "start", "cigar", "NM"])
    found = aligned.filter(pl.col("start") > 10).select("name", pl.col("NM").sum().alias("sum")).collect()
    assert found.rows() == [("b", 1), ("a", 1)]
    assert aligned.group_by("reference").len().sort("len").collect().rows() == [(None, 1), ("chr1", 3)]
    assert pl.DataFrame(biofast.scan("reads.fq")).equals(frame.collect())
    with pytest.raises(Exception, match="cut.fq"):
        biofast.scan_fastq("cut.fq").collect()


def test_pandas_takes_batches(folder: Path) -> None:
    pytest.importorskip("pandas")
    frame = pa.table(biofast.scan("aln.sam")).to_pandas()
    assert frame["reference"].astype(object).fillna("-").tolist() == ["chr1", "chr1", "chr1", "-"]


def test_the_matrix_of_qualities(folder: Path) -> None:
    np = pytest.importorskip("numpy")
    batch = next(iter(biofast.scan("reads.fq", columns=["qualities"])))
    matrix = biofast.quality_matrix(batch)
    assert matrix.shape == (3, 12)
    assert matrix[1].tolist() == [40, 40, 0, 0] + [255] * 8
    assert biofast.quality_matrix(batch, 2).tolist() == [[40, 40], [40, 40], [37, 37]]
    assert biofast.quality_matrix(batch, 14).shape == (3, 14)
    one = next(iter(biofast.scan("more.fq", columns=["qualities"])))
    assert np.array_equal(biofast.quality_matrix(one), [[40] * 4, [2] * 4])


def test_warnings_come_at_the_end(folder: Path) -> None:
    Path("blank.fq").write_text("@a\nA\n+\nI\n\n@b\nA\n+\nI\n")
    with pytest.warns(biofast.InputWarning, match="blank"):
        assert sum(len(batch) for batch in biofast.scan("blank.fq")) == 2
    with pytest.raises(biofast.FormatError):
        list(biofast.scan("blank.fq", strict=True))


def test_shards_of_a_plan_are_the_whole(folder: Path) -> None:
    biofast.filter("reads.fq", "reads.fq.gz")
    biofast.sort("aln.sam", "aln.bam")
    Path("plain.gz").write_bytes(gzip.compress(Path("reads.fq").read_bytes()))
    biofast.index("plain.gz")
    for name, options in (("reads.fq", {}), ("reads.fq.gz", {}), ("plain.gz", {}), ("aln.bam", {"filter": "mapq >= 20"})):
        scan = biofast.scan(name, columns=["name", "sequence"], **options)
        whole = pa.table(scan).to_pylist()
        for number in (1, 2, 7):
            shards = [pickle.loads(pickle.dumps(shard)) for shard in biofast.scan(name, columns=["name", "sequence"], **options).shards(number)]
            assert len(shards) == number
            assert [row for shard in shards for row in pa.table(shard).to_pylist()] == whole
    # Each knows its own part of the plan only.
    assert len(pickle.dumps(biofast.scan("reads.fq").shards(500)[7])) < 2000


def test_a_shard_of_a_changed_file_is_an_error(folder: Path) -> None:
    first, second = biofast.scan("reads.fq").shards(2)
    kept = pickle.dumps(second)
    Path("reads.fq").write_text(Path("reads.fq").read_text().replace("ATATATATATCG", "ATATATATATCC"))
    for read in (lambda: list(first), lambda: pickle.loads(kept)):
        with pytest.raises(biofast.FormatError, match="reads.fq"):
            read()
    for ask in (lambda: biofast.scan("aln.sam").shards(2), lambda: first.shards(2), lambda: biofast.scan("aln.sam", region="chr1").shards(2)):
        with pytest.raises(biofast.Error):
            ask()
