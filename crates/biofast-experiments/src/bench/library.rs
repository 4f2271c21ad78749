//! Programs of a few lines that read a file with a library and count its records and bases: `biofast-lab count`.
//! The benchmark compares them as it compares whole programs; peers are there with the feature `peers`.

use std::path::Path;

use anyhow::{Result, bail};
use biofast::io::{Options, Source};
use biofast::{bam, fastq};

/// Records and bases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Reads, or alignment records of every kind.
    pub records: u64,
    /// Of all records.
    pub bases: u64,
}

impl Counted {
    fn add(&mut self, bases: usize) {
        self.records += 1;
        self.bases += bases as u64;
    }

    fn merge(&mut self, other: Counted) {
        self.records += other.records;
        self.bases += other.bases;
    }
}

/// The libraries this program was built with.
pub(crate) const NAMES: &[&str] = &[
    "biofast-fastq",
    "biofast-fastq-unchecked",
    "biofast-bam",
    #[cfg(feature = "peers")]
    "needletail",
    #[cfg(feature = "peers")]
    "noodles-fastq",
    #[cfg(feature = "peers")]
    "noodles-bam",
    #[cfg(feature = "peers")]
    "paraseq",
];

/// The repository's lock file, which has the versions this program was built with.
const LOCK: &str = include_str!("../../../../Cargo.lock");

/// The version of a library.
pub(crate) fn version(name: &str) -> &'static str {
    let mut lines = LOCK.lines().skip_while(|line| *line != format!("name = \"{name}\""));
    let value = lines.nth(1).and_then(|line| line.strip_prefix("version = "));
    value.map_or("unknown", |value| value.trim_matches('"'))
}

/// Reads `file` with a library; those without a parallel face use one thread.
pub fn count(library: &str, file: &Path, threads: usize) -> Result<Counted> {
    match library {
        "biofast-fastq" => count_fastq(Source::open(file)?, threads),
        "biofast-fastq-unchecked" => {
            count_fastq(fastq::UncheckedLetters(Source::open(file)?), threads)
        }
        "biofast-bam" => count_bam(file, threads),
        #[cfg(feature = "peers")]
        "needletail" => peers::count_needletail(file),
        #[cfg(feature = "peers")]
        "noodles-fastq" => peers::count_noodles_fastq(file),
        #[cfg(feature = "peers")]
        "noodles-bam" => peers::count_noodles_bam(file),
        #[cfg(feature = "peers")]
        "paraseq" => peers::count_paraseq(file, threads),
        _ => bail!("this program was built without {library}; there are {}", NAMES.join(", ")),
    }
}

fn count_fastq(source: impl fastq::Readable, threads: usize) -> Result<Counted> {
    let options = Options { threads, ..Options::default() };
    fastq::par_fold(
        source,
        &options,
        Counted::default,
        |counted, batch| {
            for record in batch.iter() {
                counted.add(record.sequence().len());
            }
        },
        Counted::merge,
    )
    .map_err(|fault| fault.error.into())
}

fn count_bam(file: &Path, threads: usize) -> Result<Counted> {
    let options = Options { threads, ..Options::default() };
    let (_, counted) = bam::par_fold(
        Source::open(file)?,
        &options,
        Counted::default,
        |counted, batch| {
            for record in batch.iter() {
                counted.add(record.sequence_len());
            }
        },
        Counted::merge,
    )
    .map_err(|fault| fault.error)?;
    Ok(counted)
}

#[cfg(feature = "peers")]
mod peers {
    use std::fs::File;
    use std::io::BufReader;
    use std::sync::{Arc, Mutex};

    use anyhow::Context as _;
    use paraseq::prelude::*;

    use super::*;

    const BUFFER: usize = 1 << 20;

    fn open(file: &Path) -> Result<File> {
        File::open(file).with_context(|| format!("cannot open {}", file.display()))
    }

    pub(super) fn count_needletail(file: &Path) -> Result<Counted> {
        let mut reader = needletail::parse_fastx_file(file)?;
        let mut counted = Counted::default();
        while let Some(record) = reader.next() {
            counted.add(record?.num_bases());
        }
        Ok(counted)
    }

    pub(super) fn count_noodles_fastq(file: &Path) -> Result<Counted> {
        let mut reader =
            noodles_fastq::io::Reader::new(BufReader::with_capacity(BUFFER, open(file)?));
        let mut record = noodles_fastq::Record::default();
        let mut counted = Counted::default();
        while reader.read_record(&mut record)? > 0 {
            counted.add(record.sequence().len());
        }
        Ok(counted)
    }

    pub(super) fn count_noodles_bam(file: &Path) -> Result<Counted> {
        let mut reader = noodles_bam::io::Reader::new(open(file)?);
        reader.read_header()?;
        let mut record = noodles_bam::Record::default();
        let mut counted = Counted::default();
        while reader.read_record(&mut record)? > 0 {
            counted.add(record.sequence().len());
        }
        Ok(counted)
    }

    /// A worker of paraseq; the last act of each is to add to the total.
    #[derive(Clone, Default)]
    struct Worker {
        counted: Counted,
        total: Arc<Mutex<Counted>>,
    }

    impl<R: paraseq::Record> ParallelProcessor<R> for Worker {
        fn process_record(&mut self, record: R) -> paraseq::Result<()> {
            self.counted.add(record.seq_raw().len());
            Ok(())
        }

        fn on_thread_complete(&mut self) -> paraseq::Result<()> {
            let mut total = self.total.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            total.merge(self.counted);
            self.counted = Counted::default();
            Ok(())
        }
    }

    pub(super) fn count_paraseq(file: &Path, threads: usize) -> Result<Counted> {
        let mut worker = Worker::default();
        let reader = paraseq::fastq::Reader::new(open(file)?);
        reader.process_parallel(&mut worker, threads)?;
        let total = worker.total.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        Ok(*total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_library_for_reads_counts_the_same() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let file = dir.path().join("reads.fq");
        std::fs::write(&file, "@a\nACGT\n+\nIIII\n@b x\nGGA\n+\n@@@\n".repeat(5_000))
            .expect("writes");
        let all = Counted { records: 10_000, bases: 35_000 };
        for name in NAMES.iter().filter(|name| !name.ends_with("-bam")) {
            for threads in [1, 2] {
                assert_eq!(count(name, &file, threads).expect("counts"), all, "{name} @{threads}");
            }
        }
        assert!(count("no-such-library", &file, 1).is_err());
        assert_eq!(version("biofast-fastq"), env!("CARGO_PKG_VERSION"));
    }
}
