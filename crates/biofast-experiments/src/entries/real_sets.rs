//! Real reads and alignments, which are no part of the repository: conditions whose set isn't there are left out.

use super::prelude::*;

/// Names the folder of the sets.
const FOLDER: &str = "BIOFAST_LAB_READS";

/// Whether a level of `data` is a generated set, or a real one that is there.
pub(super) fn is_here(data: &str) -> bool {
    !data.starts_with("real-") || path(data).is_ok()
}

/// The file of a real set.
pub(super) fn path(data: &str) -> Result<PathBuf> {
    let name = match data {
        "real-50" => "chipseq_SRR5204809-10_R1.fastq.gz",
        "real-binned" => "novaseq_binned.fastq.gz",
        "real-nanopore" => "ont_mix_permissive.fastq.gz",
        "real-4" => "novaseq4_metagenome_R1.fastq.gz",
        "real-6" => "bacteroides_6level_R1.fastq.gz",
        "real-10x-3" => "tenx_flex_3level_R2.fastq.gz",
        "real-10x-tags" => "tenx_antibody_3level_R2.fastq.gz",
        "real-10x-4" => "tenx_visium_4level.fastq.gz",
        "real-nanopore-r10" => "ont_r10_subset.fastq.gz",
        "real-hifi" => "hifi_ecoli.fastq.gz",
        "real-exomes" => "nf-cmgg_exome_10samples.bam",
        "real-e-coli" => "ecoli_k12_minimap2.bam",
        other => bail!("no set is called {other:?}"),
    };
    let folder = std::env::var_os(FOLDER).with_context(|| format!("{FOLDER} names no folder"))?;
    let path = Path::new(&folder).join(name);
    ensure!(path.exists(), "{} isn't there", path.display());
    Ok(path)
}
