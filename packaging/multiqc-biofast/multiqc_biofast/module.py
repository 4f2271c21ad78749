"""The sections of biofast in a MultiQC report."""

import json
import logging
import os

from multiqc.base_module import BaseMultiqcModule, ModuleNoSamplesFound
from multiqc.plots import bargraph, heatmap, linegraph, table

log = logging.getLogger(__name__)

#: Verdicts as a heat map draws them.
RANKS = {"pass": 1, "warn": 0.5, "fail": 0}

#: Depths up to which the share of positions is drawn.
DEEPEST = 100


class MultiqcModule(BaseMultiqcModule):
    def __init__(self):
        super().__init__(
            name="biofast",
            anchor="biofast",
            href="https://github.com/biofast/biofast",
            info="checks, filters and measures sequencing reads and alignments.",
        )
        checks = self.ignore_samples(self.checks())
        filters, runs = self.runs()
        filters, runs = self.ignore_samples(filters), self.ignore_samples(runs)
        coverage = self.ignore_samples(self.coverage())
        verdicts = self.ignore_samples(self.verdicts())
        if not (checks or filters or runs or coverage or verdicts):
            raise ModuleNoSamplesFound
        log.info(
            f"Found {len(checks)} checked files, {len(verdicts)} files with verdicts, {len(runs)} runs "
            f"and {len(coverage)} files with coverage"
        )
        if checks:
            self.show_checks(checks)
        if verdicts:
            self.show_verdicts(verdicts)
        if runs:
            self.show_runs(runs)
        if filters:
            self.show_reasons(filters)
        if coverage:
            self.show_coverage(coverage)

    def reports(self, kind):
        """The reports of a kind, with what MultiQC knows of their files."""
        for found in self.find_log_files(f"biofast/{kind}"):
            try:
                report = json.loads(found["f"])
            except json.JSONDecodeError as error:
                log.warning(f"{found['fn']} is no JSON: {error}")
                continue
            version = report.get("biofast_version") or report.get("tool", {}).get("version")
            yield found, report, version

    def add(self, samples, name, figures, found, version):
        if name in samples:
            log.warning(f"Two results of sample {name}: the last one is shown")
        samples[name] = figures
        self.add_data_source(found, name)
        self.add_software_version(version, name)

    def named(self, path, found):
        """A sample's name by the file that was read."""
        return self.clean_s_name(os.path.basename(path), found)

    # What is read.

    def checks(self):
        samples = {}
        for found, report, version in self.reports("check"):
            for file in report["files"]:
                fault = file["fault"] or {}
                figures = {
                    "status": file["status"],
                    "format": file["format"],
                    "records": file["records"],
                    "warnings": len(file["warnings"]),
                    "fault": fault.get("message"),
                    "rule": fault.get("rule"),
                    "at": fault.get("record") or fault.get("line"),
                }
                # The ending is kept: R1.fq.gz and R1.bam are two files.
                name = os.path.basename(file["path"])
                known = {key: value for key, value in figures.items() if value is not None}
                self.add(samples, name, known, found, version)
        return samples

    def runs(self):
        """Reasons of filters, and amounts of all runs."""
        filters, runs = {}, {}
        for found, report, version in self.reports("filter"):
            name = found["s_name"]
            reasons = {reason: n for reason, n in report["rejected"].items() if n > 0}
            kept = report["summary"]["after_filtering"]["total_reads"]
            records = report["records"]
            self.add(filters, name, {"kept": kept, **reasons}, found, version)
            # Where nothing was cut, checksums add up; where something was, reads do.
            cut = any(kind["reads"] for kind in report["trimmed"].values())
            pieces = report.get("split", {"reads": 0, "pieces": 0})
            extra = pieces["pieces"] - pieces["reads"] - report.get("merged_pairs", 0)
            runs[name] = amounts(*(records[key] for key in ("input", "output", "rejected")), not cut, extra)
        for found, report, version in self.reports("summary"):
            files = [file for file in report.get("files", []) if not file.get("partial")]
            sums = [[file for file in files if file["role"] == role] for role in ("input", "output", "rejected")]
            if not sums[0] or not sums[1]:
                continue
            name = found["s_name"]
            added = [total(sum) for sum in sums]
            self.add(runs, name, amounts(*added, False), found, version)
        return filters, runs

    def verdicts(self):
        """What `biofast stats` says of each file, if it was asked: the faulty ones have no verdict."""
        samples = {}
        for found, report, version in self.reports("stats"):
            for file in report["files"]:
                verdicts = file.get("verdicts")
                if not verdicts:
                    continue
                group = f" {file['group']['name']}" if "group" in file else ""
                name = self.named(file["sample"], found) + group
                self.add(samples, name, verdicts, found, version)
        return samples

    def coverage(self):
        samples = {}
        for found, report, version in self.reports("coverage"):
            for file in report["files"]:
                coverage = file.get("coverage")
                if file["status"] != "ok" or not coverage or not coverage["positions"]:
                    continue
                group = f" {file['group']['name']}" if "group" in file else ""
                left, reached, counts = coverage["covered"], {}, dict(coverage["histogram"])
                for depth in range(1, DEEPEST + 1):
                    reached[depth] = 100 * left / coverage["positions"]
                    left -= counts.get(depth, 0)
                figures = {
                    "mean_depth": coverage["mean_depth"],
                    "breadth_percent": coverage["breadth_percent"],
                    "at_least_10_percent": reached[10],
                    "at_least_30_percent": reached[30],
                }
                name = self.named(file["input"], found) + group
                self.add(samples, name, {"figures": figures, "reached": reached}, found, version)
        return samples

    # What is shown.

    def show_checks(self, checks):
        headers = {
            "status": {
                "title": "Status",
                "description": "ok: good to the last byte; fault: damaged; error: not read",
                "cond_formatting_rules": {
                    "pass": [{"s_eq": "ok"}],
                    "fail": [{"s_eq": "fault"}, {"s_eq": "error"}],
                },
            },
            "format": {"title": "Format"},
            "records": {"title": "Good records", "description": "Up to the fault, if there is one", "format": "{:,.0f}"},
            "warnings": {"title": "Warnings", "description": "Kinds of oddities", "format": "{:,.0f}", "scale": False},
            "rule": {"title": "Rule", "description": "What the first fault is about"},
            "fault": {"title": "First fault"},
            "at": {"title": "Record or line", "description": "Where the first fault is", "format": "{:,.0f}", "scale": False},
        }
        bad = sorted(name for name, file in checks.items() if file["status"] != "ok")
        self.add_section(
            name="Checks",
            anchor="biofast-checks",
            description=f"{len(checks) - len(bad)} of {len(checks)} files are good to the last byte."
            + (f" Not good: {', '.join(bad)}." if bad else ""),
            plot=table.plot(checks, headers, {"id": "biofast-checks-table", "title": "biofast: checks", "col1_header": "File"}),
        )
        self.write_data_file(checks, "multiqc_biofast_checks")

    def show_verdicts(self, samples):
        self.general_stats_addcols(
            {name: {"verdict": sample["verdict"]} for name, sample in samples.items()},
            {
                "verdict": {
                    "title": "Verdict",
                    "description": "The worst verdict of biofast about the sample",
                    "cond_formatting_rules": {
                        "pass": [{"s_eq": "pass"}],
                        "warn": [{"s_eq": "warn"}],
                        "fail": [{"s_eq": "fail"}],
                    },
                }
            },
        )
        judged = {
            name: {check["check"]: check["verdict"] for check in sample["checks"]}
            for name, sample in samples.items()
        }
        names = sorted(samples)
        # In the order in which biofast has them.
        checks = list(dict.fromkeys(check for name in names for check in judged[name]))
        ranks = [[RANKS.get(judged[name].get(check)) for check in checks] for name in names]
        bad = [name for name in names if samples[name]["verdict"] == "fail"]
        self.add_section(
            name="Verdicts",
            anchor="biofast-verdicts",
            description="Figures of each sample by the limits of its type of library: passed, near them, or beyond. What "
            "isn't measured is left empty."
            + (f" Beyond a limit: {', '.join(bad)}." if bad else ""),
            plot=heatmap.plot(
                ranks,
                checks,
                names,
                {
                    "id": "biofast-verdicts-plot",
                    "title": "biofast: verdicts",
                    "xlab": "Check",
                    "ylab": "Sample",
                    "min": 0,
                    "max": 1,
                    "square": False,
                    "legend": False,
                    "display_values": False,
                    "colstops": [[0, "#d55e00"], [0.5, "#f0c75e"], [1, "#009e73"]],
                },
            ),
        )
        told = {
            f"{name}: {check['check']}": {
                "verdict": check["verdict"],
                "value": check["value"],
                "unit": check["unit"],
                "text": check["text"],
            }
            for name in names
            for check in samples[name]["checks"]
            if check["verdict"] in ("warn", "fail")
        }
        if told:
            headers = {
                "verdict": {
                    "title": "Verdict",
                    "cond_formatting_rules": {"warn": [{"s_eq": "warn"}], "fail": [{"s_eq": "fail"}]},
                },
                "value": {"title": "Value", "format": "{:,.2f}", "scale": False},
                "unit": {"title": "Unit"},
                "text": {"title": "In words"},
            }
            self.add_section(
                name="What isn't passed",
                anchor="biofast-verdicts-told",
                plot=table.plot(
                    told, headers, {"id": "biofast-verdicts-table", "title": "biofast: what isn't passed", "col1_header": "Sample and check"}
                ),
            )
        data = {name: {"verdict": samples[name]["verdict"], "library": samples[name]["library"], **judged[name]} for name in names}
        self.write_data_file(data, "multiqc_biofast_verdicts")
        self.write_data_file(told, "multiqc_biofast_verdicts_told")

    def show_runs(self, runs):
        categories = {
            "output": {"name": "Kept", "color": "#0072b2"},
            "rejected": {"name": "Rejected", "color": "#d55e00"},
        }
        wrong = sorted(name for name, run in runs.items() if run["adds_up"] != "yes")
        self.add_section(
            name="Reads in and out",
            anchor="biofast-runs",
            description="Reads (or records) of each run by what became of them. "
            + (
                f"Input is not output and rejected: {', '.join(wrong)}."
                if wrong
                else "Of all runs input = output + rejected."
            ),
            plot=bargraph.plot(
                runs,
                categories,
                {"id": "biofast-runs-plot", "title": "biofast: reads in and out", "ylab": "Reads", "cpswitch_counts_label": "Reads"},
            ),
        )
        self.write_data_file(runs, "multiqc_biofast_runs")

    def show_reasons(self, filters):
        reasons = sorted(
            {reason for run in filters.values() for reason in run} - {"kept"},
            key=lambda reason: -sum(run.get(reason, 0) for run in filters.values()),
        )
        categories = {reason: {"name": reason.replace("_", " ").capitalize()} for reason in reasons}
        if reasons:
            self.add_section(
                name="Reasons of rejection",
                anchor="biofast-reasons",
                description="Why reads were rejected: each read counts once.",
                plot=bargraph.plot(
                    filters,
                    categories,
                    {"id": "biofast-reasons-plot", "title": "biofast: reasons of rejection", "ylab": "Reads", "cpswitch_counts_label": "Reads"},
                ),
            )
        self.write_data_file(filters, "multiqc_biofast_reasons")

    def show_coverage(self, coverage):
        figures = {name: sample["figures"] for name, sample in coverage.items()}
        percent = {"suffix": "%", "min": 0, "max": 100, "scale": "Blues"}
        self.general_stats_addcols(
            figures,
            {
                "mean_depth": {"title": "Depth", "description": "Mean depth over all positions, without duplicates, overlapping mates once", "suffix": "X", "min": 0, "scale": "Greens"},
                "breadth_percent": {"title": "Covered", "description": "Positions of depth 1 and more", **percent},
                "at_least_10_percent": {"title": "≥ 10X", "description": "Positions of depth 10 and more", "hidden": True, **percent},
                "at_least_30_percent": {"title": "≥ 30X", "description": "Positions of depth 30 and more", **percent},
            },
        )
        self.add_section(
            name="Coverage",
            anchor="biofast-coverage",
            description="The share of positions that are at least so deep; duplicates, deletions and skipped stretches count nothing, and overlapping mates count once.",
            plot=linegraph.plot(
                {name: sample["reached"] for name, sample in coverage.items()},
                {"id": "biofast-coverage-plot", "title": "biofast: positions by depth reached", "xlab": "Depth", "ylab": "Positions", "ysuffix": "%", "ymin": 0, "ymax": 100},
            ),
        )
        self.write_data_file(figures, "multiqc_biofast_coverage")


def total(files):
    """The records of several files, as one."""
    checksum = sum(int(file["checksum"], 16) for file in files) % 2**64
    return {"reads": sum(file["reads"] for file in files), "checksum": f"{checksum:016x}"}


def amounts(read, kept, rejected, by_checksum, extra=0):
    """Reads by what became of them, and whether these are all: by checksums where no read was changed."""
    found = total([kept, rejected])
    adds_up = read["reads"] + extra == found["reads"]
    if by_checksum and not extra:
        adds_up = adds_up and read["checksum"] == found["checksum"]
    return {
        "input": read["reads"],
        "output": kept["reads"],
        "rejected": rejected["reads"],
        "adds_up": "yes" if adds_up else "no",
    }
