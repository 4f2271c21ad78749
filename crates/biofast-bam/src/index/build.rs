//! Builds BAI and CSI in one pass: workers condense their batches of records into runs, which are
//! put together in the order of the file.
//!
//! What is kept, and in which order it is written, follows htslib, so that an index has the
//! bytes of `samtools index`: runs of records in the same bin are chunks; bins whose chunks span
//! less than 64 KB of the file move into their parent; chunks that meet in a block are joined.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use biofast_io::bgzf::{self, VirtualOffset};
use biofast_io::splice::Segment;
use biofast_io::{Location, Options, Source};

use super::Format;
use super::bins::Scheme;
use super::hash_order::HashOrder;
use crate::error::{Error, ErrorKind};
use crate::flag;
use crate::fold::par_fold_ordered_framed;
use crate::framer::Framer;
use crate::header::Header;
use crate::record::Batch;

/// Bins whose chunks span fewer bytes of the file than this move into their parent.
const SMALL: u64 = 1 << 16;

/// Which index to build.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuildOptions {
    /// The format; `None` is BAI where all references are short enough for it, else CSI.
    pub format: Option<Format>,
    /// CSI only: the size of the smallest bins as a power of 2, from 1 to 30; `None` is 14.
    pub min_shift: Option<u8>,
}

/// An index that has been built.
pub struct Built {
    /// Its format.
    pub format: Format,
    /// The content of its file.
    pub bytes: Vec<u8>,
    /// The header of the BAM file.
    pub header: Header,
}

/// Builds the index of a BAM file sorted by coordinate, on `options.threads` threads.
///
/// # Errors
/// The first fault of the input; the first record out of order; a record that lies behind the
/// end of what the format can hold; an input that isn't BGZF.
pub fn build(source: Source, what: BuildOptions, options: &Options) -> Result<Built, Error> {
    let name: Arc<str> = source.name().into();
    let plan = Arc::new(OnceLock::new());
    let set_plan = {
        let (plan, name) = (Arc::clone(&plan), Arc::clone(&name));
        move |header: &Header| {
            let found = choose(header, what).map_err(|why| not_indexable(&name, None, why))?;
            // One framer reads one header.
            let _ = plan.set(found);
            Ok(())
        }
    };
    let framer = Framer::new(&name, Arc::default()).on_header(set_plan).check_order();
    let mut assembly = Assembly::default();
    let mut fault = None;
    let result = par_fold_ordered_framed(
        source,
        options,
        framer,
        || (),
        |(), batch, partial: &mut Partial| {
            // Set before the first record is framed.
            if let Some((_, scheme)) = plan.get() {
                partial.condense(batch, *scheme);
            }
        },
        |(), ()| {},
        |partial| {
            if let Some((_, scheme)) = plan.get() {
                assembly.append(partial, *scheme);
            }
            fault = partial.fault.take();
            match fault {
                Some(_) => ControlFlow::Break(()),
                None => ControlFlow::Continue(()),
            }
        },
    );
    // It comes before whatever else stopped the reading.
    if let Some((record, why)) = fault {
        return Err(not_indexable(&name, Some(record), why));
    }
    let (header, ()) = result.map_err(|fault| fault.error)?;
    let Some(&(format, scheme)) = plan.get() else {
        return Err(not_indexable(&name, None, "it has no header".into()));
    };
    let bytes = assembly.finish(format, scheme, header.references().len());
    let bytes = match format {
        Format::Bai => bytes,
        Format::Csi => bgzf::compress(&bytes),
    };
    Ok(Built { format, bytes, header })
}

fn not_indexable(name: &Arc<str>, record: Option<u64>, why: String) -> Error {
    let at = Location { record, ..Location::in_input(name) };
    Error::new(ErrorKind::NotIndexable(why), at)
}

/// The format and the tree of bins for the references of a header.
fn choose(header: &Header, what: BuildOptions) -> Result<(Format, Scheme), String> {
    let longest = header.references().iter().max_by_key(|r| r.length);
    let length = longest.map_or(0, |r| r.length);
    let too_long = i64::from(length) >= Scheme::BAI.end();
    let csi = |min_shift: u8| {
        if !(1..=30).contains(&min_shift) {
            return Err(format!(
                "the smallest bins must be of 2^1 to 2^30 bases, not 2^{min_shift}"
            ));
        }
        let scheme = Scheme::for_length(min_shift, length).ok_or_else(|| {
            format!("bins of 2^{min_shift} bases are too small for references of {length} bases")
        })?;
        Ok((Format::Csi, scheme))
    };
    match (what.format, what.min_shift) {
        (Some(Format::Bai), Some(_)) => Err("the bins of BAI have a fixed size".into()),
        (Some(Format::Bai), None) if too_long => Err(format!(
            "reference '{}' has {length} bases, and BAI holds at most 536,870,911; use --csi",
            longest.map_or_else(String::new, |r| biofast_io::Shown(&r.name).to_string()),
        )),
        (Some(Format::Bai), None) => Ok((Format::Bai, Scheme::BAI)),
        (None, None) if !too_long => Ok((Format::Bai, Scheme::BAI)),
        (_, min_shift) => csi(min_shift.unwrap_or(14)),
    }
}

/// Records next to each other in the same bin.
#[derive(Clone, Copy)]
struct Run {
    reference: i32,
    bin: u32,
    segment: Segment,
}

/// Windows of a reference that a record is the first to overlap.
#[derive(Clone, Copy)]
struct Windows {
    reference: i32,
    first: u64,
    last: u64,
    record: VirtualOffset,
}

/// What a batch of records says.
#[derive(Default)]
struct Partial {
    runs: Vec<Run>,
    windows: Vec<Windows>,
    /// By reference: mapped and unmapped records.
    counts: Vec<(i32, [u64; 2])>,
    unplaced: u64,
    /// The first record that can't be indexed, counted from 1, and why.
    fault: Option<(u64, String)>,
}

impl Partial {
    /// Adds a batch, up to the first record that can't be indexed.
    fn condense(&mut self, batch: Batch<'_>, scheme: Scheme) {
        let Some(records) = batch.with_places() else {
            let why = "it is not BGZF, so it has no blocks to jump to".into();
            self.fault = Some((batch.first_record() + 1, why));
            return;
        };
        for (number, (record, start, end)) in (batch.first_record() + 1..).zip(records) {
            let reference = record.reference_id();
            if reference < 0 {
                self.unplaced += 1;
                continue;
            }
            let position = i64::from(record.position());
            let alignment_end = record.alignment_end();
            if position > scheme.end() || alignment_end > scheme.end() {
                let why = format!(
                    "the alignment ends at position {alignment_end}, and this index holds at most \
                     {}; use --csi",
                    scheme.end()
                );
                self.fault = Some((number, why));
                return;
            }
            // A position of −1 counts as 0.
            let from = position.max(0);
            let to = alignment_end.max(1);
            let bin = scheme.bin_of(from, to);
            match self.runs.last_mut() {
                Some(run) if (run.reference, run.bin) == (reference, bin) => run.segment.end = end,
                _ => self.runs.push(Run { reference, bin, segment: Segment { start, end } }),
            }
            let first = (from >> scheme.min_shift) as u64;
            let last = ((to - 1) >> scheme.min_shift) as u64;
            add_windows(&mut self.windows, Windows { reference, first, last, record: start });
            let unmapped = usize::from(record.flags() & flag::UNMAPPED != 0);
            match self.counts.last_mut() {
                Some((last, counts)) if *last == reference => counts[unmapped] += 1,
                _ => {
                    let mut counts = [0; 2];
                    counts[unmapped] = 1;
                    self.counts.push((reference, counts));
                }
            }
        }
    }
}

/// Adds the windows that no record overlapped before. As records come sorted, those are the
/// ones behind the last window seen.
fn add_windows(all: &mut Vec<Windows>, mut new: Windows) {
    if let Some(last) = all.last()
        && last.reference == new.reference
    {
        new.first = new.first.max(last.last + 1);
    }
    if new.first <= new.last {
        all.push(new);
    }
}

/// Puts partials together in the order of the records.
#[derive(Default)]
struct Assembly {
    /// The references so far, by index.
    references: BTreeMap<i32, Reference>,
    /// The run that may go on.
    open: Option<Run>,
    unplaced: u64,
}

/// What the index will say of one reference.
#[derive(Default)]
struct Reference {
    bins: BTreeMap<u32, Vec<Segment>>,
    order: HashOrder,
    windows: Vec<Windows>,
    segment: Option<Segment>,
    counts: [u64; 2],
}

impl Reference {
    fn add_chunk(&mut self, bin: u32, segment: Segment) {
        let chunks = self.bins.entry(bin).or_default();
        self.order.put(bin, chunks.is_empty());
        chunks.push(segment);
    }
}

impl Assembly {
    /// Takes what the next partial holds.
    fn append(&mut self, partial: &mut Partial, scheme: Scheme) {
        for run in partial.runs.drain(..) {
            match &mut self.open {
                Some(open) if (open.reference, open.bin) == (run.reference, run.bin) => {
                    open.segment.end = run.segment.end;
                }
                _ => self.open_run(Some(run), scheme),
            }
        }
        for windows in partial.windows.drain(..) {
            let reference = self.references.entry(windows.reference).or_default();
            add_windows(&mut reference.windows, windows);
        }
        for (reference, counts) in partial.counts.drain(..) {
            let reference = self.references.entry(reference).or_default();
            reference.counts[0] += counts[0];
            reference.counts[1] += counts[1];
        }
        self.unplaced += std::mem::take(&mut partial.unplaced);
    }

    /// Ends the open run, which becomes a chunk of its bin, and opens another one. When the
    /// reference changes, the bin of the counts follows as the last one.
    fn open_run(&mut self, run: Option<Run>, scheme: Scheme) {
        let Some(ended) = std::mem::replace(&mut self.open, run) else { return };
        let reference = self.references.entry(ended.reference).or_default();
        reference.add_chunk(ended.bin, ended.segment);
        let start = reference.segment.map_or(ended.segment.start, |segment| segment.start);
        reference.segment = Some(Segment { start, end: ended.segment.end });
        if run.is_none_or(|run| run.reference != ended.reference) {
            // Once for the place and once for the counts.
            reference.order.put(scheme.metadata_bin(), true);
            reference.order.put(scheme.metadata_bin(), false);
        }
    }

    /// The bytes of the index, not compressed.
    fn finish(mut self, format: Format, scheme: Scheme, reference_count: usize) -> Vec<u8> {
        self.open_run(None, scheme);
        let mut out = Vec::new();
        match format {
            Format::Bai => out.extend_from_slice(b"BAI\x01"),
            Format::Csi => {
                out.extend_from_slice(b"CSI\x01");
                put_i32(&mut out, scheme.min_shift.into());
                put_i32(&mut out, scheme.depth.into());
                put_i32(&mut out, 0);
            }
        }
        put_i32(&mut out, reference_count);
        for index in 0..reference_count {
            match self.references.remove(&(index as i32)) {
                Some(reference) => reference.write(format, scheme, &mut out),
                None => {
                    put_i32(&mut out, 0);
                    if format == Format::Bai {
                        put_i32(&mut out, 0);
                    }
                }
            }
        }
        put_u64(&mut out, self.unplaced);
        out
    }
}

impl Reference {
    fn write(mut self, format: Format, scheme: Scheme, out: &mut Vec<u8>) {
        self.compress(scheme);
        let bins = self.bins.len() + usize::from(self.segment.is_some());
        put_i32(out, bins);
        for number in self.order.keys() {
            if number == scheme.metadata_bin() {
                let Some(segment) = self.segment else { continue };
                put_bin(format, number, VirtualOffset::default(), 2, out);
                put_segment(out, segment);
                self.counts.iter().for_each(|&n| put_u64(out, n));
            } else if let Some(chunks) = self.bins.get(&number) {
                let first = self.first_over(scheme.first_window(number)).unwrap_or_default();
                put_bin(format, number, first, chunks.len(), out);
                chunks.iter().for_each(|&segment| put_segment(out, segment));
            }
        }
        if format == Format::Bai {
            let windows = self.windows.last().map_or(0, |windows| windows.last + 1);
            put_i32(out, windows as usize);
            let mut next = 0;
            for windows in &self.windows {
                // Windows without a record repeat what follows.
                while next <= windows.last {
                    put_u64(out, windows.record.into());
                    next += 1;
                }
            }
        }
    }

    /// The first record over a window, or over the next one that has any.
    fn first_over(&self, window: u64) -> Option<VirtualOffset> {
        let index = self.windows.partition_point(|windows| windows.last < window);
        self.windows.get(index).map(|windows| windows.record)
    }

    /// Moves small bins into their parents and joins chunks that meet in a block.
    fn compress(&mut self, scheme: Scheme) {
        for level in (1..=scheme.depth).rev() {
            let first = Scheme::first_of_level(level);
            let numbers: Vec<u32> = self
                .bins
                .range(first..Scheme::first_of_level(level + 1))
                .map(|(number, _)| *number)
                .collect();
            for number in numbers {
                let Some(chunks) = self.bins.get_mut(&number) else { continue };
                chunks.sort_unstable();
                let (Some(first), Some(last)) = (chunks.first(), chunks.last()) else { continue };
                let is_small = last.end.compressed() - first.start.compressed() < SMALL;
                if is_small && self.bins.contains_key(&Scheme::parent(number)) {
                    let chunks = self.bins.remove(&number).unwrap_or_default();
                    self.bins.entry(Scheme::parent(number)).or_default().extend(chunks);
                }
            }
        }
        for chunks in self.bins.values_mut() {
            chunks.sort_unstable();
            chunks.dedup_by(|next, kept| {
                let meets = kept.end.compressed() >= next.start.compressed();
                if meets {
                    kept.end = kept.end.max(next.end);
                }
                meets
            });
        }
    }
}

fn put_bin(format: Format, number: u32, first: VirtualOffset, chunks: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&number.to_le_bytes());
    if format == Format::Csi {
        put_u64(out, first.into());
    }
    put_i32(out, chunks);
}

fn put_segment(out: &mut Vec<u8>, segment: Segment) {
    put_u64(out, segment.start.into());
    put_u64(out, segment.end.into());
}

fn put_i32(out: &mut Vec<u8>, value: usize) {
    out.extend_from_slice(&(value as i32).to_le_bytes());
}

fn put_u64(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(&value.to_le_bytes());
}
