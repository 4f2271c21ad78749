//! Reports of records while they are written: whoever makes one reads them on a thread of its own.

use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use anyhow::{Context, Result, bail};
use biofast_bam::{self as bam, Header, Record};
use biofast_io::output::{Compression, Output};
use biofast_io::{Options, Source};
use biofast_ops::alignments::{Statistics, StatisticsMeasure};
use biofast_ops::compat::{Peer, SamtoolsVersion};
use biofast_ops::qc;
use biofast_report::samtools;

use crate::commands::stats;
use crate::options::{CompatArgs, OutFile, Page, PageTitle, versions};
use crate::output;
use crate::session::Session;

/// Which reports.
// Their group is named, as clap leaves that of a struct empty if others are flattened into it.
#[derive(clap::Args)]
#[command(mut_arg("compat", |arg| arg.value_parser(versions(&[Peer::Samtools]))))]
pub(crate) struct ReportArgs {
    /// Also write the statistics of the written records to FILE, like `biofast stats --json`
    #[arg(long, value_name = "FILE", group = "ReportArgs")]
    stats: Option<OutFile>,

    /// Also write the output of `samtools stats` to FILE, like `biofast stats --format samtools`
    #[arg(long, value_name = "FILE", group = "ReportArgs")]
    samtools_stats: Option<OutFile>,

    #[command(flatten)]
    compat: CompatArgs,

    /// Also write an HTML report to FILE, like `biofast stats --html`
    #[arg(long, value_name = "FILE", group = "ReportArgs")]
    html: Option<OutFile>,

    #[command(flatten)]
    title: PageTitle,
}

/// The reports that are wanted, with their outputs.
pub(crate) struct RecordReports {
    stats: Option<Output>,
    html: Option<Page>,
    samtools: Option<Output>,
    version: SamtoolsVersion,
    statistics: Option<JoinHandle<Result<Statistics>>>,
    text: Option<JoinHandle<Result<String>>>,
    taps: Taps,
}

/// Bytes of records that are handed over at once.
const PART: usize = 256 << 10;
/// Parts that may wait for a reader.
const WAITING: usize = 4;

impl ReportArgs {
    /// Opens what is wanted.
    pub(crate) fn open(&self, session: &mut Session) -> Result<RecordReports> {
        let version = self.compat.of(|_| self.samtools_stats.is_some())?.samtools;
        Ok(RecordReports {
            version,
            stats: output::optional_report(session, self.stats.as_deref())?,
            html: self.title.open(session, self.html.as_deref())?,
            samtools: output::optional_report(session, self.samtools_stats.as_deref())?,
            statistics: None,
            text: None,
            taps: Taps::default(),
        })
    }
}

impl RecordReports {
    /// How many are wanted.
    pub(crate) fn len(&self) -> usize {
        usize::from(self.html.is_some()) + self.stats.iter().chain(&self.samtools).count()
    }

    /// Begins to gather what they need of records with this header, or begins again.
    pub(crate) fn start(&mut self, session: &Session, header: &Header) -> Result<()> {
        if self.len() == 0 {
            return Ok(());
        }
        self.taps = Taps::default();
        header.write_bam(&mut self.taps.bytes)?;
        let options = Options::serial();
        if self.stats.is_some() || self.html.is_some() {
            let (source, options) = (self.tap(), options.clone());
            let work = move || {
                Statistics::collect_with_mismatches(source, &options, None, None)
                    .map_err(|fault| fault.error.into())
            };
            self.statistics = Some(std::thread::Builder::new().name("stats".into()).spawn(work)?);
        }
        if self.samtools.is_some() {
            let source = self.tap();
            let command = session.arguments().join(" ").replace('\n', "\\n");
            let measure = StatisticsMeasure::samtools(self.version, None);
            let work = move || {
                let found = qc::collect(source, &options, measure)?;
                let statistics = found.get().context("nothing was counted")?;
                Ok(samtools::stats::text(statistics, env!("CARGO_PKG_VERSION"), &command))
            };
            self.text = Some(std::thread::Builder::new().name("stats".into()).spawn(work)?);
        }
        Ok(())
    }

    /// A source of all records.
    fn tap(&mut self) -> Source {
        let (sender, parts) = sync_channel(WAITING);
        self.taps.readers.push(sender);
        Source::from_adapter("records", Tap { parts, part: Arc::default(), at: 0 })
    }

    /// Takes a record.
    #[inline]
    pub(crate) fn add(&mut self, record: &Record<'_>) {
        if self.taps.readers.is_empty() {
            return;
        }
        record.write_bam(&mut self.taps.bytes);
        self.taps.hand_over_if_full();
    }

    /// An output for the records, as BAM without a header, in place of [`add`](Self::add). All of them have come when it is dropped.
    pub(crate) fn output(&mut self) -> Option<Output> {
        let is_wanted = !self.taps.readers.is_empty();
        let taps = std::mem::take(&mut self.taps);
        is_wanted.then(|| Output::stream("the statistics", taps, Compression::default()))
    }

    /// Fills the reports, of records that are in the file at this path. Returns them.
    pub(crate) fn finish(self, path: Option<&Path>, format: bam::Format) -> Result<Vec<Output>> {
        drop(self.taps);
        let mut filled = Vec::new();
        if let Some(statistics) = self.statistics.map(JoinHandle::join) {
            let Ok(statistics) = statistics else { bail!("the statistics can't be computed") };
            let statistics = statistics.context("the statistics can't be computed")?;
            let name = path.map_or_else(|| "-".into(), biofast_io::display_name);
            let entry = stats::of_alignments(name, format, &statistics);
            if let Some(output) = self.stats {
                filled.push(output::filled(output, stats::json_of(&entry)?)?);
            }
            if let Some(page) = self.html {
                filled.push(page.filled(|title| stats::html::page(title, &[entry], None))?);
            }
        }
        if let (Some(text), Some(output)) = (self.text.map(JoinHandle::join), self.samtools) {
            let Ok(text) = text else { bail!("the text of samtools stats can't be written") };
            let text = text.context("the text of samtools stats can't be written")?;
            filled.push(output::filled(output, text)?);
        }
        Ok(filled)
    }
}

/// Hands records over to those who read them.
#[derive(Default)]
struct Taps {
    readers: Vec<SyncSender<Arc<Vec<u8>>>>,
    bytes: Vec<u8>,
}

impl Taps {
    fn hand_over_if_full(&mut self) {
        if self.bytes.len() >= PART {
            self.hand_over(Vec::with_capacity(PART + PART / 8));
        }
    }

    fn hand_over(&mut self, next: Vec<u8>) {
        let part = Arc::new(std::mem::replace(&mut self.bytes, next));
        // Who has ended says why when it is asked.
        self.readers.retain(|reader| reader.send(Arc::clone(&part)).is_ok());
    }
}

impl Write for Taps {
    fn write(&mut self, records: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(records);
        self.hand_over_if_full();
        Ok(records.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Taps {
    fn drop(&mut self) {
        self.hand_over(Vec::new());
    }
}

/// Reads the parts that are handed over.
struct Tap {
    parts: Receiver<Arc<Vec<u8>>>,
    part: Arc<Vec<u8>>,
    at: usize,
}

impl Read for Tap {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.at == self.part.len() {
            match self.parts.recv() {
                Ok(part) => (self.part, self.at) = (part, 0),
                Err(_) => return Ok(0),
            }
        }
        let n = out.len().min(self.part.len() - self.at);
        out[..n].copy_from_slice(&self.part[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}
