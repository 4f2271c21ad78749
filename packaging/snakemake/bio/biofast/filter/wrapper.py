__author__ = "The biofast developers"
__copyright__ = "Copyright 2026, the biofast developers"
__license__ = "MIT"

from snakemake.shell import shell

extra = snakemake.params.get("extra", "")
log = snakemake.log_fmt_shell(stdout=True, stderr=True)
html = snakemake.output.get("html")
html = f"--html {html}" if html else ""
kept = snakemake.output.reads
if isinstance(kept, str):
    kept = [kept]
if len(kept) > 2:
    raise ValueError("output.reads must be one file, or the two files of mates")
kept = " ".join(f"{o} {f}" for o, f in zip(["--out", "--out2"], kept))

shell(
    "biofast filter --threads {snakemake.threads} --quiet"
    " {extra} --summary {snakemake.output.json} {html} {kept} {snakemake.input.reads} {log}"
)
