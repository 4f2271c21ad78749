"""Runs on Dask, Ray and Spark: the bytes of one run, also if workers and drivers are killed."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import biofast
import pytest
from biofast import cluster
from conftest import printed


def _engines() -> Iterator[Any]:
    # Ray and Spark take minutes to start all that is killed here.
    chosen = os.environ.get("BIOFAST_ENGINES", "dask").split()
    for engine, module in (("dask", "dask.distributed"), ("ray", "ray"), ("spark", "pyspark.sql")):
        import importlib.util

        found = importlib.util.find_spec(module.split(".")[0]) is not None and (engine != "spark" or shutil.which("java") is not None)
        why = f"{engine} is not installed" if engine in chosen else f"BIOFAST_ENGINES doesn't name {engine}"
        yield pytest.param(engine, marks=pytest.mark.skipif(not found or engine not in chosen, reason=why))


ENGINES = list(_engines())


@pytest.fixture
def lanes(folder: Path) -> list[str]:
    """20 files of reads; one is empty."""
    names = []
    for lane in range(20):
        reads = "".join(f"@l{lane}:{i}\n{'ACGT' * (1 + (i + lane) % 9)}\n+\n{'I5#?' * (1 + (i + lane) % 9)}\n" for i in range(0 if lane == 3 else 40))
        Path(f"lane{lane}.fq").write_text(reads)
        names.append(f"lane{lane}.fq")
    return names


def _killing(folder: Path, when: str, what: str) -> str:
    """A program that does something the first time that it is called with these words."""
    path = folder / "program"
    path.write_text(
        f'#!/bin/sh\ncase "$*" in *"{when}"*) mkdir {folder}/killed 2>/dev/null && {{ {what}; }} ;; esac\n'
        f'exec {os.environ.get("BIOFAST") or sys.executable + " -m biofast"} "$@"\n'
    )
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize("engine", ENGINES)
def test_twenty_files_give_the_bytes_of_one_run(folder: Path, program: list[str], lanes: list[str], engine: str) -> None:
    one = printed(program, "stats", "--json", *lanes)
    words = [sys.executable, "-m", "biofast", "run", "--engine", engine, "--number", "3", "--", "stats", "--json", *lanes, "-o", "out.json"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert Path("out.json").read_bytes() == one
    assert not Path("out.json.run").exists()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_worker_that_is_killed_is_replaced(folder: Path, program: list[str], lanes: list[str], engine: str) -> None:
    one = printed(program, "stats", "--json", *lanes[:4])
    killing = _killing(folder, "shards --share 5/", "kill -9 $PPID; kill -9 $$")
    words = [sys.executable, "-m", "biofast", "run", "--engine", engine, "--number=3", "--program", killing]
    done = subprocess.run([*words, "--", "stats", "--json", *lanes[:4]], capture_output=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == one and Path("killed").exists()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_driver_that_is_killed_is_continued(folder: Path, program: list[str], lanes: list[str], engine: str) -> None:
    one = printed(program, "stats", "--json", *lanes)
    killing = _killing(folder, "shards --share 30/", f"kill -9 $(cat {folder}/driver)")
    words = [sys.executable, "-m", "biofast", "run", "--engine", engine, "--number=3", "--keep-work", "--program", killing, "--work", "w"]
    words += ["--", "stats", "--json", *lanes]
    started = subprocess.run(["sh", "-c", 'echo $$ > driver; exec "$@"', "sh", *words], capture_output=True)
    assert started.returncode == -signal.SIGKILL, started.stderr
    before = {path: path.stat().st_ino for path in Path("w/parts").iterdir() if path.suffix == ".json"}
    assert before
    done = subprocess.run(words, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == one
    assert all(path.stat().st_ino == inode for path, inode in before.items()), "parts that were there were made again"
    assert len(list(Path("w/parts").iterdir())) == 60


@pytest.mark.parametrize("engine", ENGINES)
def test_errors_name_the_shard_and_the_host_and_why(folder: Path, lanes: list[str], engine: str) -> None:
    Path("lane2.fq").write_text(Path("lane2.fq").read_text() + "cut\nACG\n+\nIII\n")
    with pytest.raises(biofast.Error, match=r"the plan of lane2.fq on \S+: .*record 41.* run the same command again") as caught:
        cluster.run(["check", *lanes[:3]], engine=engine, number=2)
    assert os.uname().nodename in str(caught.value)


def test_checks_give_their_exit_code_and_clients_are_taken(folder: Path, program: list[str], lanes: list[str]) -> None:
    distributed = pytest.importorskip("dask.distributed")
    one = printed(program, "check", "--json", *lanes[:3])
    local = distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None)
    with local, distributed.Client(local) as client:
        code, text = cluster.run(["check", "--json", *lanes[:3]], engine="dask", client=client, number=2)
    assert (code, text.encode()) == (0, one)


def test_ten_thousand_tasks_are_small(folder: Path) -> None:
    cloudpickle = pytest.importorskip("cloudpickle")
    Path("r.fq").write_text("".join(f"@r{i}\nACGTACGT\n+\nIIIIIIII\n" for i in range(20_000)))
    _, work = biofast._commands.answer(["run", "-q", "--number", "10000", "--step", "prepare", "--", "stats", "--json", "r.fq"])
    biofast.run(["run", "--work", work.strip(), "--step", "plan"])
    status = json.loads(biofast.run(["run", "--work", work.strip(), "--step", "status"]))
    assert status["shards"] == len(status["missing_shards"]) == 10_000
    task = cluster.Task([sys.executable, "-m", "biofast"], status["folder"], work.strip(), "shards", 10_000, None)
    each = len(cloudpickle.dumps((cluster.share, task, 9_999)))
    plan = Path(work.strip(), "plans", "1.json").stat().st_size
    # Also if each of 100 machines reads the plan.
    assert 10_000 * each + 100 * plan < 1_000_000_000 and 10_000 * each < 10_000_000, (each, plan)


def test_words_for_other_engines_are_left_to_the_program() -> None:
    assert cluster.takes(["run", "--engine", "dask", "--", "stats"])
    assert cluster.takes(["run", "--engine=ray"])
    assert not cluster.takes(["run", "--engine", "slurm", "--", "stats", "--engine", "dask"])
    assert not cluster.takes(["run", "--", "stats", "--engine=dask"])
    assert not cluster.takes(["stats", "--engine", "dask"])
    with pytest.raises(biofast.UsageError, match="no engine 'dsak'"):
        cluster.run(["stats"], engine="dsak")
    assert pickle.loads(pickle.dumps(cluster.share)) is cluster.share


def test_a_dry_run_starts_nothing(folder: Path) -> None:
    words = [sys.executable, "-m", "biofast", "run", "--dry-run", "--engine", "dask", "--number", "4", "--", "stats", "--json", "reads.fq"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0 and "# a task of dask each" in done.stdout and "--share I/4" in done.stdout, done.stderr
    assert not Path("biofast.run").exists()
