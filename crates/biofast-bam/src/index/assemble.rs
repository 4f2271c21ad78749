//! What goes into an index: batches of records condensed into runs, and the runs put together.
//!
//! What is kept, and in which order it is written, follows htslib, so that an index has the
//! bytes of `samtools index`: runs of records in the same bin are chunks; bins whose chunks span
//! less than 64 KB of the file move into their parent; chunks that meet in a block are joined.

use std::collections::BTreeMap;

use biofast_io::bgzf::VirtualOffset;
use biofast_io::splice::Segment;

use super::bins::Scheme;
use super::hash_order::HashOrder;
use super::tables::IndexFormat;
use crate::flag;
use crate::record::Record;

/// Bins whose chunks span fewer bytes of the file than this move into their parent.
const SMALL: u64 = 1 << 16;

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
pub(super) struct Partial {
    runs: Vec<Run>,
    windows: Vec<Windows>,
    /// By reference: mapped and unmapped records.
    counts: Vec<(i32, [u64; 2])>,
    unplaced: u64,
    /// The first record that can't be indexed, counted from 1, and why.
    pub(super) fault: Option<(u64, String)>,
}

impl Partial {
    /// Adds a record and where it starts and ends.
    ///
    /// # Errors
    /// Why it can't be indexed.
    pub(super) fn add(
        &mut self,
        record: &Record<'_>,
        start: VirtualOffset,
        end: VirtualOffset,
        scheme: Scheme,
    ) -> Result<(), String> {
        let reference = record.reference_id();
        if reference < 0 {
            self.unplaced += 1;
            return Ok(());
        }
        let position = i64::from(record.position());
        let alignment_end = record.alignment_end();
        if position > scheme.end() || alignment_end > scheme.end() {
            return Err(format!(
                "the alignment ends at position {alignment_end}, but this index reaches only {}; use CSI",
                scheme.end()
            ));
        }
        // A position of −1 counts as 0.
        let interval = (position.max(0), alignment_end.max(1));
        let unmapped = record.flags() & flag::UNMAPPED != 0;
        self.add_interval(reference, interval, Segment { start, end }, unmapped, scheme);
        Ok(())
    }

    /// Adds what lies on these positions, which must not be empty, and where it stands.
    pub(super) fn add_interval(
        &mut self,
        reference: i32,
        (from, to): (i64, i64),
        segment: Segment,
        unmapped: bool,
        scheme: Scheme,
    ) {
        let counts = [u64::from(!unmapped), u64::from(unmapped)];
        self.add_intervals(reference, (from, to), segment, counts, scheme);
    }

    /// The same of so many, mapped and unmapped, that all lie in the bin of these positions.
    pub(super) fn add_intervals(
        &mut self,
        reference: i32,
        (from, to): (i64, i64),
        segment: Segment,
        [mapped, unmapped]: [u64; 2],
        scheme: Scheme,
    ) {
        let bin = scheme.bin_of(from, to);
        match self.runs.last_mut() {
            Some(run) if (run.reference, run.bin) == (reference, bin) => {
                run.segment.end = segment.end;
            }
            _ => self.runs.push(Run { reference, bin, segment }),
        }
        let first = (from >> scheme.min_shift) as u64;
        let last = ((to - 1) >> scheme.min_shift) as u64;
        add_windows(&mut self.windows, Windows { reference, first, last, record: segment.start });
        match self.counts.last_mut() {
            Some((last, counts)) if *last == reference => {
                counts[0] += mapped;
                counts[1] += unmapped;
            }
            _ => self.counts.push((reference, [mapped, unmapped])),
        }
    }

    /// Replaces all places.
    pub(super) fn map(&mut self, to: impl Fn(VirtualOffset) -> VirtualOffset) {
        for run in &mut self.runs {
            map_segment(&mut run.segment, &to);
        }
        self.windows.iter_mut().for_each(|windows| windows.record = to(windows.record));
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
pub(super) struct Assembly {
    /// The references so far, by index.
    references: BTreeMap<i32, ReferenceBins>,
    /// The run that may go on.
    open: Option<Run>,
    unplaced: u64,
}

/// What the index will say of one reference.
#[derive(Default)]
struct ReferenceBins {
    bins: BTreeMap<u32, Vec<Segment>>,
    order: HashOrder,
    windows: Vec<Windows>,
    segment: Option<Segment>,
    counts: [u64; 2],
}

impl ReferenceBins {
    fn add_chunk(&mut self, bin: u32, segment: Segment) {
        let chunks = self.bins.entry(bin).or_default();
        self.order.put(bin, chunks.is_empty());
        chunks.push(segment);
    }
}

fn map_segment(segment: &mut Segment, to: impl Fn(VirtualOffset) -> VirtualOffset) {
    *segment = Segment { start: to(segment.start), end: to(segment.end) };
}

impl Assembly {
    /// Replaces all places.
    pub(super) fn map(&mut self, to: impl Fn(VirtualOffset) -> VirtualOffset) {
        for reference in self.references.values_mut() {
            let chunks = reference.bins.values_mut().flatten();
            chunks.chain(&mut reference.segment).for_each(|segment| map_segment(segment, &to));
            reference.windows.iter_mut().for_each(|windows| windows.record = to(windows.record));
        }
        if let Some(open) = &mut self.open {
            map_segment(&mut open.segment, &to);
        }
    }

    /// Takes what the next partial holds.
    pub(super) fn append(&mut self, partial: &mut Partial, scheme: Scheme) {
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
    pub(super) fn finish(
        self,
        format: IndexFormat,
        scheme: Scheme,
        reference_count: usize,
    ) -> Vec<u8> {
        self.finish_with(format, scheme, reference_count, &[])
    }

    /// The same with what CSI says besides.
    pub(super) fn finish_with(
        mut self,
        format: IndexFormat,
        scheme: Scheme,
        reference_count: usize,
        aux: &[u8],
    ) -> Vec<u8> {
        self.open_run(None, scheme);
        let mut out = Vec::new();
        match format {
            IndexFormat::Bai => out.extend_from_slice(b"BAI\x01"),
            IndexFormat::Csi => {
                out.extend_from_slice(b"CSI\x01");
                put_i32(&mut out, scheme.min_shift.into());
                put_i32(&mut out, scheme.depth.into());
                put_i32(&mut out, aux.len());
                out.extend_from_slice(aux);
            }
        }
        put_i32(&mut out, reference_count);
        for index in 0..reference_count {
            match self.references.remove(&(index as i32)) {
                Some(reference) => reference.write(format, scheme, &mut out),
                None => {
                    put_i32(&mut out, 0);
                    if format == IndexFormat::Bai {
                        put_i32(&mut out, 0);
                    }
                }
            }
        }
        put_u64(&mut out, self.unplaced);
        out
    }
}

impl ReferenceBins {
    fn write(mut self, format: IndexFormat, scheme: Scheme, out: &mut Vec<u8>) {
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
        if format == IndexFormat::Bai {
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

fn put_bin(
    format: IndexFormat,
    number: u32,
    first: VirtualOffset,
    chunks: usize,
    out: &mut Vec<u8>,
) {
    out.extend_from_slice(&number.to_le_bytes());
    if format == IndexFormat::Csi {
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
