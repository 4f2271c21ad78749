//! What to do next: a line below an error, for those who see it for the first time. Libraries say what is wrong; which
//! command or option helps is said here.

use std::error::Error;
use std::io;
use std::path::Path;

use biofast::io::{display_name, output};
use biofast::ops::filter::best;
use biofast::ops::{cat, dedup, order, repair, samtools_stats, shards, sort};
use biofast::{bam, fastq, io as bytes};

/// An error of the command line that says what helps.
#[derive(Debug)]
pub(crate) struct Hinted {
    pub(crate) message: String,
    pub(crate) hint: &'static str,
}

impl std::fmt::Display for Hinted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for Hinted {}

/// What helps with an error, or with what caused it.
pub(crate) fn of<'e>(
    causes: impl IntoIterator<Item = &'e (dyn Error + 'static)>,
) -> Option<String> {
    causes.into_iter().find_map(of_one)
}

fn of_one(error: &(dyn Error + 'static)) -> Option<String> {
    if let Some(error) = error.downcast_ref::<Hinted>() {
        return Some(error.hint.into());
    }
    if let Some(error) = error.downcast_ref::<output::Error>() {
        return of_output(error);
    }
    if let Some(samtools_stats::Failure::Reference(error)) = error.downcast_ref() {
        return match error.kind() {
            io::ErrorKind::NotFound if error.raw_os_error().is_none() => Some(
                "--reference must name the FASTA file the reads were aligned to; some files say chr1, others 1".into(),
            ),
            _ => of_one(error),
        };
    }
    let of_sort = error.downcast_ref::<sort::Problem>();
    let of_dedup = error.downcast_ref::<dedup::Problem>();
    let of_repair = error.downcast_ref::<repair::Problem>();
    let of_order = error.downcast_ref::<order::Problem>();
    let of_best = error.downcast_ref::<best::Problem>();
    if matches!(of_sort, Some(sort::Problem::Temporary(..)))
        || matches!(of_dedup, Some(dedup::Problem::Temporary(..)))
        || matches!(of_repair, Some(repair::Problem::Temporary(..)))
        || matches!(of_order, Some(order::Problem::Temporary(..)))
        || matches!(of_best, Some(best::Problem::Temporary(..)))
    {
        return Some(
            "--temp-dir names another folder; with more --memory less of it is needed".into(),
        );
    }
    if let Some(cat::Problem::NotBgzf(_)) = error.downcast_ref::<cat::Problem>() {
        return Some(
            "`biofast filter FILE -o FILE.bgz` makes BGZF of FASTQ, `biofast view -b FILE -o FILE.bam` BAM of SAM and CRAM; \
             `cat` joins plain and gzip files"
                .into(),
        );
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

const MISSING_END: &str = "the file may be cut: get it again, or see with `biofast check` what is left; if it is known to \
                           be whole, --allow-missing-eof accepts it";
const CUT: &str =
    "the file is cut: get it again and compare its size, or see with `biofast check` where it ends";
const DAMAGED: &str = "the file is damaged: get it again and compare checksums; `biofast check` says how far it is good";
const FAULTY: &str = "the file is damaged, or what wrote it has a fault: `biofast check FILE` says how far it is good";
const BROKEN_RECORD: &str = "lines are cut, missing or too many here: look at this record, and get the file again if it was copied or sent";
const OTHER_FILE: &str = "is it the right file? `biofast check FILE` says what a file holds";
const STALE_INDEX: &str = "make a new one with `biofast index FILE`, or remove it: without an index the whole file is read";

fn of_shards(error: &shards::Error) -> Option<String> {
    use shards::ErrorKind;
    let hint = match error.kind() {
        ErrorKind::Io(system) => return of_system(system, error.at().name.as_deref()),
        ErrorKind::NoPlaces(what) if what.starts_with("ordinary gzip") => {
            "`biofast index FILE` makes the seek index, FILE.bsi; `biofast filter FILE -o FILE.bgz` makes BGZF, which needs none"
        }
        ErrorKind::GzipIndex(_) => "make a new one with `biofast index FILE`",
        ErrorKind::NoPlaces(_) | ErrorKind::Wrapped => {
            "`biofast filter FILE -o FILE.bgz` makes BGZF with four lines a read, `biofast view -b FILE -o FILE.bam` BAM"
        }
        ErrorKind::Uneven { .. } => {
            "`biofast repair` brings mates together; `biofast check --paired` says where they part"
        }
        _ => return None,
    };
    Some(hint.into())
}

fn of_bytes(error: &bytes::Error) -> Option<String> {
    use bytes::ErrorKind;
    let hint = match error.kind() {
        ErrorKind::Io(system) => return of_system(system, error.at().name.as_deref()),
        ErrorKind::NotAFile("a directory") => "name the files in it, such as FOLDER/*.fastq.gz",
        ErrorKind::MissingEofBlock => MISSING_END,
        ErrorKind::Truncated(_) => CUT,
        ErrorKind::Corrupt { .. }
        | ErrorKind::ChecksumMismatch { .. }
        | ErrorKind::LengthMismatch { .. }
        | ErrorKind::BadGzipHeader(_)
        | ErrorKind::BadBlock(_)
        | ErrorKind::TrailingBytes => DAMAGED,
        ErrorKind::Nested { .. } => {
            "decompress it once, such as with `gzip -dc FILE`, and give that to biofast: `-` stands for standard input"
        }
        ErrorKind::MemoryLimit { .. } => {
            "decompress it with the program that made it, or compress it again with a smaller window or dictionary"
        }
        ErrorKind::Empty(_) => "get it again, or look at how it was made",
        ErrorKind::NotBgzf(_) => {
            "`biofast filter FILE -o FILE.bgz` makes BGZF of FASTQ, `biofast view -b FILE -o FILE.bam` BAM of SAM and CRAM"
        }
        ErrorKind::OtherRecords { .. } => {
            "plan again, of the file as it is now, with `biofast shards`"
        }
        ErrorKind::NotInBuild { feature: "remote", .. } => {
            "download the file first, or install biofast with the feature, in a clone of its source: \
             `cargo install --path crates/biofast-cli --features remote`"
        }
        ErrorKind::Shrunk | ErrorKind::Changed => {
            "something writes to the file: wait until that is done"
        }
        ErrorKind::IndexMismatch(_) => STALE_INDEX,
        _ => return None,
    };
    Some(hint.into())
}

fn of_alignments(error: &bam::Error) -> Option<String> {
    use bam::{ErrorKind, Format, Found};
    let hint = match error.kind() {
        ErrorKind::Io(error) => return of_bytes(error),
        ErrorKind::Truncated(_) => CUT,
        ErrorKind::MissingEofContainer => MISSING_END,
        ErrorKind::BadIndex(_) => STALE_INDEX,
        ErrorKind::Unsorted { .. } | ErrorKind::Misplaced { .. } => {
            "`biofast sort FILE` puts records in order: with -n, -N or -t TAG in another one than by coordinate"
        }
        ErrorKind::Output(error) => return of_output(error),
        ErrorKind::UnknownReference { .. } => {
            "`biofast view -H FILE` shows the names in its @SQ lines; some files say chr1, others 1"
        }
        ErrorKind::MissingReference { given: false, .. } => {
            "name a FASTA file that has it with --reference"
        }
        ErrorKind::MissingReference { given: true, .. } | ErrorKind::WrongReference(_) => {
            "--reference must name the FASTA file the CRAM file was written with; the header's @SQ lines may say which"
        }
        ErrorKind::NotBam(Found::Alignments(Format::Sam)) => {
            "`biofast sort FILE -o FILE.bam --write-index` makes sorted BAM and its index of it"
        }
        ErrorKind::NotBam(Found::Alignments(Format::Cram)) => {
            "`biofast view -b --write-index FILE -o FILE.bam` makes BAM and its index of it; `samtools index` makes the .crai of CRAM"
        }
        ErrorKind::NotBam(Found::MaybeFastq) => {
            "an index of FASTQ needs the blocks of BGZF: `biofast filter FILE -o FILE.bgz` writes them"
        }
        ErrorKind::NotAlignments(Found::MaybeFastq) => {
            "`biofast stats` and `biofast filter` read FASTQ; `biofast import` makes BAM of it"
        }
        ErrorKind::NotBam(_) | ErrorKind::NotAlignments(_) => OTHER_FILE,
        ErrorKind::BadHeader(_)
        | ErrorKind::BadRecord { .. }
        | ErrorKind::CigarOperation { .. }
        | ErrorKind::CigarMisfit { .. }
        | ErrorKind::BadTags { .. }
        | ErrorKind::BadCram(_) => FAULTY,
        ErrorKind::BadLine { .. } => {
            "correct or remove this line, or get the file again: it may have been cut or edited, or the program that \
             wrote it may be at fault"
        }
        ErrorKind::OtherReference { .. } => {
            "--reference must name the FASTA file the reads were aligned to; is this one of another assembly, or cut?"
        }
        ErrorKind::FastaIndex { line: Some(_), .. } => {
            "make the index again with `samtools faidx`, or remove it: without it the FASTA file is read once more"
        }
        ErrorKind::HeadersDiffer(_) => {
            "files are joined when they were aligned to the same reference: `biofast view -H FILE` shows the names (SN) and \
             lengths (LN) of its sequences"
        }
        ErrorKind::UnwritableHeader(_) => {
            "`samtools reheader` gives the file another header; `biofast check FILE` says what is wrong with this one"
        }
        ErrorKind::UnsupportedCram(..) => "make BAM of it with the program that wrote it",
        _ => return None,
    };
    Some(hint.into())
}

fn of_reads(error: &fastq::Error) -> Option<String> {
    use fastq::ErrorKind;
    let hint = match error.kind() {
        ErrorKind::Io(error) => return of_bytes(error),
        ErrorKind::Truncated { .. } => CUT,
        ErrorKind::OtherFormat { format: "BAM" | "CRAM", .. } => {
            "`biofast fastq FILE` makes FASTQ of it"
        }
        ErrorKind::OtherFormat { format: "FASTA", .. } => {
            "`convert` (lengths, parts, names), `grep`, `dedup`, `split`, `sort` and `shuffle` take FASTA; `biofast convert --quality 40 FILE` gives \
             every base this quality, for what doesn't depend on it"
        }
        ErrorKind::OtherFormat { .. } => {
            "FASTQ begins with '@'; `biofast check FILE` says what a file holds"
        }
        ErrorKind::ExpectedHeader { .. } => {
            "this is no FASTQ, FASTA, BAM, SAM or CRAM, nor compressed: is it the right file?"
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
            "either this is no FASTQ, or a record before this line has a line too many or too few"
        }
        ErrorKind::MateNamesDiffer { .. } => {
            "`biofast check --paired R1 R2` looks at any two files, and `biofast repair` pairs those that are out of step; --mates names ignores comments and also pairs names \
             that end in .1 and .2, _1 and _2, :1 and :2, or -1 and -2"
        }
        ErrorKind::MateMissing { .. } => {
            "one of the files is cut or was filtered alone: `biofast repair R1 R2 -o … --out2 …` pairs what is left; filter both \
             together, as `biofast filter R1 R2 -o … --out2 …`"
        }
        ErrorKind::Refused(why)
            if why.ends_with("is taken for DNA") || why.ends_with("is taken for RNA") =>
        {
            "--alphabet dna or --alphabet rna says what letters the other strand has; --rna2dna and --dna2rna make all reads alike"
        }
        ErrorKind::WrongMate { .. } => {
            "are the files named in the right order, first reads first? `--mates names` ignores comments such as 2:N:0; \
             `biofast repair` pairs files that are out of step"
        }
        _ => return None,
    };
    Some(hint.into())
}

/// Whether what is named so is at an address.
fn is_address(name: Option<&str>) -> bool {
    name.is_some_and(|name| biofast::io::remote::address(Path::new(name)).is_some())
}

/// What helps when the system refuses to read the file of this name.
fn of_system(error: &io::Error, name: Option<&str>) -> Option<String> {
    if error.kind() == io::ErrorKind::PermissionDenied && is_address(name) {
        return Some(
            "credentials are taken from the environment and from profiles: see docs/remote.md"
                .into(),
        );
    }
    match error.kind() {
        io::ErrorKind::NotFound if is_address(name) => None,
        io::ErrorKind::NotFound => Some(match name.map(Path::new).and_then(neighbour) {
            Some(other) => format!("is it {other}?"),
            None => "is the name spelt right, and is it in this folder?".into(),
        }),
        io::ErrorKind::PermissionDenied => Some("look at the permissions with ls -l".into()),
        io::ErrorKind::IsADirectory => {
            Some("name the files in it, such as FOLDER/*.fastq.gz".into())
        }
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
                    "its hidden file is gone: does another run write to the same name?".into(),
                );
            }
            let folder = display_name(folder);
            return Some(format!("there is no folder {folder}: make it with mkdir -p {folder}"));
        }
        io::ErrorKind::IsADirectory => "that is a folder: name a file in it",
        io::ErrorKind::StorageFull => "the disk is full: make room, or write to another one",
        io::ErrorKind::FileTooLarge => "files may not be that large here: see ulimit -f",
        io::ErrorKind::PermissionDenied => "write to a folder of your own",
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
    let near = distance <= name.len() / 4 + 1 && !found.starts_with('.');
    near.then(|| path.with_file_name(found).display().to_string())
}
