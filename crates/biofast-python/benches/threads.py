"""Measures what a fold over batches gains with threads, of a function that is Python all through.

python benches/threads.py READS.fq.gz [--workers 1,2] [--runs 3]

Words of six bases are counted. A Python with a lock for its interpreter runs one of the threads at a time; a free-threaded one (3.14t) runs all. Printed are the median, the
smallest and the largest time, and the commonest word, which must be the same.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections import Counter

import biofast


def count_words(batch: biofast.Batch) -> Counter[bytes]:
    """The words of six bases in a batch, side by side."""
    bases, places = batch.buffers("sequence")
    ends = memoryview(places).cast("i")
    words: dict[bytes, int] = {}
    for start, end in zip(ends, ends[1:]):
        for at in range(start, end - 5, 6):
            word = bases[at : at + 6]
            words[word] = words.get(word, 0) + 1
    return Counter(words)


def add(all_words: Counter[bytes], words: Counter[bytes]) -> Counter[bytes]:
    """Adds the words of a batch."""
    all_words.update(words)
    return all_words


def main() -> None:
    """Measures each number of workers in turns."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reads")
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    numbers = [int(number) for number in args.workers.split(",")]
    took: dict[int, list[float]] = {number: [] for number in numbers}
    found: set[tuple[bytes, int]] = set()
    for _ in range(args.runs):
        for number in numbers:
            start = time.perf_counter()
            words = biofast.scan(args.reads, columns=["sequence"], threads=1).fold(count_words, add, Counter(), workers=number)
            took[number].append(time.perf_counter() - start)
            found.add(words.most_common(1)[0])
    has_lock = getattr(sys, "_is_gil_enabled", lambda: True)()
    print(f"Python {sys.version.split()[0]}, {'with the lock' if has_lock else 'free-threaded'}; {found}")
    for number, times in took.items():
        print(f"{number} workers: {statistics.median(times):.3f} s ({min(times):.3f}–{max(times):.3f})")


if __name__ == "__main__":
    main()
