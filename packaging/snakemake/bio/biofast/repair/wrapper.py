__author__ = "The biofast developers"
__copyright__ = "Copyright 2026, the biofast developers"
__license__ = "MIT"

from snakemake.shell import shell

extra = snakemake.params.get("extra", "")
log = snakemake.log_fmt_shell(stdout=True, stderr=True)
outputs = f"--out {snakemake.output.r1} --out2 {snakemake.output.r2}"
for name in ["orphans", "json"]:
    if snakemake.output.get(name):
        outputs += f" --{name} {snakemake.output.get(name)}"
memory = f"--memory {int(snakemake.resources.mem_mb * 0.75)}M" if "mem_mb" in snakemake.resources.keys() else ""

shell(
    "biofast repair --threads {snakemake.threads} --quiet"
    " {memory} {extra} {outputs} {snakemake.input.reads} {log}"
)
