__author__ = "The biofast developers"
__copyright__ = "Copyright 2026, the biofast developers"
__license__ = "MIT"

from snakemake.shell import shell

extra = snakemake.params.get("extra", "")
log = snakemake.log_fmt_shell(stdout=True, stderr=True)

shell(
    "biofast check --threads {snakemake.threads} --quiet"
    " {extra} --out {snakemake.output.tsv} {snakemake.input.files} {log}"
)
