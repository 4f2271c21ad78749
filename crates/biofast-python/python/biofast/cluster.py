"""``biofast run`` on the workers of Dask, Ray or Spark.

    python -m biofast run --engine dask --address tcp://scheduler:8786 -- stats --json *.fastq.gz -o report.json

The same from Python, with a client of your own:

    biofast.cluster.run(["stats", "--json", *files, "-o", "report.json"], engine="dask", client=client)

What is run, planned and resumed is ``biofast run``: it keeps plans and the reports of shards in a folder that all workers must see.
A task is told the folder and its number, nothing more. Dask, Ray and Spark start tasks, and start them again if workers die.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from ._commands import answer
from ._errors import Error, UsageError

ENGINES = ("dask", "ray", "spark")


class Task(NamedTuple):
    """What all shares of a step have in common."""

    program: list[str]
    #: Where the command was typed: paths are relative to it.
    folder: str
    work: str
    step: str
    of: int
    #: Seconds, if there is a limit.
    time: float | None

    def words(self, share: object) -> list[str]:
        """The command line of a share."""
        return [*self.program, "run", "--quiet", "--work", self.work, "--step", self.step, "--share", f"{share}/{self.of}"]


def share(task: Task, at: int) -> int:
    """Does a share on a worker, and returns the exit code. What goes wrong is noted in the folder of the run."""
    try:
        done = subprocess.run(task.words(at), cwd=task.folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=task.time)
    except subprocess.TimeoutExpired:
        return 2
    return done.returncode


def _module(name: str) -> Any:
    """A module of an engine, which only who uses it needs."""
    return importlib.import_module(name)


class Asked(NamedTuple):
    """What each task is to have."""

    threads: int
    memory: int | None
    retries: int


def _on_dask(task: Task, missing: Sequence[int], asked: Asked, client: Any) -> None:
    resources = {"MEMORY": asked.memory} if asked.memory else None
    _module("dask.distributed").wait(client.map(partial(share, task), missing, pure=False, retries=asked.retries, resources=resources, key="biofast-" + task.step))


def _on_ray(task: Task, missing: Sequence[int], asked: Asked, client: Any) -> None:
    ray = _module("ray")
    remote = ray.remote(share).options(num_cpus=asked.threads, memory=asked.memory, max_retries=asked.retries)
    common = ray.put(task)
    waiting = [remote.remote(common, at) for at in missing]
    while waiting:
        _, waiting = ray.wait(waiting, num_returns=len(waiting), timeout=60)


def _on_spark(task: Task, missing: Sequence[int], asked: Asked, client: Any) -> None:
    pyarrow = _module("pyarrow")
    numbers = list(missing)

    def shares(batches: Any) -> Any:
        for batch in batches:
            places: list[int] = batch.column(0).to_pylist()
            codes = [share(task, numbers[place]) for place in places]
            yield pyarrow.record_batch({"code": pyarrow.array(codes, pyarrow.int32())})

    rows = client.range(0, len(numbers), 1, len(numbers))
    try:
        # All at once: an iterator over the rows would have two partitions run.
        rows.mapInArrow(shares, "code int").collect()
    except _module("pyspark.errors").PySparkException:
        # A worker died too often. What is missing is seen in the folder.
        return


_LAUNCH: dict[str, Callable[[Task, Sequence[int], Asked, Any], None]] = {"dask": _on_dask, "ray": _on_ray, "spark": _on_spark}


class _Connection:
    """A client of an engine: the one given, or one of its own that is closed again."""

    def __init__(self, engine: str, client: Any, address: str | None, threads: int, memory: int | None) -> None:
        self._close: list[Callable[[], object]] = []
        self.client = client
        if client is not None:
            return
        workers = max(1, (os.cpu_count() or 1) // threads)
        if engine == "dask":
            distributed = _module("dask.distributed")
            if address is None:
                # As many as there is room for; each has the memory that a shard is given.
                resources = {"MEMORY": memory} if memory else None
                cluster = distributed.LocalCluster(
                    n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None, resources=resources
                )
                self._close.append(cluster.close)
                self.client = distributed.Client(cluster)
            else:
                self.client = distributed.Client(address)
            self._close.insert(0, self.client.close)
        elif engine == "ray":
            ray = _module("ray")
            if not ray.is_initialized():
                options: dict[str, Any] = {"address": address} if address else {"include_dashboard": False}
                ray.init(log_to_driver=False, **options)
                self._close.append(ray.shutdown)
        else:
            builder = _module("pyspark.sql").SparkSession.builder.appName("biofast run").config("spark.ui.enabled", "false")
            # spark-submit has a master of its own. Here a task that fails is tried three times; on a cluster spark.task.maxFailures says how often.
            if address or "PYSPARK_GATEWAY_PORT" not in os.environ:
                builder = builder.master(address or f"local[{workers},3]")
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
            self.client = builder.getOrCreate()
            self._close.append(self.client.stop)

    def close(self) -> None:
        for close in self._close:
            close()


def run(
    words: Sequence[str],
    *,
    engine: str,
    client: Any = None,
    address: str | None = None,
    number: int | None = None,
    size: str | None = None,
    work: str | os.PathLike[str] | None = None,
    write_index: bool = False,
    keep_work: bool = False,
    memory: str | None = None,
    time: float | None = None,
    retries: int = 2,
    program: Sequence[str] | None = None,
) -> tuple[int, str]:
    """Runs a command on many files, divided into shards, on the workers of an engine, and returns the exit code (1 if a check failed) and what it prints.

    ``words`` are those that follow ``biofast``: ``["stats", "--json", "a.fq.gz", "b.fq.gz", "-o", "report.json"]``. ``engine`` is ``"dask"``,
    ``"ray"`` or ``"spark"``, and ``client`` a Dask client or a Spark session; without it, one is made for ``address``, or for this machine.
    The other arguments are options of ``biofast run``, ``time`` in seconds; ``program`` are the words that start biofast on a worker.
    The same call continues a run that was interrupted. If shards fail, :class:`Error` names the first one, its host, and why.
    """
    if engine not in ENGINES:
        raise UsageError(f"no engine {engine!r}; there are {', '.join(ENGINES)}, and biofast.run(['run', …]) for processes and SLURM")
    started = [*program] if program is not None else [sys.executable, "-m", "biofast"]
    options: list[str] = []
    for name, value in (("number", number), ("size", size), ("work", None if work is None else os.fspath(work))):
        if value is not None:
            options += [f"--{name}", str(value)]
    if write_index:
        options.append("--write-index")
    folder = answer(["run", *options, "--step", "prepare", "--", *words])[1].strip()
    at = ["run", "--work", folder, "--step"]
    status = json.loads(answer([*at, "status"])[1])
    bytes_of = None if memory is None else _bytes(memory)
    connection = _Connection(engine, client, address, status["threads"], bytes_of)
    try:
        for step, missing, total in (("plan", "missing_plans", "units"), ("shards", "missing_shards", "shards")):
            for attempt in range(retries + 1):
                if attempt:
                    status = json.loads(answer([*at, "status"])[1])
                if not status[missing] or attempt and not all(failure["again"] for failure in status["failures"]):
                    break
                task = Task(started, status["folder"], folder, step, status[total], time)
                _LAUNCH[engine](task, status[missing], Asked(status["threads"], bytes_of, retries), connection.client)
            status = json.loads(answer([*at, "status"])[1])
            if status[missing]:
                others = f" (and {len(status[missing]) - 1} more)" if len(status[missing]) > 1 else ""
                hint = f"run the same command again to continue; what is done is kept in {folder}"
                raise Error(f"{status['failures'][0]['text']}{others}; {hint}")
    finally:
        connection.close()
    return answer([*at, "merge", *(["--keep-work"] if keep_work else [])])


def _bytes(size: str) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([KMGT])(?:i?B)?", size, re.IGNORECASE)
    if match is None:
        raise UsageError(f"{size!r} is not a memory size: expected a form like 512M or 4G")
    return int(float(match[1]) * 1024 ** (1 + "KMGT".index(match[2].upper())))


def _seconds(time: str) -> float:
    match = re.fullmatch(r"(\d+)([smhd])", time, re.IGNORECASE)
    if match is None:
        raise UsageError(f"{time!r} is not a time: expected a form like 90s, 30m, 2h or 1d")
    return int(match[1]) * {"s": 1, "m": 60, "h": 3600, "d": 86400}[match[2].lower()]


def takes(words: Sequence[str]) -> bool:
    """Whether these words of a command line are for an engine of this module."""
    before = words[: words.index("--")] if "--" in words else words
    given = [word.removeprefix("--engine=") for word in before if word.startswith("--engine=")]
    given += [after for word, after in zip(before, before[1:], strict=False) if word == "--engine"]
    return words[:1] == ["run"] and any(engine in ENGINES for engine in given)


def main(words: Sequence[str]) -> int:
    """``python -m biofast run --engine dask …``: returns the exit code."""
    parser = argparse.ArgumentParser(prog="biofast run", allow_abbrev=False)
    parser.add_argument("--engine", choices=ENGINES, required=True)
    parser.add_argument("--address", help="the scheduler or master [default: workers on this machine]")
    parser.add_argument("--number", type=int)
    parser.add_argument("--size")
    parser.add_argument("--work")
    parser.add_argument("--write-index", action="store_true")
    parser.add_argument("--keep-work", action="store_true")
    parser.add_argument("--memory")
    parser.add_argument("--time")
    parser.add_argument("--retries", type=int, default=2)
    parser.add_argument("--program")
    parser.add_argument("--dry-run", action="store_true")
    parser.add_argument("words", nargs="*", metavar="COMMAND")
    after = words.index("--") if "--" in words else len(words)
    given = vars(parser.parse_args(words[1:after]))
    given["words"] = list(words[after + 1 :])
    try:
        if given.pop("dry_run"):
            sys.stdout.write(_shown(given))
            return 0
        given["time"] = None if given["time"] is None else _seconds(given["time"])
        given["program"] = None if given["program"] is None else [given["program"]]
        code, text = run(given.pop("words"), **given)
    except (Error, OSError) as error:
        sys.stderr.write(f"biofast run: error: {error}\n")
        return 2
    sys.stdout.write(text)
    return code


def _shown(given: dict[str, Any]) -> str:
    """What would be run."""
    options = [f"--{name}={given[name]}" for name in ("number", "size", "work", "program") if given[name] is not None]
    shown = answer(["run", "--dry-run", *options, "--", *given["words"]])[1]
    return re.sub(r"(?m)^# .* at once", f"# a task of {given['engine']} each", shown)
