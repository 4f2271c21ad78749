"""Answers about whole files: those of the command line, byte for byte, and its errors."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import biofast
import pytest
from conftest import printed


@pytest.mark.parametrize("name", ["reads.fq", "aln.sam"])
def test_the_report_has_the_bytes_of_the_command_line(folder: Path, program: list[str], name: str) -> None:
    report = biofast.stats(name)
    assert report.to_json().encode() == printed(program, "stats", "--json", name)
    assert report.to_dict() == json.loads(report.to_json())
    subprocess.run([*program, "stats", name, "--html", "page.html", "-o", "table.txt"], check=True)
    assert report.to_html() == Path("page.html").read_text()
    assert "<iframe srcdoc=" in report._repr_html_()


def test_figures_are_attributes_of_one_sample_and_of_each_of_several(folder: Path) -> None:
    report = biofast.stats(Path("reads.fq"))
    assert (report.reads, report.quality.encoding, report.length.max) == (3, "phred33", 12)
    both = biofast.stats(["reads.fq", Path("more.fq")])
    assert [file.reads for file in both.files] == [3, 2]
    assert both["more.fq"].bases == 8
    with pytest.raises(AttributeError):
        both.reads
    with pytest.raises(AttributeError, match="no figure 'nonsense'"):
        report.nonsense


def test_help_has_every_option_of_every_command() -> None:
    import pydoc

    from biofast import _options

    documented = 0
    for name in biofast.__all__:
        function = getattr(biofast, name)
        options = getattr(function, "__annotations__", {}).get("options")
        if options is None:
            continue
        documented += 1
        kind = getattr(_options, options.removeprefix("Unpack[").removesuffix("]"))
        text = pydoc.plain(pydoc.render_doc(function))
        for option in kind.__annotations__:
            assert re.search(rf"(?m)^[ |]+(\w+, )*{option}(, \w+)* : ", text), (name, option)
    assert documented == 30


def test_answers_pickle(folder: Path) -> None:
    report = biofast.stats("reads.fq")
    again = pickle.loads(pickle.dumps(report))
    assert type(again) is biofast.Report and again.to_json() == report.to_json() and again.reads == 3


def test_counts_of_alignments(folder: Path, program: list[str]) -> None:
    assert biofast.flagstat("aln.sam").to_json().encode() == printed(program, "flagstat", "-O", "json", "aln.sam")
    assert biofast.idxstats("aln.sam").to_text().encode() == printed(program, "idxstats", "aln.sam")
    assert biofast.idxstats("aln.sam")[-1] == ("*", 0, 0, 1)
    assert biofast.coverage("aln.sam")[0]["length"] == 1500


def test_checksums_are_compared(folder: Path, program: list[str]) -> None:
    sums = biofast.checksum("aln.sam", t="NM")
    assert sums.to_json().encode() == printed(program, "checksum", "--json", "-t", "NM", "aln.sam")
    assert sums and sums.rules.tags == "NM" and sums.files[0].all.all.count == 4
    with pytest.raises(ValueError, match="against="):
        sums.equal
    same = biofast.checksum("reads.fq", against=["reads.fq"])
    assert same and same.equal
    other = biofast.checksum(["reads.fq", "more.fq"], against="reads.fq")
    assert not other and not other.equal and other.comparison.differences[0].found == "5"
    with pytest.raises(biofast.Error):
        biofast.checksum("cut.fq", against="reads.fq")


def test_a_check_answers_what_is_wrong(folder: Path) -> None:
    found = biofast.check(["reads.fq", "cut.fq"])
    assert not found and [file.status for file in found.files] == ["ok", "fault"]
    assert biofast.check("reads.fq")


def test_a_cut_file_is_an_error_with_its_place_and_what_was_counted(folder: Path) -> None:
    with pytest.raises(biofast.FormatError) as caught:
        biofast.stats("cut.fq")
    error = caught.value
    assert (error.path, error.record, error.line) == ("cut.fq", 2, 8)
    assert error.report.reads == 1
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.record) == (biofast.FormatError, str(error), 2)


def test_cut_blocks_name_their_offset(folder: Path) -> None:
    biofast.filter("reads.fq", "reads.fq.gz")
    whole = Path("reads.fq.gz").read_bytes()
    Path("reads.fq.gz").write_bytes(whole[: len(whole) - 40])
    with pytest.raises(biofast.FormatError) as caught:
        biofast.stats("reads.fq.gz")
    assert caught.value.offset is not None and caught.value.path == "reads.fq.gz"


def test_other_errors_are_those_of_python(folder: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        biofast.stats("no.fq")
    assert isinstance(caught.value, biofast.Error) and caught.value.filename == "no.fq"
    with pytest.raises(IsADirectoryError):
        biofast.flagstat(folder)
    with pytest.raises(biofast.UsageError, match="no-such-option"):
        biofast.stats("reads.fq", no_such_option=1)
    with pytest.raises(biofast.UsageError, match="the list is empty"):
        biofast.stats([])
    with pytest.raises(ValueError, match="min-len"):
        biofast.filter("reads.fq", "out.fq", min_len="many")


def test_warnings_are_warnings(folder: Path) -> None:
    Path("blank.fq").write_text("@a\nA\n+\nI\n\n@b\nA\n+\nI\n")
    with pytest.warns(biofast.InputWarning, match="blank"):
        biofast.stats("blank.fq")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        biofast.stats("reads.fq")


def test_new_files_are_those_of_the_command_line(folder: Path, program: list[str]) -> None:
    summary = biofast.filter("reads.fq", "long.fq", min_len=8)
    assert summary.summary.after_filtering.total_reads == 2
    assert Path("long.fq").read_bytes() == printed(program, "filter", "reads.fq", "--min-len", "8", "--quiet")
    biofast.filter(["reads.fq", "mates.fq"], "1.fq", out2="2.fq", min_len=8)
    assert biofast.stats(["1.fq", "2.fq"], paired=True).files[0].reads == 1
    assert biofast.dedup(["reads.fq"], "once.fq")["summary"]
    biofast.split("reads.fq", "part_{part}.fq", by_part=3)
    assert sorted(path.name for path in folder.glob("part_*")) == ["part_001.fq", "part_002.fq", "part_003.fq"]


def test_reads_in_other_formats_and_orders(folder: Path) -> None:
    biofast.convert("reads.fq", "reads.fa")
    assert Path("reads.fa").read_text().startswith(">r1 first\nACGTACGT\n")
    biofast.shuffle("reads.fq", "any.fq", seed=7)
    biofast.sort("any.fq", "sorted.fq", key="length")
    assert biofast.stats("sorted.fq").bases == 24 and Path("sorted.fq").read_text().startswith("@r2")


def test_sorted_merged_and_indexed_alignments(folder: Path) -> None:
    biofast.sort("aln.sam", "a.bam", n=True)
    biofast.sort("a.bam", "b.bam", write_index=True)
    assert Path("b.bam.bai").exists() or Path("b.bam.csi").exists()
    biofast.merge(["b.bam", "b.bam"], "c.bam")
    biofast.index("c.bam")
    assert biofast.flagstat("c.bam", region="chr1")["QC-passed reads"]["total"] == 6


def test_marked_duplicates(folder: Path, program: list[str]) -> None:
    read = "\t0\tchr1\t10\t60\t4M\t*\t0\t0\tACGT\t"
    Path("twice.sam").write_text(f"@SQ\tSN:chr1\tLN:1000\na{read}IIII\nb{read}5555\n")
    found = biofast.markdup("twice.sam", "marked.sam", stats="stats.json", no_PG=True)
    assert (found.summary.records, found.summary.duplicates.duplicate_single) == (2, 1)
    assert json.loads(Path("stats.json").read_text())["files"][0]["records"]["passed"]["duplicates"] == 1
    assert [one.is_duplicate for one in biofast.open("marked.sam")] == [False, True]
    assert Path("marked.sam").read_bytes() == printed(program, "markdup", "twice.sam", "--quiet", "--no-PG", "-O", "sam")
    biofast.markdup("twice.sam", "once.bam", remove_duplicates=True)
    assert biofast.flagstat("once.bam")["QC-passed reads"]["total"] == 1


def test_alignments_are_rewritten_as_by_the_command_line(folder: Path, program: list[str]) -> None:
    Path("names.tsv").write_text("chr1\t1\n")
    biofast.collate("aln.sam", "grouped.bam", no_PG=True)
    rewrites: list[tuple[Any, str, str, dict[str, Any]]] = [
        (biofast.collate, "collate", "aln.sam", {}),
        (biofast.fixmate, "fixmate", "grouped.bam", {"m": True}),
        (biofast.reset, "reset", "aln.sam", {"keep_tag": "RG"}),
        (biofast.retag, "retag", "aln.sam", {"remove_tag": "NM,XF"}),
        (biofast.rename_contigs, "rename-contigs", "aln.sam", {"table": "names.tsv"}),
        (biofast.addreplacerg, "addreplacerg", "aln.sam", {"rg_line": ["ID:x", "SM:y"]}),
    ]
    for function, command, name, options in rewrites:
        assert function(name, "out.sam", no_PG=True, **options) is None
        words = [word for key, value in options.items() for one in (value if isinstance(value, list) else [value])
                 for word in (["-" + key] if value is True else [f"--{key.replace('_', '-')}", one])]
        expected = printed(program, command, name, "--no-PG", "--output-format", "sam", "--quiet", *words)
        assert Path("out.sam").read_bytes() == expected and len(expected) > 100, command
        with pytest.raises(biofast.UsageError, match=command):
            function(name, None, **options)
    biofast.split_by_tag("aln.sam", "of_{value}.sam", "RG", unassigned="rest.sam")
    assert [read.query_name for read in biofast.open("of_g.sam")] == ["a", "a"]
    assert [read.query_name for read in biofast.open("rest.sam")] == ["b", "c"]


def test_depths_sequences_joined_and_saved_files(folder: Path, program: list[str]) -> None:
    rows = biofast.depth(["aln.sam", "aln.sam"])
    lines = ["\t".join(map(str, row)) for row in rows]
    assert "\n".join(lines).encode() + b"\n" == printed(program, "depth", "aln.sam", "aln.sam") and len(rows) > 20
    assert biofast.depth("aln.sam", out="depth.tsv") == []
    assert Path("depth.tsv").read_bytes() == printed(program, "depth", "aln.sam")
    with pytest.raises(biofast.UsageError, match="with_header"):
        biofast.depth("aln.sam", with_header=True)
    Path("x.fa").write_text(">chr1\nACGTA\nCC\n")
    assert biofast.faidx("x.fa") == "" and Path("x.fa.fai").exists()
    assert biofast.faidx("x.fa", "chr1:4-6", reverse_complement=True) == ">chr1:4-6/rc\nGTA\n"
    assert biofast.dict("x.fa", no_header=True).startswith("@SQ\tSN:chr1\tLN:7\tM5:")
    assert biofast.cat(["reads.fq", "more.fq"], "all.fq.gz").summary.records == 5
    assert biofast.stats("all.fq.gz").reads == 5
    whole = Path("all.fq.gz").read_bytes()
    Path("cut.fq.gz").write_bytes(whole[:-28])
    with pytest.warns(biofast.InputWarning, match="end-of-file"):
        saved = biofast.salvage("cut.fq.gz", "saved.fq")
    assert (saved.summary.records, saved.summary.missing) == (5, [])


def test_demux_writes_a_file_for_each_sample(folder: Path) -> None:
    Path("pooled.fq").write_text("@a\nACGTACGTTTTT\n+\nIIIIIIIIIIII\n@b\nTTGGCCAATTTT\n+\nIIIIIIIIIIII\n")
    Path("samples.tsv").write_text("sample_id\tbarcode\none\tACGTACGT\ntwo\tTTGGCCAA\n")
    biofast.demux(["pooled.fq"], "out", "samples.tsv", read_structures="8B+T")
    reads = {path.name.split(".")[0]: biofast.stats(path).reads for path in Path("out").glob("*.f*q*")}
    assert {name: count for name, count in reads.items() if name in ("one", "two")} == {"one": 1, "two": 1}


def test_no_output_replaces_its_input(folder: Path) -> None:
    before = Path("reads.fq").read_bytes()
    with pytest.raises(biofast.Error, match="reads.fq"):
        biofast.filter("reads.fq", "reads.fq")
    assert Path("reads.fq").read_bytes() == before


def test_progress_counts_the_bytes_and_its_exception_ends_the_run(folder: Path) -> None:
    seen: list[int] = []
    biofast.stats("reads.fq", progress=seen.append)
    assert seen[-1] == Path("reads.fq").stat().st_size

    # More than one chunk, so that there is something left to end.
    Path("large.fq").write_text(f"@a\n{'A' * 1000}\n+\n{'I' * 1000}\n" * 5000)

    def stop(_: int) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        biofast.filter("large.fq", "out.fq", progress=stop)
    assert not Path("out.fq").exists()


def test_two_runs_at_once_keep_their_answers_apart(folder: Path) -> None:
    counts: dict[str, set[int]] = {"reads.fq": set(), "more.fq": set()}

    def work(name: str) -> None:
        for _ in range(20):
            counts[name].add(biofast.stats(name, threads=1).reads)

    threads = [threading.Thread(target=work, args=[name]) for name in counts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == {"reads.fq": {3}, "more.fq": {2}}


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("goes_on", [True, False], ids=["while data come", "while none come"])
def test_control_c_ends_a_run_within_a_second_and_leaves_nothing(folder: Path, goes_on: bool) -> None:
    # Whoever starts the tests in the background has the signal ignored, and so have all below it.
    code = (
        "import biofast, signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "try:\n biofast.filter('-', 'out.fq')\nexcept KeyboardInterrupt:\n print('interrupted', flush=True)"
    )
    command = [sys.executable, "-c", code]
    run = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: SIM115
    assert run.stdin and run.stdout
    record = b"@a\n" + b"A" * 1000 + b"\n+\n" + b"I" * 1000 + b"\n"
    stop = time.monotonic() + 1
    while time.monotonic() < stop:
        run.stdin.write(record * 100)
    sent = time.monotonic()
    run.send_signal(signal.SIGINT)
    try:
        while goes_on and run.poll() is None and time.monotonic() - sent < 5:
            run.stdin.write(record * 100)
    except BrokenPipeError:
        pass
    # What isn't interrupted says nothing, ever.
    end = threading.Timer(10, run.kill)
    end.start()
    line = run.stdout.readline()
    took = time.monotonic() - sent
    end.cancel()
    run.kill()
    run.stdout.close()
    with contextlib.suppress(BrokenPipeError):
        run.stdin.close()
    run.wait()
    assert line == b"interrupted\n"
    assert took < 1.2
    assert not Path("out.fq").exists()


def test_the_program_comes_along(folder: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "biofast", "stats", "cut.fq"], check=False, capture_output=True, text=True)
    assert done.returncode == 2 and "cut.fq" in done.stderr
    assert biofast.run(["--version"]).split() == ["biofast", biofast.__version__]


def test_outputs_and_formats_that_would_be_lost_are_refused(folder: Path) -> None:
    for out in (None, "-"):
        with pytest.raises(ValueError, match="the file to write"):
            biofast.filter("reads.fq", out)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="returns rows"):
        biofast.coverage("aln.sam", format="samtools-depth")
    assert len(biofast.coverage("aln.sam", format="tsv")) == 1
