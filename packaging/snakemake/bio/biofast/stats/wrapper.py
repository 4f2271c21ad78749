__author__ = "The biofast developers"
__copyright__ = "Copyright 2026, the biofast developers"
__license__ = "MIT"

from snakemake.shell import shell

extra = snakemake.params.get("extra", "")
log = snakemake.log_fmt_shell(stdout=True, stderr=True)
html = snakemake.output.get("html")
html = f"--html {html}" if html else ""

shell(
    "biofast stats --threads {snakemake.threads} --quiet"
    " {extra} --json --out {snakemake.output.json} {html} {snakemake.input.files} {log}"
)
