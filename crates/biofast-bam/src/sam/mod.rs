//! SAM text as a stream of BAM bytes: lines in blocks, converted on several threads, in order;
//! and records as SAM text.

mod fault;
mod fields;
pub(crate) mod header;
mod line;
mod number;
mod odd;
mod tags;
mod write;

use std::io::{self, BufRead};
use std::sync::Arc;

use biofast_io::{Location, Notes, Options, Reader, Source};

use crate::adapter::Produce;
use crate::error::{Error, ErrorKind};
use biofast_io::lanes::Lanes;
use fault::LineFault;
use header::{References, Text};
pub use line::bin;
use odd::Tally;
pub(crate) use odd::{Odds, Rigor};
pub(crate) use tags::write_tag;
pub use write::SamWriter;

/// Text that is handed to a converting thread at once, give or take a line.
const BLOCK: usize = 256 << 10;

/// The longest line, more or less: its record can't have more than 2 GiB.
const MAX_BLOCK: usize = 4 << 30;

/// Makes BAM of SAM.
pub(crate) struct SamToBam {
    state: SamState,
    name: Arc<str>,
    threads: usize,
    rigor: Rigor,
    notes: Option<Arc<Notes>>,
    /// What was read though it breaks a rule, and whether it was told.
    odd: Tally,
    told: bool,
    header_lines: u64,
    /// Lines and records before the block that comes next.
    lines: u64,
    records: u64,
    /// What comes after all bytes before it.
    fault: Option<Error>,
}

enum SamState {
    Start(Reader),
    Lines(Lines, Lanes<LineBlock, Converted>),
    Ended,
}

/// A block of whole lines, and a buffer for their records.
struct LineBlock {
    text: Vec<u8>,
    out: Vec<u8>,
}

/// What became of a [`LineBlock`].
struct Converted {
    job: LineBlock,
    lines: u64,
    records: u64,
    odd: Tally,
    fault: Option<LineFault>,
}

impl SamToBam {
    /// The SAM text in `source`, whatever its container.
    pub(crate) fn new(source: Source, options: &Options, checks: bool) -> Result<SamToBam, Error> {
        let name: Arc<str> = source.name().into();
        Ok(SamToBam {
            state: SamState::Start(Reader::new(source, &options.for_alignments())?),
            name,
            threads: options.threads,
            rigor: Rigor { refuse: options.pedantic, checks },
            notes: options.notes.clone(),
            odd: Tally::default(),
            told: false,
            header_lines: 0,
            lines: 0,
            records: 0,
            fault: None,
        })
    }

    /// An error in the line after `self.lines`.
    fn error(&self, kind: ErrorKind, record: Option<u64>) -> Error {
        let at = Location {
            name: Some(Arc::clone(&self.name)),
            record,
            line: Some(self.lines + 1),
            ..Location::default()
        };
        Error::new(kind, at)
    }

    /// Tells what was read though it breaks a rule.
    fn tell(&mut self) {
        self.told = true;
        if let Some(notes) = &self.notes {
            self.odd.tell(notes, &self.name, self.header_lines);
        }
    }

    /// A fault of the bytes below, after the lines seen so far.
    fn located(&self, fault: io::Error) -> Error {
        let error = Error::from_io(fault, &self.name);
        let (kind, mut at) = error.into_parts();
        if !matches!(&kind, ErrorKind::Io(e)
            if matches!(e.kind(), biofast_io::ErrorKind::MissingEofBlock))
        {
            at.line.get_or_insert(self.lines + 1);
        }
        Error::new(kind, at)
    }
}

/// A check ends at its first fault, with more or less text behind it converted already: what was read before is told, too.
impl Drop for SamToBam {
    fn drop(&mut self) {
        if self.rigor.checks && !self.told {
            self.tell();
        }
    }
}

impl Produce for SamToBam {
    fn produce(&mut self, out: &mut Vec<u8>) -> Result<bool, Error> {
        match std::mem::replace(&mut self.state, SamState::Ended) {
            SamState::Start(mut reader) => {
                let text = Text::read(&mut reader).map_err(|e| self.located(e))?;
                let references = text.write_bam(out).map_err(|(line, kind)| {
                    self.lines = line;
                    self.error(kind, None)
                })?;
                self.lines = text.lines();
                self.header_lines = self.lines;
                let references = Arc::new(references);
                let rigor = self.rigor;
                let workers = Lanes::new(self.threads, || {
                    let references = Arc::clone(&references);
                    move |job| convert(job, &references, rigor)
                })
                .map_err(|e| self.located(e))?;
                let lines = Lines { reader, rest: Vec::new(), spare: Vec::new(), fault: None };
                self.state = SamState::Lines(lines, workers);
                Ok(true)
            }
            SamState::Lines(mut lines, mut workers) => {
                while workers.has_room()
                    && let Some(job) = lines.next_block()
                {
                    workers.submit(job);
                }
                let Some(done) = workers.take() else {
                    self.tell();
                    return match lines.fault.take() {
                        Some(fault) => Err(self.located(fault)),
                        None => Ok(false),
                    };
                };
                let Converted { mut job, lines: n, records, odd, fault } = done;
                self.odd.append(&odd, self.records);
                self.records += records;
                std::mem::swap(out, &mut job.out);
                if let Some(fault) = fault {
                    self.lines += n;
                    self.tell();
                    self.fault = Some(self.error(fault.into(), Some(self.records + 1)));
                    return Ok(true);
                }
                self.lines += n;
                lines.spare.push(job);
                self.state = SamState::Lines(lines, workers);
                Ok(true)
            }
            SamState::Ended => self.fault.take().map_or(Ok(false), Err),
        }
    }
}

/// Cuts the text into blocks of whole lines.
struct Lines {
    reader: Reader,
    /// The unfinished line after the last block.
    rest: Vec<u8>,
    spare: Vec<LineBlock>,
    /// What is wrong after the last whole line.
    fault: Option<io::Error>,
}

impl Lines {
    fn next_block(&mut self) -> Option<LineBlock> {
        if self.fault.is_some() {
            return None;
        }
        let mut job =
            self.spare.pop().unwrap_or_else(|| LineBlock { text: Vec::new(), out: Vec::new() });
        job.text.clear();
        job.text.append(&mut self.rest);
        // Where a line feed may be that hasn't been looked at.
        let mut unseen = 0;
        loop {
            let bytes = match self.reader.fill_buf() {
                Ok(bytes) => bytes,
                Err(fault) => {
                    // The line it falls into isn't whole.
                    self.fault = Some(fault);
                    &[]
                }
            };
            let n = bytes.len();
            job.text.extend_from_slice(bytes);
            self.reader.consume(n);
            if n == 0 && self.fault.is_none() {
                // The last line may do without a line feed.
                return (!job.text.is_empty()).then_some(job);
            }
            if job.text.len() < BLOCK && n > 0 {
                continue;
            }
            if job.text.len() > MAX_BLOCK {
                let reason = "a line of more than 4 GiB";
                self.fault = Some(io::Error::new(io::ErrorKind::InvalidData, reason));
                return None;
            }
            match memchr::memrchr(b'\n', &job.text[unseen..]) {
                Some(at) => {
                    let end = unseen + at + 1;
                    self.rest.extend_from_slice(&job.text[end..]);
                    job.text.truncate(end);
                    return Some(job);
                }
                None if n == 0 => return None,
                None => unseen = job.text.len(),
            }
        }
    }
}

/// Converts the lines of a block, up to the first that is wrong.
fn convert(mut job: LineBlock, references: &References, rigor: Rigor) -> Converted {
    job.out.clear();
    let mut odds = Odds::new(rigor);
    let odd = Tally::default();
    let mut done = Converted { job, lines: 0, records: 0, odd, fault: None };
    let LineBlock { text, out } = &mut done.job;
    let mut names = references.lookup();
    let mut rest = &text[..];
    while !rest.is_empty() {
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let line = &rest[..end];
        rest = rest.get(end + 1..).unwrap_or_default();
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let start = out.len();
        if let Err(fault) = line::write_record(line, &mut names, &mut odds, out) {
            out.truncate(start);
            done.fault = Some(match memchr::memchr(b'\r', line) {
                Some(_) => LineFault::new(header::CR_INSIDE, line),
                None => fault,
            });
            break;
        }
        let seen = odds.take();
        if seen != 0 {
            done.odd.add(seen, done.records);
        }
        done.lines += 1;
        done.records += 1;
    }
    done
}
