__author__ = "The biofast developers"
__copyright__ = "Copyright 2026, the biofast developers"
__license__ = "MIT"

from snakemake.shell import shell

extra = snakemake.params.get("extra", "")
log = snakemake.log_fmt_shell(stdout=True, stderr=True)
prefix = snakemake.output.summary.removesuffix(".mosdepth.summary.txt")

shell(
    "biofast coverage --threads {snakemake.threads} --quiet"
    " {extra} --prefix {prefix} {snakemake.input.alignments} {log}"
)
