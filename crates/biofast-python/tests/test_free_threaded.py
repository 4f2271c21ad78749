"""What only a Python without a lock for its interpreter shows: the package doesn't bring it back, and threads don't disturb each other."""

from __future__ import annotations

import io
import operator
import sys
import threading
from pathlib import Path

import biofast
import pytest


def has_lock() -> bool:
    return bool(getattr(sys, "_is_gil_enabled", lambda: True)())


@pytest.mark.skipif(has_lock(), reason="this Python has a lock for its interpreter")
def test_threads_work_side_by_side_and_the_lock_stays_off(folder: Path) -> None:
    text = Path("reads.fq").read_bytes() * 2000
    Path("many.fq").write_bytes(text)
    found: list[tuple[int, int, int, int]] = []

    def count(batch: biofast.Batch) -> int:
        bases, _ = batch.buffers("sequence")
        return sum(1 for base in bases if base == ord("G"))

    def work() -> None:
        folded = biofast.scan("many.fq", columns=["sequence"], batch_size=500).fold(count, operator.add, 0, workers=3)
        records = sum(read.sequence.count("G") for read in biofast.open(io.BytesIO(text)))
        found.append((folded, records, biofast.stats("many.fq").reads, biofast.stats(io.BytesIO(text)).bases))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [(10_000, 10_000, 6_000, 48_000)] * 4
    assert not has_lock()


@pytest.mark.skipif(has_lock(), reason="this Python has a lock for its interpreter")
def test_one_reading_in_several_threads_loses_and_doubles_nothing(folder: Path) -> None:
    Path("many.fq").write_text("".join(f"@r{number}\nACGT\n+\nIIII\n" for number in range(20_000)))
    reading = biofast.open("many.fq")
    names: list[list[str]] = [[] for _ in range(4)]

    def work(mine: list[str]) -> None:
        while True:
            try:
                mine.append(next(reading).id)
            except StopIteration:
                return
            except RuntimeError as error:
                # Another thread is at it: said, not mixed up.
                assert "borrowed" in str(error).lower()

    threads = [threading.Thread(target=work, args=[mine]) for mine in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(name for mine in names for name in mine) == sorted(f"r{number}" for number in range(20_000))
