//! What to do next: a line below an error, for those who see it for the first time. Libraries say what is wrong; which
//! command or option helps is said here.

use std::borrow::Cow;
use std::error::Error;
use std::io;
use std::path::Path;

use biofast_bam as bam;
use biofast_fastq as fastq;
use biofast_io as bytes;
use biofast_io::{Location, display_name, output};
use biofast_ops::{self as ops, Refusal, demux, qc, retag, shards, to_fastq};

use super::fault::FaultKind;

/// An error of the command line that says what helps.
#[derive(Debug)]
pub(crate) struct Hinted {
    pub(crate) message: String,
    pub(crate) hint: Cow<'static, str>,
}

impl Hinted {
    /// What is wrong, and what helps.
    pub(crate) fn error(
        message: impl Into<String>,
        hint: impl Into<Cow<'static, str>>,
    ) -> anyhow::Error {
        Hinted { message: message.into(), hint: hint.into() }.into()
    }
}

impl std::fmt::Display for Hinted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for Hinted {}

/// For what `fastq --10x` can't restore.
const INCOMPLETE: &str = "--skip-incomplete leaves out reads that can't be restored; files of the SRA may lack tags that the original BAM has";

/// What helps with an error, or with what caused it.
pub(crate) fn of<'e>(
    causes: impl IntoIterator<Item = &'e (dyn Error + 'static)>,
) -> Option<String> {
    causes.into_iter().find_map(of_one)
}

/// A hint with the name of the file at fault in the place of FILE, if it is known and means the same to a shell.
pub(super) fn with_name(hint: String, fault: Option<&(FaultKind, Box<Location>)>) -> String {
    let name = fault.and_then(|(_, at)| at.name.as_deref());
    let is_plain = |name: &&str| {
        !name.starts_with('-')
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-+=./,@%".contains(&byte))
    };
    match name.filter(is_plain) {
        Some(name) => {
            // What is converted gets another extension.
            let stem = ["gz", "fq", "fastq", "sam", "cram"].iter().fold(name, |stem, extension| {
                stem.strip_suffix(extension).and_then(|stem| stem.strip_suffix('.')).unwrap_or(stem)
            });
            hint.replace("FILE.", &format!("{stem}.")).replace(" FILE", &format!(" {name}"))
        }
        None => hint,
    }
}

fn of_one(error: &(dyn Error + 'static)) -> Option<String> {
    if let Some(error) = error.downcast_ref::<Hinted>() {
        return Some(error.hint.clone().into_owned());
    }
    if let Some(error) = error.downcast_ref::<output::Error>() {
        return of_output(error);
    }
    if let Some(qc::Failure::Reference(error)) = error.downcast_ref() {
        return match error.kind() {
            io::ErrorKind::NotFound if error.raw_os_error().is_none() => Some(
                "use --reference with the FASTA file the reads were aligned to; names must match (chr1 is not 1)".into(),
            ),
            _ => of_one(error),
        };
    }
    if let Some(error) = error.downcast_ref::<ops::Error>() {
        return of_change(error).map(str::to_owned);
    }
    if let Some(demux::BarcodeError::TooClose { .. }) = error.downcast_ref() {
        return Some("allow fewer errors: --max-mismatches 0 --min-mismatch-delta 1".into());
    }
    if let Some(demux::PlanError::Length { .. }) = error.downcast_ref() {
        return Some("correct the number before B in -r, or the barcodes in the sheet".into());
    }
    if let Some(error) = error.downcast_ref::<shards::Error>() {
        return of_shards(error);
    }
    if let Some(error) = error.downcast_ref::<bytes::Error>() {
        return of_bytes(error);
    }
    if let Some(error) = error.downcast_ref::<bam::Error>() {
        return of_alignments(error);
    }
    if let Some(error) = error.downcast_ref::<fastq::Error>() {
        return of_reads(error);
    }
    let system = error.downcast_ref::<io::Error>()?;
    if let Some(error) = system.get_ref().and_then(|inner| inner.downcast_ref::<bam::Error>()) {
        return of_alignments(error);
    }
    of_system(system, None)
}

const MISSING_END: &str =
    "copy or download the file again; if you know that it is complete use --allow-missing-eof";
const CUT: &str =
    "copy or download the file again and compare sizes; `biofast check` reports where it ends";
const DAMAGED: &str = "the file is damaged: copy or download it again and compare checksums; `biofast check` reports how much is intact";
const FAULTY: &str = "the file is damaged, or the program that wrote it has a bug; `biofast check` reports how much is intact";
const BROKEN_RECORD: &str = "a line of this record was cut, lost or added; copy or download the file again, or leave the record out with `biofast check --repair`";
const UNWRITTEN: &str = "check whether the command that wrote it failed, and run it again";
const OTHER_FILE: &str = "is this the right file? `biofast check` reports the format of a file";
const STALE_INDEX: &str =
    "rebuild it with `biofast index`, or remove it: without an index the whole file is read";

fn of_change(error: &ops::Error) -> Option<&'static str> {
    use ops::Error::{Refused, Scratch, ScratchFile};
    Some(match error {
        Scratch { .. } | ScratchFile(_) => {
            "use another folder with --temp-dir, or a higher --memory to need less space"
        }
        Refused(Refusal::NoBarcodes { .. }) => {
            "set the tag with --barcode-tag or a pattern for names with --barcode-rgx, or continue without barcodes with --allow-missing-barcodes"
        }
        Refused(Refusal::NoUmis { .. }) => {
            "name other tags with --umi-tag and --cell-tag; `biofast head -n 3 FILE` shows the tags of records"
        }
        Refused(Refusal::UnequalUmis { .. }) => {
            "check --umi-separator or --umi-tag; --method unique doesn't compare UMIs"
        }
        Refused(Refusal::NotTemplateCoordinate(_)) => {
            "sort it first: `biofast sort --template-coordinate IN.bam -o OUT.bam`"
        }
        Refused(Refusal::NotByMolecule(_)) => {
            "use the output of `biofast umi group --strategy`, or sort by molecule with `biofast sort --template-coordinate`"
        }
        Refused(Refusal::NotGrouped(_)) => {
            "group them by name first: `biofast collate IN.bam | biofast fixmate -o OUT.bam -`"
        }
        Refused(Refusal::NoMate { .. }) => INCOMPLETE,
        Refused(Refusal::Taken { .. }) => {
            "rename all reads with --rename 'r{number}'; --name-map FILE lists old and new names"
        }
        Refused(Refusal::NotBgzf(_)) => {
            "compress it first: FASTQ with `biofast filter FILE -o FILE.bgz`, SAM and CRAM with `biofast view -b FILE -o FILE.bam`"
        }
        Refused(Refusal::DamagedHeader(_)) => {
            "name a BAM or SAM file with the same reference sequences in the same order: --header FILE"
        }
        Refused(Refusal::Alignments(_)) => "name the output .bam",
        Refused(Refusal::ReadGroup { .. }) => {
            "`biofast merge` keeps all read groups of sorted files; to concatenate, use -h FILE with a header that has them"
        }
        _ => return None,
    })
}

fn of_shards(error: &shards::Error) -> Option<String> {
    use shards::ErrorKind;
    let hint = match error.kind() {
        ErrorKind::Io(system) => return of_system(system, error.at().name.as_deref()),
        ErrorKind::NoPlaces(what) if what.starts_with("ordinary gzip") => {
            "write a seek index with `biofast index FILE`, or convert the file to BGZF with `biofast filter FILE -o FILE.bgz`"
        }
        ErrorKind::GzipIndex(_) => "rebuild it with `biofast index FILE`",
        ErrorKind::NoPlaces(_) | ErrorKind::Wrapped => {
            "convert FASTQ with `biofast filter FILE -o FILE.bgz` (BGZF, four lines per read), or SAM and CRAM with `biofast view -b FILE -o FILE.bam`"
        }
        ErrorKind::Uneven { .. } => {
            "re-pair the reads with `biofast repair`; `biofast check --paired` reports where the files get out of step"
        }
        _ => return None,
    };
    Some(hint.into())
}

fn of_bytes(error: &bytes::Error) -> Option<String> {
    use bytes::ErrorKind;
    let hint = match error.kind() {
        ErrorKind::Io(system) => return of_system(system, error.at().name.as_deref()),
        ErrorKind::NoInput => "name a file, or pipe data in",
        ErrorKind::NotAFile("a directory") => "name the files in it",
        ErrorKind::MissingEofBlock => MISSING_END,
        ErrorKind::Truncated(_) => CUT,
        ErrorKind::Corrupt { .. }
        | ErrorKind::ChecksumMismatch { .. }
        | ErrorKind::LengthMismatch { .. }
        | ErrorKind::BadGzipHeader(_)
        | ErrorKind::BadBlock(_)
        | ErrorKind::TrailingBytes => DAMAGED,
        ErrorKind::Nested { .. } => "decompress it once: `gzip -dc FILE | biofast stats -`",
        ErrorKind::MemoryLimit { .. } => {
            "decompress it with the program that wrote it, or compress it with a smaller window or dictionary"
        }
        ErrorKind::Empty(_) => UNWRITTEN,
        ErrorKind::NotBgzf(_) => {
            "convert FASTQ with `biofast filter FILE -o FILE.bgz`, or SAM and CRAM with `biofast view -b FILE -o FILE.bam`"
        }
        ErrorKind::OtherRecords { .. } => {
            "the file has changed since the plan was made: write a new one with `biofast shards`"
        }
        ErrorKind::NotInBuild { feature: "remote", .. } => {
            "download the file first, or build biofast from its source with `cargo install --path crates/biofast-cli --features remote`"
        }
        ErrorKind::Shrunk | ErrorKind::Changed => {
            "another program is writing to the file: wait until it has finished"
        }
        ErrorKind::IndexMismatch(_) => STALE_INDEX,
        _ => return None,
    };
    Some(hint.into())
}

fn of_alignments(error: &bam::Error) -> Option<String> {
    use bam::{DetectedData, ErrorKind, Format};
    let hint = match error.kind() {
        ErrorKind::Io(error) => return of_bytes(error),
        ErrorKind::Truncated(_) => CUT,
        ErrorKind::MissingEofContainer => MISSING_END,
        ErrorKind::BadIndex(_)
            if error.at().name.as_deref().is_some_and(|name| name.ends_with(".fai")) =>
        {
            "rebuild it with `biofast faidx`, or remove it"
        }
        ErrorKind::BadIndex(_) => STALE_INDEX,
        ErrorKind::Misplaced { order, .. } if order.starts_with("name (with digits") => {
            "sort it by name first: `biofast sort -n FILE -o by_name.bam`"
        }
        ErrorKind::Misplaced { order, .. } if order.starts_with("name (byte") => {
            "sort it by name first: `biofast sort -N FILE -o by_name.bam`"
        }
        ErrorKind::Unsorted { .. } | ErrorKind::Misplaced { .. } => {
            "sort it first: `biofast sort FILE -o sorted.bam --write-index` (with -n, -N or -t TAG for other orders)"
        }
        ErrorKind::Output(error) => return of_output(error),
        ErrorKind::BadRegion { region, .. } if region.is_empty() && error.at().line.is_some() => {
            "BED columns are name, start (from 0) and end, separated by tabs"
        }
        ErrorKind::UnknownReference { .. } if is_bed(error.at().name.as_deref()) => {
            "`biofast view -H` lists the reference names of the alignments (@SQ lines); the BED file must use the same names"
        }
        ErrorKind::UnknownReference { region, .. } if is_bed(Some(region)) => {
            "a BED file is given with -L: -L regions.bed"
        }
        ErrorKind::UnknownReference { region, .. } if region.parse::<u64>().is_ok() => {
            "write a region without spaces, such as chr1:1000-2000"
        }
        ErrorKind::UnknownReference { region, .. } if region.contains(',') => {
            "separate several regions by spaces, or repeat --region"
        }
        ErrorKind::UnknownReference { .. } => {
            "`biofast view -H FILE` lists the reference names (@SQ lines)"
        }
        ErrorKind::MissingReference { given: false, .. } => {
            "name the FASTA file the reads were aligned to: --reference genome.fa"
        }
        ErrorKind::MissingReference { given: true, .. } | ErrorKind::WrongReference(_) => {
            "use --reference with the FASTA file the CRAM was written with (see UR in its @SQ lines); this one may be another assembly or a truncated copy"
        }
        ErrorKind::NotBam(DetectedData::Nothing)
        | ErrorKind::NotAlignments(DetectedData::Nothing) => UNWRITTEN,
        ErrorKind::NotBam(DetectedData::Alignments(Format::Sam)) => {
            "write sorted BAM and its index with `biofast sort FILE -o FILE.bam --write-index`"
        }
        ErrorKind::NotBam(DetectedData::Alignments(Format::Cram)) => {
            "convert it to BAM with `biofast view -b --write-index FILE -o FILE.bam`; `biofast index FILE` makes a .crai"
        }
        ErrorKind::NotBam(DetectedData::MaybeFastq) => {
            "to index FASTQ, convert it to BGZF first: `biofast filter FILE -o FILE.bgz`"
        }
        ErrorKind::NotAlignments(DetectedData::MaybeFastq) => {
            "for reads use `biofast stats`, `filter` or `convert`; `biofast import` converts FASTQ to unaligned BAM"
        }
        ErrorKind::NotAlignments(DetectedData::SpacedSam) => {
            "tabs are often lost in editors or by copy and paste: use the original file"
        }
        ErrorKind::NotBam(DetectedData::MaybeFasta) => "use `biofast faidx FILE` to index FASTA",
        ErrorKind::NotBam(_) | ErrorKind::NotAlignments(_) => OTHER_FILE,
        ErrorKind::BadHeader(_)
        | ErrorKind::BadRecord { .. }
        | ErrorKind::CigarOperation { .. }
        | ErrorKind::CigarMisfit { .. }
        | ErrorKind::BadTags { .. }
        | ErrorKind::BadCram(_) => FAULTY,
        ErrorKind::BadLine { .. } => {
            "the line may have been cut or edited, or the program that wrote it has a bug: correct the line, or copy or download the file again"
        }
        ErrorKind::OtherReference { .. } => {
            "use --reference with the FASTA file the reads were aligned to; this one may be another assembly or a truncated copy"
        }
        ErrorKind::FastaIndex { line: Some(_), .. } => {
            "rebuild it with `biofast faidx`, or remove it"
        }
        ErrorKind::HeadersDiffer(_) => {
            "use files aligned to the same reference; `biofast view -H FILE` lists names (SN) and lengths (LN)"
        }
        ErrorKind::Unwritable { reason, .. } if reason == retag::NO_UMI_IN_NAME => {
            "a UMI is the last part of a name, such as r1:1:2:ACGT or r1_ACGT+TTTT; --umi-separator names another character before it"
        }
        ErrorKind::Unwritable { reason, .. } if reason.starts_with(to_fastq::LACK) => INCOMPLETE,
        ErrorKind::Unwritable { reason, .. } if reason == retag::NO_UMI_IN_TAG => {
            "UMIs are in RX unless --umi-tag names another tag; `biofast head -n 3 FILE` shows the tags of records"
        }
        ErrorKind::UnwritableHeader(_) => {
            "replace the header with `biofast cat -h HEADER.sam FILE`; `biofast check FILE` reports what is wrong with this one"
        }
        ErrorKind::UnsupportedCram(..) => "convert it to BAM with the program that wrote it",
        _ => return None,
    };
    Some(hint.into())
}

fn of_reads(error: &fastq::Error) -> Option<String> {
    use fastq::ErrorKind;
    let hint = match error.kind() {
        ErrorKind::Io(error) => return of_bytes(error),
        ErrorKind::Truncated { .. } if lacks_bgzf_end(error.at().name.as_deref()) => {
            "the BGZF end-of-file block is missing, too: copy or download the file again and compare sizes"
        }
        ErrorKind::Truncated { .. } => CUT,
        ErrorKind::OtherFormat { format: "BAM" | "CRAM", .. } => {
            "convert it to FASTQ with `biofast fastq FILE`; for alignments use `sort` (with --mark-duplicates), `view` or `filter`"
        }
        ErrorKind::OtherFormat { format: "FASTA", .. } => {
            "`convert`, `grep`, `dedup`, `split`, `sort` and `shuffle` read FASTA; `biofast convert --quality 40 FILE` converts it to FASTQ"
        }
        ErrorKind::OtherFormat { .. } => {
            "FASTQ starts with '@'; `biofast check FILE` reports the format of a file"
        }
        ErrorKind::ExpectedHeader { .. } => {
            "this is neither FASTQ, FASTA, BAM, SAM or CRAM nor a compressed file: is it the right one?"
        }
        ErrorKind::ExpectedPlus { .. }
        | ErrorKind::CaptionDiffers { .. }
        | ErrorKind::LengthsDiffer { .. }
        | ErrorKind::BlankLine => BROKEN_RECORD,
        ErrorKind::InvalidBase { .. }
        | ErrorKind::InvalidQuality { .. }
        | ErrorKind::ControlInHeader { .. } => DAMAGED,
        ErrorKind::EmptyName => "give every record a name",
        ErrorKind::ExpectedAt { .. } => {
            "this is not FASTQ, or an earlier record has a line too many or too few"
        }
        ErrorKind::MateNamesDiffer { .. } => {
            "check that both files are from the same run; if reads are missing from one of them use `biofast repair`; if names end in .1/.2 or _1/_2 use --mates names"
        }
        ErrorKind::MateMissing { .. } => {
            "one file is truncated or was filtered alone: use `biofast repair`, or filter both files together (`biofast filter R1 R2 -o … --out2 …`)"
        }
        ErrorKind::Refused(why)
            if why.ends_with("was detected as DNA") || why.ends_with("was detected as RNA") =>
        {
            "set the alphabet with --alphabet dna or --alphabet rna, or convert all reads with --rna2dna or --dna2rna"
        }
        ErrorKind::WrongMate { .. } => {
            "swap the two files if first and second reads are exchanged; use `biofast repair` if reads are missing from one of them; use --mates names to ignore comments such as 2:N:0"
        }
        _ => return None,
    };
    Some(hint.into())
}

/// Whether a file is BGZF, and its end is missing.
fn lacks_bgzf_end(name: Option<&str>) -> bool {
    use std::io::{Read, Seek, SeekFrom};
    // A block of no data, in 28 bytes.
    const END: &[u8] = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0\x1b\0\x03\0\0\0\0\0\0\0\0\0";
    let read = |name: &str| -> io::Result<bool> {
        let mut file = std::fs::File::open(name)?;
        if !file.metadata()?.is_file() {
            return Ok(false);
        }
        let mut start = [0; 14];
        file.read_exact(&mut start)?;
        let mut end = [0; 28];
        file.seek(SeekFrom::End(-28))?;
        file.read_exact(&mut end)?;
        Ok(start.starts_with(&END[..4]) && start.ends_with(b"BC") && end != *END)
    };
    name.is_some_and(|name| read(name).unwrap_or(false))
}

fn is_bed(name: Option<&str>) -> bool {
    name.is_some_and(|name| name.trim_end_matches(".gz").ends_with(".bed"))
}

/// What helps with arguments of Picard's.
pub(crate) const PICARD_ARGUMENT: &str = "biofast has no arguments of the form NAME=VALUE: name the input itself, and the output after -o";

/// Whether a name looks like an argument of Picard's, such as `I=reads.bam`.
pub(crate) fn is_picard_argument(name: &str) -> bool {
    name.split_once('=').is_some_and(|(key, _)| {
        !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
    })
}

/// Whether what is named so is at an address.
fn is_address(name: Option<&str>) -> bool {
    name.is_some_and(|name| biofast_io::remote::address(Path::new(name)).is_some())
}

/// What helps when the system refuses to read the file of this name.
fn of_system(error: &io::Error, name: Option<&str>) -> Option<String> {
    if error.kind() == io::ErrorKind::PermissionDenied && is_address(name) {
        return Some(
            "set credentials in the environment or in a profile: see docs/remote.md".into(),
        );
    }
    match error.kind() {
        io::ErrorKind::NotFound if is_address(name) => None,
        io::ErrorKind::NotFound if name.is_some_and(is_picard_argument) => {
            Some(PICARD_ARGUMENT.into())
        }
        io::ErrorKind::NotFound => Some(match name.map(Path::new).and_then(neighbour) {
            Some(other) => format!("did you mean {other}?"),
            None => "check the path; names are relative to the current folder".into(),
        }),
        io::ErrorKind::PermissionDenied => Some("check the permissions with ls -l".into()),
        io::ErrorKind::IsADirectory => Some("name the files in it".into()),
        _ => None,
    }
}

/// What helps when an output can't be written.
fn of_output(error: &output::Error) -> Option<String> {
    let hint = match error.kind() {
        io::ErrorKind::NotFound => {
            let folder = Path::new(error.name()).parent();
            let folder = folder.filter(|folder| !folder.as_os_str().is_empty())?;
            if folder.is_dir() {
                return Some(
                    "its temporary file is gone: is another run writing to the same file?".into(),
                );
            }
            let folder = display_name(folder);
            return Some(format!("create the folder first: mkdir -p {folder}"));
        }
        io::ErrorKind::IsADirectory => "this is a folder: name a file in it",
        io::ErrorKind::StorageFull => "free some space, or write to another disk",
        io::ErrorKind::FileTooLarge => "the shell limits file sizes: see ulimit -f",
        io::ErrorKind::PermissionDenied => "choose a folder that you can write to",
        _ => return None,
    };
    Some(hint.into())
}

/// The file in the same folder whose name is most like that of `path`, if one is much like it.
fn neighbour(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?;
    let names = entries.take(10_000).filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let (distance, found) = names.map(|other| (strsim::levenshtein(name, &other), other)).min()?;
    // Of a name of one letter any other is one slip away.
    let stem = name.split('.').next().unwrap_or(name);
    let has_same_stem = found.split('.').next() == Some(stem);
    let near = stem.len() > 1 && (has_same_stem || distance <= 1 + stem.len() / 8);
    let near = near && !found.starts_with('.');
    near.then(|| path.with_file_name(found).display().to_string())
}
