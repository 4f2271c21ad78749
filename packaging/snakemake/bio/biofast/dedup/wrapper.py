__author__ = "The biofast developers"
__copyright__ = "Copyright 2026, the biofast developers"
__license__ = "MIT"

from snakemake.shell import shell

extra = snakemake.params.get("extra", "")
log = snakemake.log_fmt_shell(stdout=True, stderr=True)
reads = snakemake.output.reads
reads = [reads] if isinstance(reads, str) else list(reads)
if len(reads) != (1 if isinstance(snakemake.input.reads, str) else len(snakemake.input.reads)):
    raise ValueError("dedup writes as many files of reads as it reads")
outputs = f"--out {reads[0]}" + (f" --out2 {reads[1]}" if len(reads) == 2 else "")
for name in ["duplicates", "json"]:
    if snakemake.output.get(name):
        outputs += f" --{name} {snakemake.output.get(name)}"
memory = f"--memory {int(snakemake.resources.mem_mb * 0.75)}M" if "mem_mb" in snakemake.resources.keys() else ""

shell(
    "biofast dedup --threads {snakemake.threads} --quiet"
    " {memory} {extra} {outputs} {snakemake.input.reads} {log}"
)
