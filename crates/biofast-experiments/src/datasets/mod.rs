//! Generated datasets: the catalogue and the commands `datasets build | verify | list`.
//!
//! A dataset is fully described by its catalogue line and the generator's code; `manifest.toml` pins the
//! result. See `datasets/README.md`.

mod align;
pub(crate) mod count;
pub(crate) mod genome;
mod long;
pub mod manifest;
mod profile;
mod short;
mod writer;

use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, Result, bail, ensure};

use genome::Genome;
use manifest::{FileEntry, Manifest};
pub use profile::Profile;
pub(crate) use profile::{ERROR_RATE, Q_BAD, ShortTables};
use short::Names;
pub(crate) use short::{ADAPTERS, clear_length, substitute};
pub use writer::Format;
pub(crate) use writer::compress_file;

/// One line of the catalogue.
pub struct Dataset {
    /// Name on the command line and stem of the files.
    pub name: &'static str,
    profile: Profile,
    names: Names,
    /// FASTQ records; pairs of a BAM file.
    records: u64,
    seed: u64,
    /// 0 for R1 and single-end, 1 for R2.
    mate: usize,
    formats: &'static [Format],
    place: Place,
}

/// Where a dataset's files live and when they are built.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Under `generated/`, part of `--all`.
    Generated,
    /// Under `generated/`, only when named.
    OptIn,
    /// Beside the manifest, committed.
    Committed,
}

const ALL_FORMATS: &[Format] = &[Format::Fastq, Format::Gzip, Format::Bgzf];
/// The seed of the first dataset; the others count up, mates share theirs.
const SEED: u64 = 20_260_101;

const fn short(name: &'static str, profile: Profile, records: u64, seed: u64) -> Dataset {
    Dataset {
        name,
        profile,
        names: Names::Full,
        records,
        seed: SEED + seed,
        mate: 0,
        formats: ALL_FORMATS,
        place: Place::Generated,
    }
}

/// The pairs of `r1_1600k` and `r2_1600k`, or the first of them, aligned.
const fn aligned(name: &'static str, pairs: u64) -> Dataset {
    Dataset {
        names: Names::Compact,
        formats: &[Format::Bam],
        ..short(name, Profile::Hiseq, pairs, 6)
    }
}

/// All datasets.
pub const CATALOGUE: &[Dataset] = &[
    short("tiny", Profile::Hiseq, 100, 0),
    short("small", Profile::Hiseq, 1_000, 1),
    short("medium", Profile::Hiseq, 10_000, 2),
    short("large", Profile::Hiseq, 100_000, 3),
    short("vlarge", Profile::Hiseq, 1_000_000, 4),
    Dataset { place: Place::OptIn, ..short("huge", Profile::Hiseq, 10_000_000, 5) },
    Dataset { names: Names::Compact, ..short("r1_1600k", Profile::Hiseq, 1_600_000, 6) },
    Dataset { names: Names::Compact, mate: 1, ..short("r2_1600k", Profile::Hiseq, 1_600_000, 6) },
    short("novaseq_100k", Profile::Novaseq, 100_000, 7),
    short("long_10k", Profile::Nanopore, 10_000, 8),
    aligned("aln_50k", 50_000),
    aligned("aln_1600k", 1_600_000),
    Dataset {
        formats: &[Format::Bgzf],
        place: Place::Committed,
        ..short("sample_R1", Profile::Hiseq, 2_500, 9)
    },
    Dataset {
        formats: &[Format::Bgzf],
        place: Place::Committed,
        mate: 1,
        ..short("sample_R2", Profile::Hiseq, 2_500, 9)
    },
];

impl Dataset {
    /// The path of one of its files, relative to the datasets directory.
    fn file(&self, format: Format) -> String {
        let folder = if self.place == Place::Committed { "" } else { "generated/" };
        format!("{folder}{}.{}", self.name, format.extension())
    }
}

/// The datasets called `names` (`sample` means both files of the sample); with none, all but the opt-in ones.
/// Whether there is a dataset of this name, or are files of it.
pub fn is_known(name: &str) -> bool {
    select(std::slice::from_ref(&name.to_owned())).is_ok()
}

fn select(names: &[String]) -> Result<Vec<&'static Dataset>> {
    if names.is_empty() {
        return Ok(CATALOGUE.iter().filter(|d| d.place != Place::OptIn).collect());
    }
    let mut selected = Vec::new();
    for name in names {
        let before = selected.len();
        selected.extend(
            CATALOGUE
                .iter()
                .filter(|d| d.name == name || (name == "sample" && d.place == Place::Committed)),
        );
        ensure!(
            selected.len() > before,
            "no dataset is called {name:?}; `datasets list` shows them"
        );
    }
    Ok(selected)
}

/// Hands the text of a FASTQ dataset to `sink`, in parts of whole records, without writing a file.
pub(crate) fn generate(name: &str, sink: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
    writer::generate(find(name)?, &Genome::new(), sink)?;
    Ok(())
}

/// The path of a dataset's file, relative to the datasets directory.
pub(crate) fn file_of(name: &str, format: Format) -> Result<String> {
    let dataset = find(name)?;
    ensure!(dataset.formats.contains(&format), "{name} has no .{}", format.extension());
    Ok(dataset.file(format))
}

fn find(name: &str) -> Result<&'static Dataset> {
    CATALOGUE
        .iter()
        .find(|d| d.name == name)
        .with_context(|| format!("no dataset is called {name:?}; `datasets list` shows them"))
}

/// Every file of the catalogue, in order.
fn all_files() -> Vec<String> {
    CATALOGUE.iter().flat_map(|d| d.formats.iter().map(|&f| d.file(f))).collect()
}

/// `datasets build`: writes the files of `names` (all if empty) under `dir` and checks them against the
/// manifest there, or writes the manifest.
pub fn build(names: &[String], dir: &Path, update_manifest: bool) -> Result<()> {
    let selected = select(names)?;
    let mut manifest = Manifest::read(dir)?;
    let genome = Genome::new();
    let mut faults = Vec::new();
    for dataset in selected {
        let start = Instant::now();
        let targets: Vec<_> =
            dataset.formats.iter().map(|&f| (f, dir.join(dataset.file(f)))).collect();
        let written = writer::write_dataset(dataset, &genome, &targets)
            .with_context(|| format!("dataset {}", dataset.name))?;
        for file in written {
            let entry = FileEntry {
                dataset: dataset.name.to_owned(),
                file: dataset.file(file.format),
                format: file.format,
                seed: dataset.seed,
                profile: dataset.profile,
                records: file.records,
                bases: file.bases,
                bytes: file.bytes,
                sha256: file.sha256,
            };
            println!("{:<28} {:>13} bytes  {}", entry.file, entry.bytes, entry.sha256);
            if update_manifest {
                manifest.replace(entry, &all_files());
            } else if let Err(error) = manifest.check(&entry) {
                faults.push(error.to_string());
            }
        }
        eprintln!("{} built in {:.1} s", dataset.name, start.elapsed().as_secs_f64());
    }
    if update_manifest {
        return manifest.write(dir);
    }
    fail_on(&faults)
}

/// `datasets verify`: recomputes size, checksum, records and bases of the files present and compares them
/// with the manifest. Absent files are an error when they are committed or named.
pub fn verify(names: &[String], dir: &Path) -> Result<()> {
    let manifest = Manifest::read(dir)?;
    ensure!(!manifest.file.is_empty(), "no manifest in {}", dir.display());
    let mut faults = Vec::new();
    let selected = if names.is_empty() { CATALOGUE.iter().collect() } else { select(names)? };
    for dataset in selected {
        for &format in dataset.formats {
            let file = dataset.file(format);
            let required = !names.is_empty() || dataset.place == Place::Committed;
            let Some(expected) = manifest.find(&file) else {
                if required {
                    faults.push(format!("{file} is not in the manifest"));
                }
                continue;
            };
            if !required && !dir.join(&file).exists() {
                println!("{file:<28} absent");
                continue;
            }
            match expected.recompute(dir).and_then(|found| manifest.check(&found)) {
                Ok(()) => println!("{file:<28} ok"),
                Err(error) => faults.push(format!("{error:#}")),
            }
        }
    }
    fail_on(&faults)
}

/// `datasets list`: the catalogue, and which files are there.
pub fn list(dir: &Path) -> Result<()> {
    let manifest = Manifest::read(dir)?;
    println!("{:<13} {:<9} {:>10} {:>9}  files", "name", "profile", "records", "seed");
    for dataset in CATALOGUE {
        println!(
            "{:<13} {:<9} {:>10} {:>9}  {}",
            dataset.name,
            dataset.profile.name(),
            dataset.records,
            dataset.seed,
            match dataset.place {
                Place::OptIn => "(opt-in: built only when named)",
                Place::Committed => "(committed)",
                Place::Generated => "",
            }
        );
        for &format in dataset.formats {
            let file = dataset.file(format);
            let size = manifest
                .find(&file)
                .map_or("not in manifest".to_owned(), |e| format!("{} bytes", e.bytes));
            let state = if dir.join(&file).exists() { "present" } else { "absent" };
            println!("    {file:<28} {size:>18}  {state}");
        }
    }
    Ok(())
}

fn fail_on(faults: &[String]) -> Result<()> {
    if faults.is_empty() {
        return Ok(());
    }
    bail!("{} file(s) differ from the manifest:\n  {}", faults.len(), faults.join("\n  "))
}

/// Lower-case hexadecimal.
pub(crate) fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests;
