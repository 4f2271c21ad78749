//! BAM to CRAM: records are gathered to containers, which are made on several threads and written in order.
//!
//! Versions 3.0 and 3.1 (CRAM format specification). A container holds one slice. Where it ends depends on the records alone, and
//! so does how its blocks are compressed: the bytes are the same on any number of threads.

mod choices;
mod codec;
mod columns;
mod estimate;
mod extent;
mod features;
mod header;
mod pairs;
mod reference;
mod slice;

use std::io;
use std::sync::{Arc, PoisonError};

use biofast_io::Location;
use biofast_io::lanes::Lanes;
use biofast_io::output::Recode;

use self::choices::Turns;
use self::codec::Kit;
use self::columns::Columns;
use self::reference::WriterReference;
use self::slice::{EncodedContainer, SlicePlan, SliceRecords};
use crate::cram::container::Version;
use crate::cram::crai::{self, CraiEntry};
use crate::cram::reference::Repository;
use crate::cram_options::{CramOptions, CramVersion, Effort, Losses, StoredBases};
use crate::error::{Error, ErrorKind};
use crate::fasta::Fasta;
use crate::framer::next_record;
use crate::header::{Header, HeaderParser, Parsed};
use crate::record::Record;

/// Where a container ends: with so many records, or so many bases and bytes of tags. More take more memory, and less space.
fn limits(effort: Effort) -> (usize, usize) {
    match effort {
        Effort::Fast | Effort::Balanced => (10_000, 5_000_000),
        Effort::Small => (25_000, 12_500_000),
    }
}

impl CramOptions {
    /// What makes CRAM of BAM, for [`Output::recoded`](biofast_io::output::Output::recoded).
    ///
    /// # Errors
    /// If the reference can't be opened, or this build doesn't write CRAM.
    #[doc(hidden)]
    pub fn encoder(&self) -> Result<Box<dyn Recode>, Error> {
        let is_used = self.bases != StoredBases::AsTheyAre;
        let reference = match self.reference_path().filter(|_| is_used) {
            None => None,
            Some(path) => {
                let name = biofast_io::display_name(path);
                let fasta = Fasta::open_as(path, true);
                let fasta = fasta.map_err(|error| Error::from_io(error, &name[..].into()))?;
                let address = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
                Some((fasta, address.to_string_lossy().into_owned()))
            }
        };
        Ok(Box::new(CramEncoder {
            options: self.clone(),
            reference,
            state: EncoderState::Header(HeaderParser::default()),
            pending: Vec::new(),
            lines: Vec::new(),
            written: 0,
        }))
    }

    /// Whether the bases of reads under `header` can be stored: with a reference, without one, or with those that are where the
    /// environment says (`REF_CACHE`, `REF_PATH`), or if there are no references.
    #[doc(hidden)]
    pub fn can_store(&self, header: &Header) -> bool {
        self.reference_path().is_some()
            || self.bases == StoredBases::AsTheyAre
            || Repository::of_environment().lacks(header).is_none()
    }
}

/// Makes CRAM of BAM, as an output [recodes](Recode) what is written to it.
struct CramEncoder {
    options: CramOptions,
    /// The reference, and where it is.
    reference: Option<(Fasta, String)>,
    state: EncoderState,
    /// What has come and isn't on its way yet.
    pending: Vec<u8>,
    /// The lines of the index.
    lines: Vec<u8>,
    /// Bytes of the file so far.
    written: u64,
}

enum EncoderState {
    Header(HeaderParser),
    Records(Gathered, Lanes<SliceRecords, io::Result<EncodedContainer>>),
    Ended,
}

/// The records of the next container.
struct Gathered {
    references: i32,
    /// The most records, and the most bases and bytes of tags.
    limits: (usize, usize),
    /// Where each record starts in what is pending.
    starts: Vec<u32>,
    /// Where the next one starts.
    end: usize,
    /// Bases and bytes of tags.
    amount: usize,
    /// The reference of the last record.
    reference: i32,
    /// Whether there is more than one.
    is_mixed: bool,
    /// Whether containers of several references are possible at all.
    can_mix: bool,
    /// Whether the container may be of several references, and how many short ones came one after the other.
    may_mix: bool,
    short: u32,
    /// Records in containers before.
    counter: u64,
    turns: Turns,
}

impl CramEncoder {
    fn start(&mut self, header: &Header, out: &mut Vec<u8>) -> io::Result<()> {
        let reference = self.reference.as_ref().map(|(fasta, address)| (fasta, &address[..]));
        if let Some((fasta, _)) = reference {
            fasta.bind(header);
        }
        let is_needed = self.options.bases != StoredBases::AsTheyAre;
        let repository = Repository::of_environment();
        if reference.is_none()
            && is_needed
            && let Some(at) = repository.lacks(header)
        {
            let name = header.references().get(at).map_or(&b""[..], |lacking| &lacking.name);
            let why = format!("CRAM needs the reference sequence '{}'", biofast_io::Shown(name));
            return Err(located(ErrorKind::UnsupportedOutput(why.into())).into());
        }
        let is_embedded = self.options.bases == StoredBases::WithReference;
        if is_embedded && !header.is_sorted_by_coordinate() {
            let why = "CRAM with its reference has to be sorted by coordinate";
            return Err(located(ErrorKind::UnsupportedOutput(why.into())).into());
        }
        let text = header::text_with_reference(header, reference)?;
        let version = match self.options.version {
            CramVersion::V3_0 => Version { major: 3, minor: 0 },
            CramVersion::V3_1 => Version { major: 3, minor: 1 },
        };
        let from = out.len();
        header::write(
            version,
            &text,
            &mut Kit::new(self.options.version, self.options.effort),
            out,
        );
        self.written += (out.len() - from) as u64;
        let plan = Arc::new(SlicePlan {
            reference: match reference {
                Some((fasta, _)) => WriterReference::Fasta { fasta: fasta.clone(), is_embedded },
                None if is_needed => {
                    WriterReference::Stored { repository, header: header.clone(), is_embedded }
                }
                None => WriterReference::None,
            },
            read_groups: header
                .read_groups()
                .map(|group| group.id().unwrap_or_default().to_vec())
                .collect(),
        });
        let (version, effort) = (self.options.version, self.options.effort);
        let lanes = Lanes::new(self.options.threads, || {
            let (plan, mut kit) = (Arc::clone(&plan), Kit::new(version, effort));
            let mut columns = Columns::default();
            move |records: SliceRecords| slice::encode(&records, &plan, &mut kit, &mut columns)
        })?;
        let gathered = Gathered::new(header.references().len(), limits(effort), !is_embedded);
        self.state = EncoderState::Records(gathered, lanes);
        Ok(())
    }

    /// Gathers what is pending, and hands over what is complete.
    fn gather(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        let EncoderState::Records(gathered, lanes) = &mut self.state else { return Ok(()) };
        let mut full = Vec::new();
        while let Some(job) = gathered.next(&mut self.pending)? {
            if !lanes.has_room() {
                full.extend(lanes.take());
            }
            lanes.submit(job);
        }
        for container in full {
            self.put(container?, out);
        }
        Ok(())
    }

    fn put(&mut self, container: EncodedContainer, out: &mut Vec<u8>) {
        for extent in &container.extents {
            let (start, span) = match extent.reference {
                0.. => (extent.start, extent.end + 1 - extent.start),
                // As samtools has it: what the slice states, or what its records say.
                _ if container.extents.len() == 1 => (0, 0),
                _ => (0, 1),
            };
            let (at, len) = container.slice;
            let (slice, len) = (at as u64, len as u64);
            let (reference, container) = (extent.reference, self.written);
            let entry = CraiEntry { reference, start, span, container, slice, len };
            entry.write(&mut self.lines);
        }
        self.written += container.bytes.len() as u64;
        out.extend_from_slice(&container.bytes);
        let mut losses = self.options.losses.lock().unwrap_or_else(PoisonError::into_inner);
        losses.add(container.losses);
    }
}

impl Recode for CramEncoder {
    fn recode(&mut self, text: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
        self.pending.extend_from_slice(text);
        if let EncoderState::Header(parser) = &mut self.state {
            match parser.parse(&self.pending).map_err(located)? {
                Parsed::NeedMore => return Ok(()),
                Parsed::Complete(header, len) => {
                    self.start(&header, out)?;
                    self.pending.drain(..len);
                }
            }
        }
        self.gather(out)
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        self.gather(out)?;
        match std::mem::replace(&mut self.state, EncoderState::Ended) {
            EncoderState::Header(_) => {
                return Err(located(ErrorKind::Truncated("the header")).into());
            }
            EncoderState::Ended => return Ok(()),
            EncoderState::Records(mut gathered, mut lanes) => {
                let last = gathered.rest(&mut self.pending);
                if !self.pending.is_empty() {
                    return Err(located(ErrorKind::Truncated("a record")).into());
                }
                let mut jobs = last.into_iter();
                loop {
                    while lanes.has_room()
                        && let Some(job) = jobs.next()
                    {
                        lanes.submit(job);
                    }
                    let Some(container) = lanes.take() else { break };
                    self.put(container?, out);
                }
            }
        }
        out.extend_from_slice(&header::EOF_CONTAINER);
        Ok(())
    }

    fn index(&mut self) -> Option<Vec<u8>> {
        crai::gzip(&self.lines).ok()
    }

    fn restart(&mut self) {
        self.state = EncoderState::Header(HeaderParser::default());
        self.pending.clear();
        self.lines.clear();
        self.written = 0;
        *self.options.losses.lock().unwrap_or_else(PoisonError::into_inner) = Losses::default();
    }
}

fn located(kind: ErrorKind) -> Error {
    Error::new(kind, Location::default())
}

impl Gathered {
    fn new(references: usize, limits: (usize, usize), can_mix: bool) -> Gathered {
        Gathered {
            // A header has fewer than 2^31.
            references: references as i32,
            limits,
            starts: Vec::new(),
            end: 0,
            amount: 0,
            reference: -1,
            is_mixed: false,
            can_mix,
            may_mix: false,
            short: 0,
            counter: 0,
            turns: Turns::default(),
        }
    }

    /// The next container's records, if `pending` has them and the first one behind them.
    fn next(&mut self, pending: &mut Vec<u8>) -> Result<Option<SliceRecords>, Error> {
        loop {
            let rest = &pending[self.end..];
            let number = self.counter + self.starts.len() as u64 + 1;
            let at =
                |kind| Error::new(kind, Location { record: Some(number), ..Location::default() });
            let Some(len) = next_record(rest, self.references).map_err(at)? else {
                return Ok(None);
            };
            let record = Record::from_checked(&rest[4..len]);
            let reference = record.reference_id();
            let is_other = !self.starts.is_empty() && reference != self.reference;
            let is_full = self.starts.len() == self.limits.0 || self.amount >= self.limits.1;
            if is_full || (is_other && !self.may_mix) {
                self.ended(!is_full);
                return Ok(Some(self.cut(pending)));
            }
            self.is_mixed |= is_other;
            self.reference = reference;
            self.amount += record.sequence_len() + record.tag_bytes().len();
            // Pending are a few megabytes and a record.
            self.starts.push(self.end as u32);
            self.end += len;
        }
    }

    /// Whether the containers that come may be of several references, after one that ended because its reference did or didn't.
    fn ended(&mut self, by_reference: bool) {
        if self.may_mix {
            self.may_mix = self.is_mixed;
            self.short = 0;
        } else {
            // After two such, those of several references are stored together.
            let is_short = by_reference && self.starts.len() < self.limits.0 / 4 + 10;
            self.short = if is_short { self.short + 1 } else { 0 };
            self.may_mix = self.can_mix && self.short >= 2;
        }
    }

    fn cut(&mut self, pending: &mut Vec<u8>) -> SliceRecords {
        let rest = pending[self.end..].to_vec();
        let mut bytes = std::mem::replace(pending, rest);
        bytes.truncate(self.end);
        let starts = std::mem::take(&mut self.starts);
        let counter = self.counter;
        self.counter += starts.len() as u64;
        (self.end, self.amount, self.is_mixed) = (0, 0, false);
        SliceRecords { bytes, starts, counter, choosing: self.turns.next() }
    }

    /// The records that are left.
    fn rest(&mut self, pending: &mut Vec<u8>) -> Option<SliceRecords> {
        (!self.starts.is_empty()).then(|| self.cut(pending))
    }
}
