//! Programs of a few lines that read a file with a library and count its records and bases: `biofast-lab count`.
//! The benchmark compares them as it compares whole programs; peers are there with the feature `peers`.

use std::path::Path;

use anyhow::{Result, bail};

use biofast_fastq as fastq;
use biofast_io::Source;

use crate::datasets::Format;
use crate::datasets::count;
pub use crate::datasets::count::Counted;

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

pub(crate) fn version(name: &str) -> &'static str {
    let mut lines = LOCK.lines().skip_while(|line| *line != format!("name = \"{name}\""));
    let value = lines.nth(1).and_then(|line| line.strip_prefix("version = "));
    value.map_or("unknown", |value| value.trim_matches('"'))
}

/// Reads `file` with a library; those without a parallel face use one thread.
pub fn count(library: &str, file: &Path, threads: usize) -> Result<Counted> {
    match library {
        "biofast-fastq" => count::count(file, Format::Fastq, threads),
        "biofast-fastq-unchecked" => {
            count::count_fastq(fastq::UncheckedLetters(Source::open(file)?), threads)
        }
        "biofast-bam" => count::count(file, Format::Bam, threads),
        #[cfg(feature = "peers")]
        peer if NAMES.contains(&peer) => peers::count(peer, file, threads),
        _ => bail!("this program was built without {library}; there are {}", NAMES.join(", ")),
    }
}

#[cfg(feature = "peers")]
mod peers {
    use std::io::BufReader;
    use std::sync::{Arc, Mutex};

    use paraseq::prelude::*;

    use super::*;
    use crate::files::open;

    const BUFFER: usize = 1 << 20;

    pub(super) fn count(peer: &str, file: &Path, threads: usize) -> Result<Counted> {
        match peer {
            "needletail" => count_needletail(file),
            "noodles-fastq" => count_noodles_fastq(file),
            "noodles-bam" => count_noodles_bam(file),
            _ => count_paraseq(file, threads),
        }
    }

    fn count_needletail(file: &Path) -> Result<Counted> {
        let mut reader = needletail::parse_fastx_file(file)?;
        let mut counted = Counted::default();
        while let Some(record) = reader.next() {
            counted.add(record?.num_bases());
        }
        Ok(counted)
    }

    fn count_noodles_fastq(file: &Path) -> Result<Counted> {
        let mut reader =
            noodles_fastq::io::Reader::new(BufReader::with_capacity(BUFFER, open(file)?));
        let mut record = noodles_fastq::Record::default();
        let mut counted = Counted::default();
        while reader.read_record(&mut record)? > 0 {
            counted.add(record.sequence().len());
        }
        Ok(counted)
    }

    fn count_noodles_bam(file: &Path) -> Result<Counted> {
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

    fn count_paraseq(file: &Path, threads: usize) -> Result<Counted> {
        let mut worker = Worker::default();
        let reader = paraseq::fastq::Reader::new(open(file)?);
        reader.process_parallel(&mut worker, threads)?;
        let total = worker.total.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        Ok(*total)
    }
}
