__author__ = "The biofast developers"
__copyright__ = "Copyright 2026, the biofast developers"
__license__ = "MIT"

from snakemake.shell import shell

extra = snakemake.params.get("extra", "")
log = snakemake.log_fmt_shell(stdout=True, stderr=True)
structures = snakemake.params.get("structures", "")
if structures:
    structures = f"--read-structures {structures}"
json = f"--summary {snakemake.output.json}" if snakemake.output.get("json") else ""

shell(
    "biofast demux --threads {snakemake.threads} --quiet {extra} {structures} {json}"
    " --inputs {snakemake.input.reads} --sample-metadata {snakemake.input.samples}"
    " --out-dir {snakemake.output.folder} {log}"
)
