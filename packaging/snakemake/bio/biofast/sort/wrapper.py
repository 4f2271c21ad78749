__author__ = "The biofast developers"
__copyright__ = "Copyright 2026, the biofast developers"
__license__ = "MIT"

from snakemake.shell import shell

extra = snakemake.params.get("extra", "")
log = snakemake.log_fmt_shell(stdout=True, stderr=True)
index = "--write-index=bai" if snakemake.output.get("bai") else ""

shell(
    "biofast sort --threads {snakemake.threads} --quiet"
    " {extra} --out {snakemake.output.bam} {index} {snakemake.input.alignments} {log}"
)
