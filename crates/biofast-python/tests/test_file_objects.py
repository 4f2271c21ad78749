"""File objects in the place of paths: as inputs of every command, with names, errors, and an end by Ctrl-C."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import biofast
import pytest


class Half:
    """Gives what it has, in small pieces, and then raises."""

    def __init__(self, data: bytes, error: Exception, name: str = "half") -> None:
        self.name, self._data, self._error = name, io.BytesIO(data), error

    def read(self, size: int = -1) -> bytes:
        got = self._data.read(min(size, 1000))
        if not got:
            raise self._error
        return got


@contextlib.contextmanager
def by_socket(data: bytes) -> Iterator[Any]:
    one, two = socket.socketpair()
    sender = threading.Thread(target=lambda: (one.sendall(data), one.close()))
    sender.start()
    with two, two.makefile("rb") as file:
        yield file
    sender.join()


@contextlib.contextmanager
def by_zip(data: bytes) -> Iterator[Any]:
    with zipfile.ZipFile("x.zip", "w") as archive:
        archive.writestr("inner.fq", data)
    with zipfile.ZipFile("x.zip") as archive, archive.open("inner.fq") as file:
        yield file


def by_gzip(data: bytes) -> Any:
    Path("x.gz").write_bytes(gzip.compress(data))
    return gzip.open("x.gz")


def by_temporary(data: bytes) -> Any:
    file = tempfile.TemporaryFile()
    file.write(data)
    file.seek(0)
    return file


class Pieces:
    """Reads as a bytearray."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)

    def read(self, size: int) -> Any:
        return bytearray(self._data.read(size))


WAYS: dict[str, Callable[[bytes], Any]] = {
    "BytesIO": lambda data: contextlib.nullcontext(io.BytesIO(data)),
    "x.gz": by_gzip,
    "inner.fq": by_zip,
    "BufferedReader": by_socket,
    "BufferedRandom": by_temporary,
    "Pieces": lambda data: contextlib.nullcontext(Pieces(data)),
}


@pytest.mark.parametrize("name", WAYS)
def test_any_binary_object_is_counted_as_its_file(folder: Path, name: str) -> None:
    with WAYS[name](Path("reads.fq").read_bytes()) as file:
        report = biofast.stats(file)
    assert report.files[0].sample == f"<file object {name}>"
    expected = biofast.stats("reads.fq").to_json().replace("reads.fq", f"<file object {name}>")
    assert json.loads(report.to_json())["files"] == json.loads(expected)["files"]
    with WAYS[name](Path("reads.fq").read_bytes()) as file:
        assert [read.id for read in biofast.open(file)] == ["r1", "r2", "r3"]


def test_every_command_takes_them(folder: Path) -> None:
    def file(name: str) -> Any:
        return io.BytesIO(Path(name).read_bytes())

    sam, reads = "aln.sam", "reads.fq"
    assert biofast.flagstat(file(sam)).to_json() == biofast.flagstat(sam).to_json()
    assert biofast.idxstats(file(sam)) == biofast.idxstats(sam)
    assert biofast.coverage(file(sam))[0]["bases"] == biofast.coverage(sam)[0]["bases"]
    assert biofast.check(file(reads)) and not biofast.check([file(reads), file("cut.fq")])
    commands: list[tuple[Any, list[str], dict[str, Any]]] = [
        (biofast.filter, [reads], {"min_len": 8}),
        (biofast.filter, [sam], {"expr": "mapq >= 30"}),
        (biofast.filter, [reads, "mates.fq"], {"out2": "2.fq", "min_len": 8}),
        (biofast.sort, [sam], {"n": True}),
        (biofast.sort, [reads], {"key": "length"}),
        (biofast.markdup, [sam], {"clear_duplicates": True}),
        (biofast.dedup, [reads], {}),
        (biofast.grep, [reads], {"pattern": "TATA"}),
        (biofast.convert, [reads], {"tail": 2}),
        (biofast.shuffle, [reads], {"seed": 3}),
        (biofast.merge, [sam, sam], {}),
    ]
    for command, names, options in commands:
        out = f"out{Path(names[0]).suffix}"
        for path in (out, "2.fq"):
            Path(path).unlink(missing_ok=True)
        command(names, out, **options)
        by_path = [Path(path).read_bytes() for path in (out, "2.fq") if Path(path).exists()]
        for path in (out, "2.fq"):
            Path(path).unlink(missing_ok=True)
        command([file(name) for name in names], out, **options)
        made = [Path(path).read_bytes() for path in (out, "2.fq") if Path(path).exists()]
        assert len(by_path) == len(made), command
        for one, two in zip(by_path, made, strict=True):
            assert [line for line in one.splitlines() if not line.startswith(b"@PG")] == [
                line for line in two.splitlines() if not line.startswith(b"@PG")
            ], command
    biofast.repair([file(reads), file("mates.fq")], "1.fq", "2.fq")
    assert biofast.stats(["1.fq", "2.fq"], paired=True).files[0].reads == 3
    biofast.split(file(reads), "part_{part}.fq", by_part=3)
    assert Path("part_003.fq").exists()
    biofast.sort(sam, "s.bam")
    biofast.index(file("s.bam"), out="s.bam.bai")
    assert [one.query_name for one in biofast.open("s.bam", region="chr1:20-30")] == ["b"]
    assert biofast.run(["view", file(sam)]) == biofast.run(["view", sam])
    biofast.filter(reads, "x.fq.gz")
    biofast.run(["cat", "-o", "xx.fq.gz", file("x.fq.gz"), file("x.fq.gz")])
    assert biofast.stats("xx.fq.gz").reads == 6
    Path("samples.tsv").write_text("sample_id\tbarcode\none\tACGTACGT\n")
    Path("pooled.fq").write_text("@a\nACGTACGTTTTT\n+\nIIIIIIIIIIII\n")
    biofast.demux([file("pooled.fq")], "out", "samples.tsv", read_structures="8B+T")
    assert [biofast.stats(path).reads for path in Path("out").glob("one*.f*q*")] == [1]


def test_objects_of_the_same_name_are_told_apart(folder: Path) -> None:
    report = biofast.stats([io.BytesIO(Path(name).read_bytes()) for name in ("reads.fq", "more.fq")])
    assert [(file.sample, file.reads) for file in report.files] == [("<file object BytesIO>", 3), ("<file object BytesIO 2>", 2)]
    file = io.BytesIO(Path("reads.fq").read_bytes())
    for call in (lambda: biofast.stats([file, file]), lambda: biofast.open(file, file)):
        with pytest.raises(biofast.Error, match="<file object BytesIO>"):
            call()


def test_a_cut_object_is_an_error_with_its_name_and_place(folder: Path) -> None:
    with open("cut.fq", "rb") as file, pytest.raises(biofast.FormatError) as caught:
        biofast.stats(file)
    error = caught.value
    assert (error.path, error.record, error.line) == ("<file object cut.fq>", 2, 8)
    assert error.report.reads == 1
    with open("cut.fq", "rb") as file, pytest.raises(biofast.FormatError):
        biofast.filter(file, "out.fq")
    assert not Path("out.fq").exists()
    # Cut where another library inflates: its exception is the cause.
    Path("x.gz").write_bytes(gzip.compress(Path("reads.fq").read_bytes())[:-12])
    for read in (biofast.stats, lambda file: list(biofast.scan(file)), lambda file: list(biofast.open(file))):
        with gzip.open("x.gz") as unpacked, pytest.raises(biofast.FormatError, match="<file object x.gz>") as caught:
            read(unpacked)
        assert isinstance(caught.value.__cause__, EOFError)
    Path("x.bz2").write_bytes(bz2.compress(Path("reads.fq").read_bytes())[:-12])
    with bz2.open("x.bz2") as unpacked, pytest.raises(biofast.FormatError, match="<file object"):
        biofast.flagstat(unpacked)


@pytest.mark.parametrize(
    "way",
    [
        biofast.stats,
        biofast.check,
        lambda file: biofast.filter(file, "out.fq"),
        lambda file: biofast.sort(file, "out.fq", key="length"),
        lambda file: biofast.dedup(file, "out.fq"),
        lambda file: list(biofast.scan(file)),
        lambda file: list(biofast.open(file)),
    ],
)
def test_what_an_object_raises_is_the_cause_and_nothing_is_left(folder: Path, way: Callable[[Any], Any]) -> None:
    before = set(folder.iterdir())
    for data in (b"", Path("reads.fq").read_bytes() * 100):
        error = ConnectionResetError("the line is dead")
        with pytest.raises(biofast.FileError, match="<file object half>.*the line is dead") as caught:
            way(Half(data, error))
        assert caught.value.__cause__ is error
    with pytest.raises(biofast.FileError, match="<file object half>.*the line is dead"):
        biofast.flagstat(Half(Path("aln.sam").read_bytes(), error))
    assert set(folder.iterdir()) == before


def test_text_is_refused_before_it_is_read(folder: Path) -> None:
    for way in (biofast.stats, biofast.scan, biofast.open, lambda file: biofast.run(["view", file])):
        with open("reads.fq") as file, pytest.raises(TypeError, match="<file object reads.fq>.*'rb'"):
            way(file)  # type: ignore[arg-type]

    class Texts:
        def read(self, size: int) -> Any:
            return "@a\nA\n+\nI\n"

    for way in (biofast.stats, lambda file: list(biofast.scan(file))):
        with pytest.raises(biofast.FileError, match="<file object Texts>.*returned str, not bytes") as caught:
            way(Texts())
        assert isinstance(caught.value.__cause__, TypeError)

    class Nothing(Texts):
        def read(self, size: int) -> Any:
            return None

    with pytest.raises(biofast.FileError, match="returned NoneType"):
        biofast.stats(Nothing())


def test_where_a_path_is_needed_the_error_says_why(folder: Path) -> None:
    def reads() -> Any:
        return io.BytesIO(Path("reads.fq").read_bytes())

    calls: list[tuple[Any, str]] = [
        (lambda: biofast.filter("reads.fq", io.BytesIO()), "out takes a path, not <file object BytesIO>: .*complete"),  # type: ignore[arg-type]
        (lambda: biofast.stats("aln.sam", reference=reads()), "reference takes a path"),
        (lambda: biofast.writer(io.BytesIO()), "appears under its name.*give a path"),  # type: ignore[arg-type]
        (lambda: biofast.scan_fastq(reads()), "each time it is collected: give a path"),  # type: ignore[arg-type]
        (lambda: biofast.scan(reads()).shards(), "index of a file"),
        (lambda: pickle.dumps(biofast.scan(reads())), "can't be pickled"),
        (lambda: biofast.stats(b"reads.fq"), "os.fsdecode"),  # type: ignore[arg-type]
        (lambda: biofast.check(42), "a path or a file object .* not int"),  # type: ignore[arg-type]
    ]
    for call, text in calls:
        with pytest.raises(TypeError, match=text):
            call()
    for call, text in (
        (lambda: biofast.index(reads()), "<file object BytesIO> has no file name to derive it from"),
        (lambda: biofast.index(reads(), name_index=True, out="x"), "a name index needs a regular file, not <file object BytesIO>"),
        (lambda: biofast.run(["shards", "--number", "2", reads()]), "<file object BytesIO> can't be divided"),
    ):
        with pytest.raises(biofast.Error, match=text):
            call()


def test_no_output_replaces_the_file_of_an_object(folder: Path) -> None:
    before = Path("reads.fq").read_bytes()
    with open("reads.fq", "rb") as file, pytest.raises(biofast.Error, match="reads.fq"):
        biofast.filter(file, "reads.fq")
    assert Path("reads.fq").read_bytes() == before


def test_paths_that_can_be_read_are_paths(folder: Path) -> None:
    class Odd(os.PathLike):  # type: ignore[type-arg]
        def __fspath__(self) -> str:
            return "reads.fq"

        def read(self, size: int) -> bytes:
            raise AssertionError("it is a path")

    assert biofast.stats(Odd()).files[0].sample == biofast.stats("reads.fq").files[0].sample
    assert len(list(biofast.open(Odd()))) == 3
    assert sum(map(len, pickle.loads(pickle.dumps(biofast.scan(Odd()))))) == 3
    biofast.filter(Odd(), folder / "out.fq", summary=folder / "out.json")
    assert Path("out.json").exists()


def test_progress_counts_what_an_object_gives(folder: Path) -> None:
    seen: list[int] = []
    biofast.stats(io.BytesIO(Path("reads.fq").read_bytes()), progress=seen.append)
    assert seen[-1] == Path("reads.fq").stat().st_size


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("way", ["biofast.filter(file, 'out.fq')", "biofast.stats(file)", "collections.deque(biofast.scan(file), maxlen=0)", "collections.deque(biofast.open(file), maxlen=0)"])
@pytest.mark.parametrize("goes_on", [True, False], ids=["while data come", "while none come"])
def test_control_c_ends_a_run_within_a_second(folder: Path, way: str, goes_on: bool) -> None:
    code = f"""
import biofast, collections, signal, time
signal.signal(signal.SIGINT, signal.default_int_handler)
class Endless:
    name, given = "endless", 0
    def read(self, size):
        self.given += 1
        if not {goes_on} and self.given > 3:
            time.sleep(20)
        return b"@a\\n" + b"A" * 1000 + b"\\n+\\n" + b"I" * 1000 + b"\\n"
file = Endless()
print("starts", flush=True)
try:
    {way}
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    run = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)  # noqa: SIM115
    assert run.stdout
    end = threading.Timer(15, run.kill)
    end.start()
    assert run.stdout.readline() == b"starts\n"
    time.sleep(0.5)
    sent = time.monotonic()
    run.send_signal(signal.SIGINT)
    line = run.stdout.readline()
    took = time.monotonic() - sent
    run.wait()
    ended = time.monotonic() - sent
    end.cancel()
    run.stdout.close()
    assert line == b"interrupted\n"
    assert took < 1.2
    # The interpreter ends, too, although a thread still waits in read().
    assert ended < 5 and run.returncode == 0
    assert not Path("out.fq").exists()
