//! What the name of an output says about its format.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use biofast::io::display_name;
use biofast::io::output::{Files, Format};

/// How FASTQ that goes to this file is compressed. A name that promises what isn't written is refused.
pub(crate) fn format_of_reads(path: &Path) -> Result<Format> {
    match inner_ending(path).as_str() {
        "cram" => bail!(
            "can't write {}: CRAM is read, not written, and this is to hold FASTQ; name it .fq or .fq.gz",
            display_name(path)
        ),
        "bam" | "sam" => bail!(
            "{} is to hold FASTQ: name it .fq or .fq.gz; `biofast import` makes BAM of FASTQ, `biofast view` BAM and SAM of alignments",
            display_name(path)
        ),
        ending if is_fasta(ending) => bail!(
            "can't write {}: reads are written as FASTQ, not as FASTA; name it .fq or .fq.gz",
            display_name(path)
        ),
        ending => refuse_unwritten(path, ending)?,
    }
    Ok(Format::from_name(path))
}

/// The same of reads that may be FASTA, which is then kept: its names end otherwise.
pub(crate) fn format_of_sequences(path: &Path, is_fasta_: bool) -> Result<Format> {
    let ending = inner_ending(path);
    match ending.as_str() {
        "fq" | "fastq" if is_fasta_ => {
            bail!("{} is to hold FASTA, which has no qualities: name it .fa", display_name(path))
        }
        ending if is_fasta(ending) && is_fasta_ => Ok(Format::from_name(path)),
        _ => format_of_reads(path),
    }
}

/// The same of BAM, which is BGZF whatever its name; a name that promises another format is refused.
pub(crate) fn format_of_bam(path: &Path) -> Result<Format> {
    match inner_ending(path).as_str() {
        "cram" => {
            bail!("can't write {}: CRAM is read, not written; name it .bam", display_name(path))
        }
        ending @ ("sam" | "fq" | "fastq") => {
            bail!("{} is to hold BAM, not {ending}: name it .bam", display_name(path))
        }
        ending if is_fasta(ending) => {
            bail!("{} is to hold BAM, not FASTA: name it .bam", display_name(path))
        }
        _ => Ok(Format::Bgzf),
    }
}

/// Refuses a name that promises other than what blocks of BGZF that are copied can hold.
pub(crate) fn refuse_unjoined(path: &Path) -> Result<()> {
    match inner_ending(path).as_str() {
        "cram" => {
            bail!("can't write {}: CRAM is read, not written; name it .bam", display_name(path))
        }
        ending @ ("sam" | "fq" | "fastq") if Format::from_name(path) == Format::Plain => bail!(
            "{} is to hold blocks of BGZF, which are copied as they are, not plain text: name it .{}",
            display_name(path),
            if ending == "sam" { "bam" } else { "fq.gz" }
        ),
        _ => Ok(()),
    }
}

/// What a file of reads is to hold, as its name says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    Fastq,
    Fasta,
    Table,
    Bam,
}

/// What the name of a file of reads promises, if anything.
pub(crate) fn named(path: &Path) -> Option<Named> {
    match inner_ending(path).as_str() {
        "fq" | "fastq" => Some(Named::Fastq),
        ending if is_fasta(ending) => Some(Named::Fasta),
        "tsv" | "tab" | "txt" => Some(Named::Table),
        "bam" | "ubam" => Some(Named::Bam),
        _ => None,
    }
}

/// How a table of reads is compressed. A name that promises another format is refused.
pub(crate) fn format_of_table(path: &Path) -> Result<Format> {
    match inner_ending(path).as_str() {
        ending @ ("bam" | "ubam" | "sam" | "cram" | "fq" | "fastq") => {
            bail!("{} is to hold a table, not {ending}: name it .tsv", display_name(path))
        }
        ending if is_fasta(ending) => {
            bail!("{} is to hold a table, not FASTA: name it .tsv", display_name(path))
        }
        ending => refuse_unwritten(path, ending)?,
    }
    Ok(Format::from_name(path))
}

fn is_fasta(ending: &str) -> bool {
    matches!(ending, "fa" | "fasta" | "fna" | "ffn" | "faa" | "frn" | "fas")
}

/// The ending of a file's name, without that of its compression.
fn inner_ending(path: &Path) -> String {
    match Format::from_name(path) {
        Format::Plain => ending(path),
        _ => path.file_stem().map(|stem| ending(stem.as_ref())).unwrap_or_default(),
    }
}

/// The same of SAM.
pub(crate) fn format_of_sam(path: &Path) -> Result<Format> {
    match inner_ending(path).as_str() {
        "cram" => {
            bail!(
                "can't write {}: CRAM is read, not written; name it .bam or .sam",
                display_name(path)
            )
        }
        "fq" | "fastq" => {
            bail!(
                "{} is to hold alignments; `biofast fastq` makes FASTQ of them",
                display_name(path)
            )
        }
        ending if is_fasta(ending) => {
            bail!("{} is to hold alignments, not FASTA", display_name(path))
        }
        ending => refuse_unwritten(path, ending)?,
    }
    Ok(Format::from_name(path))
}

fn refuse_unwritten(path: &Path, ending: &str) -> Result<()> {
    if ending == "xz" {
        bail!(
            "can't write {}: {ending} is read, not written; name it .gz (BGZF), .zst or .bz2",
            display_name(path)
        );
    }
    Ok(())
}

fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_ascii_lowercase().to_string_lossy().into_owned()
}

/// Where a file's name ends in `extension`, whatever the case.
pub(crate) fn has_extension(path: Option<&Path>, extension: &str) -> bool {
    path.is_some_and(|path| ending(path) == extension)
}

/// What the names of each input's files in a folder start with; an error if two have the same.
pub(crate) fn prefixes(
    folder: &Path,
    names: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> Result<Vec<PathBuf>> {
    let mut taken = HashSet::new();
    let mut prefixes = Vec::new();
    for name in names {
        let prefix = folder.join(name.as_ref());
        if !taken.insert(prefix.clone()) {
            let name = name.as_ref().display();
            bail!("two inputs would be written to {name}: their names are the same");
        }
        prefixes.push(prefix);
    }
    Ok(prefixes)
}

/// Makes a folder for outputs, unless it is there; a run that leaves it empty removes it.
pub(crate) fn make_folder(files: &mut Files, folder: &Path) -> Result<()> {
    files
        .make_folder(folder)
        .with_context(|| format!("can't make the folder {}", display_name(folder)))
}
