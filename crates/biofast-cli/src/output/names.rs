//! What the name of an output says about its format.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use biofast_io::display_name;
use biofast_io::output::Format;

use crate::console::Hinted;
use crate::session::Session;

/// An error: a name whose extension promises another format than is written.
fn misnamed(path: &Path, written: &str, hint: &'static str) -> anyhow::Error {
    let (name, extension) = (display_name(path), inner_ending(path));
    Hinted::error(format!("{name} would hold {written}, but its extension is .{extension}"), hint)
}

/// What no reads and no alignments are taken to be in.
fn is_of_documents(ending: &str) -> bool {
    matches!(ending, "html" | "htm" | "json" | "csv" | "pdf" | "png" | "svg" | "xlsx")
}

/// Refuses a name that promises a document, where a text report is written.
pub(crate) fn refuse_document(path: Option<&Path>) -> Result<()> {
    let Some(path) = path else { return Ok(()) };
    let hint = match ending(path).as_str() {
        "html" | "htm" => "`biofast stats` and `coverage` write HTML reports with --html FILE",
        "csv" | "xlsx" => {
            "name it .tsv or .txt, or leave out -o; -T writes tab-separated values where a command has it"
        }
        "pdf" | "png" | "svg" => "HTML reports (--html FILE of `stats` and `coverage`) have charts",
        _ => return Ok(()),
    };
    Err(misnamed(path, "a text report", hint))
}

/// How FASTQ that goes to this file is compressed. A name that promises what isn't written is refused.
pub(crate) fn format_of_reads(path: &Path) -> Result<Format> {
    match inner_ending(path).as_str() {
        "bam" | "sam" | "cram" => {
            let hint = "name it .fq or .fq.gz; to convert reads to BAM use `biofast import`; for alignments use `sort`, `view`, `filter` or `merge`";
            return Err(misnamed(path, "FASTQ", hint));
        }
        ending if is_fasta(ending) => {
            let hint = "name it .fq or .fq.gz; to write FASTA use `biofast convert --to fasta`";
            return Err(misnamed(path, "FASTQ", hint));
        }
        ending if is_of_documents(ending) => {
            return Err(misnamed(path, "reads", "name it .fq or .fq.gz"));
        }
        ending => refuse_unwritten(path, ending)?,
    }
    Ok(Format::from_name(path))
}

/// The same of reads that may be FASTA, which is then kept: its names end otherwise.
pub(crate) fn format_of_sequences(path: &Path, is_fasta_: bool) -> Result<Format> {
    let ending = inner_ending(path);
    match ending.as_str() {
        "fq" | "fastq" if is_fasta_ => {
            Err(misnamed(path, "FASTA, which has no qualities", "name it .fa or .fa.gz"))
        }
        ending if is_fasta(ending) && is_fasta_ => Ok(Format::from_name(path)),
        _ => format_of_reads(path),
    }
}

/// The same, where standard output isn't compressed.
pub(crate) fn format_of_optional(path: Option<&Path>, is_fasta: bool) -> Result<Format> {
    let path = path.filter(|path| *path != Path::new("-"));
    path.map_or(Ok(Format::Plain), |path| format_of_sequences(path, is_fasta))
}

/// The same of BAM, which is BGZF whatever its name; a name that promises another format is refused.
pub(crate) fn format_of_bam(path: &Path) -> Result<Format> {
    match inner_ending(path).as_str() {
        ending
            if matches!(ending, "cram" | "sam" | "fq" | "fastq" | "txt" | "tsv")
                || is_fasta(ending)
                || is_of_documents(ending) =>
        {
            Err(misnamed(path, "BAM", "name it .bam"))
        }
        _ => Ok(Format::Bgzf),
    }
}

/// Refuses a name that promises another format than CRAM.
pub(crate) fn refuse_not_cram(path: &Path) -> Result<()> {
    match inner_ending(path).as_str() {
        ending
            if Format::from_name(path) != Format::Plain
                || matches!(ending, "bam" | "sam" | "fq" | "fastq" | "txt" | "tsv")
                || is_fasta(ending)
                || is_of_documents(ending) =>
        {
            Err(misnamed(path, "CRAM", "name it .cram"))
        }
        _ => Ok(()),
    }
}

/// Refuses a name that promises other than what blocks of BGZF that are copied can hold.
pub(crate) fn refuse_unjoined(path: &Path) -> Result<()> {
    match inner_ending(path).as_str() {
        "cram" => Err(misnamed(path, "BAM", "name it .bam")),
        "sam" if Format::from_name(path) == Format::Plain => {
            let hint =
                "BGZF blocks are copied: name the output .bam; to convert it use `biofast view`";
            Err(misnamed(path, "BGZF", hint))
        }
        _ => Ok(()),
    }
}

/// What a file of reads is to hold, as its name says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NamedFormat {
    Fastq,
    Fasta,
    Table,
    Bam,
}

/// What the name of a file of reads promises, if anything.
pub(crate) fn named(path: &Path) -> Option<NamedFormat> {
    match inner_ending(path).as_str() {
        "fq" | "fastq" => Some(NamedFormat::Fastq),
        ending if is_fasta(ending) => Some(NamedFormat::Fasta),
        "tsv" | "tab" | "txt" => Some(NamedFormat::Table),
        "bam" | "ubam" => Some(NamedFormat::Bam),
        _ => None,
    }
}

/// How a table of reads is compressed. A name that promises another format is refused.
pub(crate) fn format_of_table(path: &Path) -> Result<Format> {
    match inner_ending(path).as_str() {
        ending
            if matches!(ending, "bam" | "ubam" | "sam" | "cram" | "fq" | "fastq")
                || is_fasta(ending) =>
        {
            return Err(misnamed(path, "a table", "name it .tsv"));
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
        "bam" | "cram" => {
            return Err(misnamed(path, "SAM", "name it .sam, or leave out -O"));
        }
        "fq" | "fastq" => {
            let hint = "convert alignments to FASTQ with `biofast fastq`";
            return Err(misnamed(path, "alignments", hint));
        }
        ending if is_fasta(ending) => {
            let hint = "convert alignments to FASTA with `biofast fastq FILE | biofast convert --to fasta -`";
            return Err(misnamed(path, "alignments", hint));
        }
        ending if is_of_documents(ending) => {
            return Err(misnamed(path, "alignments", "name it .bam or .sam"));
        }
        ending => refuse_unwritten(path, ending)?,
    }
    Ok(Format::from_name(path))
}

fn refuse_unwritten(path: &Path, ending: &str) -> Result<()> {
    if matches!(ending, "gzip" | "bzip2" | "zstd" | "bgzip") {
        return Err(Hinted::error(
            format!(
                "can't write {}: .{ending} is not an extension of a format",
                display_name(path)
            ),
            "name it .gz or .bgz (BGZF), .zst or .bz2",
        ));
    }
    if ending == "xz" {
        return Err(Hinted::error(
            format!("can't write {}: biofast reads xz but can't write it", display_name(path)),
            "name it .gz (BGZF), .zst or .bz2",
        ));
    }
    Ok(())
}

/// Refuses a name that promises a container which nothing here writes.
pub(super) fn refuse_archive(path: &Path) -> Result<()> {
    let ending = ending(path);
    if !matches!(
        &ending[..],
        "zip" | "7z" | "rar" | "tar" | "tgz" | "tbz2" | "txz" | "lz4" | "lzma" | "lz" | "br" | "z"
    ) {
        return Ok(());
    }
    Err(Hinted::error(
        format!("can't write {}: biofast doesn't write .{ending} files", display_name(path)),
        "compressed outputs are named .gz or .bgz (BGZF), .zst or .bz2",
    ))
}

fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_ascii_lowercase().to_string_lossy().into_owned()
}

/// A value of the data as a part of a file's name: what could mean something else there is `_`.
pub(crate) fn plain_name(value: &[u8]) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "._-+=@".contains(c);
    let name = String::from_utf8_lossy(value);
    name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect()
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
            bail!("two inputs have the same name and would be written to {name}");
        }
        prefixes.push(prefix);
    }
    Ok(prefixes)
}

/// Makes a folder for outputs, unless it is there; a run that leaves it empty removes it.
pub(crate) fn make_folder(session: &mut Session, folder: &Path) -> Result<()> {
    session
        .files
        .make_folder(folder)
        .with_context(|| format!("can't create the folder {}", display_name(folder)))
}
