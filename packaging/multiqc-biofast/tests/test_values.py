"""MultiQC with the plugin shows the figures that biofast wrote: values, not presence."""

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
BIOFAST = os.environ.get("BIOFAST") or shutil.which("biofast") or str(ROOT / "target/debug/biofast")

if not os.access(BIOFAST, os.X_OK):
    pytest.skip("biofast isn't built: name it by BIOFAST", allow_module_level=True)


def biofast(*args, code=0):
    run = subprocess.run([BIOFAST, *map(str, args)], capture_output=True, text=True)
    assert run.returncode == code, run.stderr
    return run.stdout


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Reports of the sample, and the folder of MultiQC's data."""
    folder = tmp_path_factory.mktemp("multiqc")
    demo, qc = folder / "demo", folder / "qc"
    qc.mkdir()
    biofast("demo", demo)
    (demo / "cut.bam").write_bytes((demo / "aln.bam").read_bytes()[:-40])
    checks = biofast("check", "--json", demo / "R1.fq.gz", demo / "aln.bam", demo / "cut.bam", code=1)
    (qc / "checks.json").write_text(checks)
    pair = [demo / "R1.fq.gz", demo / "R2.fq.gz"]
    out = ["-o", folder / "1.fq", "--out2", folder / "2.fq"]
    biofast("filter", "--quiet", *pair, *out, "--max-n", 0, "--min-mean-qual", 25, "--summary", qc / "lane1.json")
    biofast("filter", "--quiet", pair[0], "-o", folder / "3.fq", "--cut-tail", "--min-len", 140, "--summary", qc / "lane2.json")
    biofast("dedup", "--quiet", *pair, *out, "--summary", qc / "copies.json")
    (qc / "depth.json").write_text(biofast("stats", "--json", demo / "aln.bam"))
    (qc / "judged.json").write_text(biofast("stats", "--json", "--quiet", "--library", "wgs", *pair))
    (qc / "judged-aln.json").write_text(biofast("stats", "--json", "--quiet", "--library", "wgs", demo / "aln.bam"))
    # Reads of which one was lost on the way.
    broken = json.loads((qc / "lane1.json").read_text())
    broken["records"]["output"]["reads"] -= 1
    (qc / "lost.json").write_text(json.dumps(broken, indent=2))
    multiqc = [str(Path(sys.executable).parent / "multiqc"), "--quiet", "--no-version-check", "-o", folder / "out", qc]
    subprocess.run(list(map(str, multiqc)), check=True)
    return qc, folder / "out/multiqc_data"


def rows(made, name):
    with open(made[1] / f"multiqc_biofast_{name}.txt", newline="") as file:
        return {row["Sample"]: row for row in csv.DictReader(file, delimiter="\t")}


def load(made, name):
    return json.loads((made[0] / name).read_text())


def test_checks_have_status_records_and_the_fault(made):
    files = {Path(file["path"]).name: file for file in load(made, "checks.json")["files"]}
    shown = rows(made, "checks")
    assert set(shown) == {"R1.fq.gz", "aln.bam", "cut.bam"}
    for name, file in files.items():
        assert shown[name]["status"] == file["status"]
        assert float(shown[name]["records"]) == file["records"]
    assert shown["R1.fq.gz"]["status"] == "ok" and float(shown["R1.fq.gz"]["records"]) == 2500
    assert shown["cut.bam"]["status"] == "fault"
    assert shown["cut.bam"]["fault"] == files["cut.bam"]["fault"]["message"]


def test_input_is_output_and_rejected_and_a_lost_read_is_told(made):
    shown = rows(made, "runs")
    assert {name: row["adds_up"] for name, row in shown.items()} == {
        "lane1": "yes", "lane2": "yes", "copies": "yes", "lost": "no"}
    records = load(made, "lane1.json")["records"]
    for key in ("input", "output", "rejected"):
        assert float(shown["lane1"][key]) == records[key]["reads"]
    assert float(shown["lane1"]["input"]) == 5000
    kept = load(made, "copies.json")["summary"]["kept"]["reads"]
    assert float(shown["copies"]["output"]) == kept
    page = (made[1].parent / "multiqc_report.html").read_text()
    assert "Input is not output and rejected: lost." in page


def test_every_reason_is_there_and_all_reads_are_in_the_bars(made):
    shown = rows(made, "reasons")
    for name in ("lane1", "lane2"):
        report = load(made, f"{name}.json")
        reasons = {reason: n for reason, n in report["rejected"].items() if n}
        assert reasons
        found = {key: float(n) for key, n in shown[name].items() if key not in ("Sample", "kept") and n not in ("", None)}
        assert found == reasons
        assert float(shown[name]["kept"]) + sum(found.values()) == report["summary"]["before_filtering"]["total_reads"]
    assert float(shown["lane1"]["mate_rejected"]) > 0


def test_coverage_is_that_of_the_report(made):
    coverage = load(made, "depth.json")["files"][0]["coverage"]
    row = rows(made, "coverage")["aln"]
    assert float(row["mean_depth"]) == pytest.approx(coverage["mean_depth"])
    assert float(row["breadth_percent"]) == pytest.approx(coverage["breadth_percent"])
    deep = sum(n for depth, n in coverage["histogram"] if depth >= 30)
    assert float(row["at_least_30_percent"]) == pytest.approx(100 * deep / coverage["positions"])


def test_verdicts_are_those_of_the_reports_with_their_values_and_sentences(made):
    shown, told = rows(made, "verdicts"), rows(made, "verdicts_told")
    files = [("R1", "judged.json", 0), ("R2", "judged.json", 1), ("aln", "judged-aln.json", 0)]
    assert set(shown) == {name for name, _, _ in files}
    bad = {}
    for name, report, number in files:
        verdicts = load(made, report)["files"][number]["verdicts"]
        assert (shown[name]["verdict"], shown[name]["library"]) == (verdicts["verdict"], "wgs")
        assert verdicts["checks"]
        for check in verdicts["checks"]:
            assert shown[name][check["check"]] == check["verdict"]
            if check["verdict"] in ("warn", "fail"):
                bad[f"{name}: {check['check']}"] = check
    assert bad, "the sample has something to tell"
    assert set(told) == set(bad)
    for name, check in bad.items():
        assert float(told[name]["value"]) == pytest.approx(check["value"])
        assert (told[name]["unit"], told[name]["text"]) == (check["unit"], check["text"])
    with open(made[1] / "multiqc_general_stats.txt", newline="") as file:
        general = {row["Sample"]: row for row in csv.DictReader(file, delimiter="\t")}
    (column,) = [key for key in general["R1"] if key.endswith("verdict")]
    assert all(general[name][column] == shown[name]["verdict"] for name, _, _ in files)


def test_bars_of_fastps_module_add_up_where_mates_are_rejected(made, tmp_path):
    (tmp_path / "in").mkdir()
    shutil.copy(made[0] / "lane1.json", tmp_path / "in/lane1.fastp.json")
    multiqc = [str(Path(sys.executable).parent / "multiqc"), "--quiet", "--no-version-check", "-m", "fastp"]
    subprocess.run([*multiqc, "-o", str(tmp_path / "out"), str(tmp_path / "in")], check=True)
    with open(tmp_path / "out/multiqc_data/fastp_filtered_reads_plot.txt", newline="") as file:
        (row,) = csv.DictReader(file, delimiter="\t")
    bars = {key: float(n) for key, n in row.items() if key != "Sample"}
    assert sum(bars.values()) == 5000
    assert bars["Passed Filter"] == load(made, "lane1.json")["summary"]["after_filtering"]["total_reads"]
