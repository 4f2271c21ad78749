__author__ = "The biofast developers"
__copyright__ = "Copyright 2026, the biofast developers"
__license__ = "MIT"

from snakemake.shell import shell

extra = snakemake.params.get("extra", "")
log = snakemake.log_fmt_shell(stdout=True, stderr=True)
parts = len(snakemake.output.parts) // len(snakemake.input.reads)

shell(
    "biofast split --threads {snakemake.threads} --quiet"
    " {extra} --out {snakemake.params.template} --by-part {parts} {snakemake.input.reads} {log}"
)
