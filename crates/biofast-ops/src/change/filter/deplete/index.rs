//! Indexes of minimizers: files of deacon's format, and how they are made.
//!
//! A file has a version (3), the lengths of k-mers and windows (a byte each), the number of k-mers (64 bits), and the k-mers, each in as
//! few bytes as its bases need; numbers are little-endian. Deacon writes them in no order; here they are sorted.

use std::fmt;
use std::io::{BufRead, Read};
use std::sync::Arc;

use biofast_fastq as fastq;
use biofast_fastq::Fold;
use biofast_fastq::fasta::Sequences;
use biofast_io::output::Output;
use biofast_io::{Container, Options, Reader, Source};
use biofast_kernels::{MinimizerBuffers, MinimizerScheme, find_minimizers};

use super::set::KmerSet;
use crate::change::segment::MemorySegment;
use crate::error::{Error, Refusal};

/// The version of the format.
const VERSION: u8 = 3;
/// The bytes before the k-mers.
const HEADER: usize = 11;
/// So many k-mers are read or written at once.
const PIECE: usize = 16 << 10;
/// The bases of a sequence that are looked at in one go.
const STRETCH: usize = 1 << 20;

/// The minimizers of a reference.
pub struct MinimizerIndex {
    name: String,
    scheme: MinimizerScheme,
    kmers: KmerSet,
}

impl fmt::Debug for MinimizerIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scheme, .. } = self;
        let (k, w) = (scheme.k(), scheme.w());
        write!(f, "MinimizerIndex {{ k: {k}, w: {w}, len: {} }}", self.len())
    }
}

impl MinimizerIndex {
    /// Reads an index file, plain or compressed.
    ///
    /// # Errors
    /// If it can't be read, isn't an index of this version, or hasn't exactly the k-mers that it says.
    pub fn read(source: Source, options: &Options) -> Result<MinimizerIndex, Error> {
        let name = source.name().to_owned();
        let file_len = source.len();
        let mut reader = Reader::new(source, options).map_err(fastq::Error::from)?;
        let result = read(&mut reader, file_len);
        result.map(|(scheme, kmers)| MinimizerIndex { name: name.clone(), scheme, kmers }).map_err(
            |fault| match fault {
                ReadFault::Invalid(why) => Refusal::InvalidMinimizers { name, why }.into(),
                ReadFault::Io(error) => match error.downcast::<biofast_io::Error>() {
                    Ok(error) => fastq::Error::from(error).into(),
                    Err(error) => {
                        Refusal::InvalidMinimizers { name, why: error.to_string() }.into()
                    }
                },
            },
        )
    }

    /// The name of the file; empty if it wasn't read from one.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The lengths of k-mers and windows.
    pub fn scheme(&self) -> &MinimizerScheme {
        &self.scheme
    }

    /// How many different minimizers there are.
    pub fn len(&self) -> usize {
        self.kmers.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether each of these k-mers is among them, instead of what `found` has.
    pub(super) fn look_up(&self, kmers: &[u64], found: &mut Vec<bool>) {
        self.kmers.look_up(kmers, found);
    }
}

enum ReadFault {
    Io(std::io::Error),
    Invalid(String),
}

impl From<std::io::Error> for ReadFault {
    fn from(error: std::io::Error) -> ReadFault {
        ReadFault::Io(error)
    }
}

fn invalid<T>(why: impl Into<String>) -> Result<T, ReadFault> {
    Err(ReadFault::Invalid(why.into()))
}

/// As many bytes as there are, up to a number, in place of what `bytes` has.
fn read_up_to(reader: &mut Reader, most: usize, bytes: &mut Vec<u8>) -> std::io::Result<()> {
    bytes.clear();
    reader.take(most as u64).read_to_end(bytes)?;
    Ok(())
}

fn read(
    reader: &mut Reader,
    file_len: Option<u64>,
) -> Result<(MinimizerScheme, KmerSet), ReadFault> {
    let mut bytes = Vec::with_capacity(HEADER);
    read_up_to(reader, HEADER, &mut bytes)?;
    let len = bytes.len();
    let mut header = [0; HEADER];
    header[..len].copy_from_slice(&bytes);
    if header.starts_with(b"DBF") && len >= 4 {
        return invalid("a frozen index (.pidx): an index of k-mers (.idx) is needed");
    }
    if header[0] != VERSION || len == 0 {
        let what = match (len, header[0]) {
            (0, _) => "it is empty".to_owned(),
            (HEADER, version @ 1..VERSION) => format!("its version is {version}, not {VERSION}"),
            _ => format!("it doesn't begin with version {VERSION}"),
        };
        return invalid(format!("not an index of minimizers: {what}"));
    }
    if len < HEADER {
        return invalid("truncated in its header");
    }
    let [_, k, w, count @ ..] = header;
    let count = u64::from_le_bytes(count);
    if k as usize > biofast_kernels::LONGEST_KMER {
        return invalid(format!("its k-mers have {k} bases; at most 32 are supported"));
    }
    let Some(scheme) = MinimizerScheme::new(k.into(), w.into()) else {
        return invalid(format!(
            "not an index of minimizers: k-mers of {k} bases in windows of {w}"
        ));
    };
    let width = usize::from(k.div_ceil(4));
    // What a plain file holds is known, so that a number that is wrong takes no memory.
    let is_plain = reader.container() == Container::Plain;
    let stored = file_len.filter(|_| is_plain).map(|len| (len - HEADER as u64) / width as u64);
    if let Some(stored) = stored
        && stored < count
    {
        return invalid(format!("truncated: it has {stored} of {count} minimizers"));
    }
    let mut kmers = match stored {
        Some(_) => Loaded::Known(MemorySegment::new(count as usize * size_of::<u64>())),
        None => Loaded::Unknown(Vec::new()),
    };
    let mut piece = Vec::with_capacity(PIECE);
    let highest = u64::MAX >> (64 - 2 * u32::from(k));
    let mut done = 0;
    while done < count {
        let wanted = ((count - done) as usize).min(PIECE);
        read_up_to(reader, wanted * width, &mut bytes)?;
        piece.clear();
        for kmer in bytes.chunks_exact(width) {
            let mut word = [0; 8];
            word[..width].copy_from_slice(kmer);
            piece.push(u64::from_le_bytes(word));
        }
        if let Some(at) = piece.iter().position(|&kmer| kmer > highest || kmer == u64::MAX) {
            let number = done + at as u64 + 1;
            return invalid(format!("damaged: minimizer {number} has more than {k} bases"));
        }
        match &mut kmers {
            Loaded::Known(segment) => fill(segment, &piece),
            Loaded::Unknown(list) => list.extend_from_slice(&piece),
        }
        done += piece.len() as u64;
        if piece.len() < wanted {
            return invalid(format!("truncated: it has {done} of {count} minimizers"));
        }
    }
    if !reader.fill_buf()?.is_empty() {
        return invalid(format!("damaged: there is more behind {count} minimizers"));
    }
    let kmers = match kmers {
        Loaded::Known(segment) => segment,
        Loaded::Unknown(list) => segment_of(&list),
    };
    match KmerSet::new(kmers, 2 * u32::from(k)) {
        (kmers, true) => Ok((scheme, kmers)),
        (_, false) => invalid("damaged: it has a minimizer twice"),
    }
}

/// Adds k-mers to a segment that has room for them.
fn fill(segment: &mut MemorySegment, kmers: &[u64]) {
    let (slots, _) = segment.append(size_of_val(kmers)).as_chunks_mut();
    slots.iter_mut().zip(kmers).for_each(|(slot, kmer)| *slot = kmer.to_ne_bytes());
}

pub(super) fn segment_of(kmers: &[u64]) -> MemorySegment {
    let mut segment = MemorySegment::new(size_of_val(kmers));
    fill(&mut segment, kmers);
    segment
}

/// K-mers of a file, whose number is certain only where its length shows it.
enum Loaded {
    Known(MemorySegment),
    Unknown(Vec<u64>),
}

/// How much was indexed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexedSequences {
    /// Sequences, with or without minimizers.
    pub sequences: u64,
    /// Their bases.
    pub bases: u64,
    /// Different minimizers.
    pub minimizers: u64,
}

/// Gathers the minimizers of a reference.
pub struct MinimizerIndexBuilder {
    scheme: MinimizerScheme,
    found: MinimizerBuffers,
    /// The first of these are sorted and different.
    kmers: Vec<u64>,
    distinct: usize,
    indexed: IndexedSequences,
}

impl MinimizerIndexBuilder {
    /// Minimizers of `k` bases, one of `w` in a row; `None` unless `k` is at most 32, and `k + w` even and at most 96.
    pub fn new(k: usize, w: usize) -> Option<MinimizerIndexBuilder> {
        MinimizerScheme::new(k, w).map(MinimizerIndexBuilder::with)
    }

    fn with(scheme: MinimizerScheme) -> MinimizerIndexBuilder {
        MinimizerIndexBuilder {
            scheme,
            found: MinimizerBuffers::default(),
            kmers: Vec::new(),
            distinct: 0,
            indexed: IndexedSequences::default(),
        }
    }

    /// The lengths of k-mers and windows.
    pub fn scheme(&self) -> &MinimizerScheme {
        &self.scheme
    }

    /// Adds a sequence.
    pub fn add(&mut self, bases: &[u8]) {
        self.indexed.sequences += 1;
        self.indexed.bases += bases.len() as u64;
        let overlap = self.scheme.window() - 1;
        let mut start = 0;
        loop {
            let end = bases.len().min(start + STRETCH + overlap);
            find_minimizers(&bases[start..end], &self.scheme, &mut self.found);
            self.kmers.extend_from_slice(self.found.kmers());
            // Of repeats there are many; twice the memory of what differs is enough.
            if self.kmers.len() > 2 * self.distinct + STRETCH {
                self.settle();
            }
            if end == bases.len() {
                return;
            }
            start += STRETCH;
        }
    }

    /// Adds all sequences of FASTA or FASTQ, on as many threads as the options say.
    ///
    /// # Errors
    /// The first fault of the input.
    pub fn add_all(&mut self, source: Source, options: &Options) -> Result<(), Error> {
        let builder = Fold::new(Sequences(source)).options(options).run(
            || MinimizerIndexBuilder::with(self.scheme.clone()),
            |builder, batch| batch.iter().for_each(|read| builder.add(read.sequence())),
            |builder, other| builder.merge(other),
        );
        self.merge(builder.map_err(|fault| fault.error)?);
        Ok(())
    }

    fn merge(&mut self, other: MinimizerIndexBuilder) {
        self.indexed.sequences += other.indexed.sequences;
        self.indexed.bases += other.indexed.bases;
        self.kmers.extend_from_slice(&other.kmers);
        self.settle();
    }

    fn settle(&mut self) {
        self.kmers.sort_unstable();
        self.kmers.dedup();
        self.distinct = self.kmers.len();
    }

    /// The index.
    pub fn finish(mut self) -> Arc<MinimizerIndex> {
        self.settle();
        let bits = 2 * self.scheme.k() as u32;
        let (kmers, _) = KmerSet::new(segment_of(&self.kmers), bits);
        Arc::new(MinimizerIndex { name: String::new(), scheme: self.scheme, kmers })
    }

    /// Writes the index as a file.
    ///
    /// # Errors
    /// Those of the output.
    pub fn write(mut self, output: &mut Output) -> Result<IndexedSequences, Error> {
        self.settle();
        let width = self.scheme.k().div_ceil(4);
        let lengths = [self.scheme.k(), self.scheme.w()].map(|len| len as u8);
        let count = (self.kmers.len() as u64).to_le_bytes();
        output.append(&[&[VERSION], &lengths[..], &count].concat())?;
        let mut bytes = Vec::with_capacity(PIECE * width);
        for piece in self.kmers.chunks(PIECE) {
            bytes.clear();
            piece.iter().for_each(|kmer| bytes.extend_from_slice(&kmer.to_le_bytes()[..width]));
            output.append(&bytes)?;
        }
        Ok(IndexedSequences { minimizers: self.kmers.len() as u64, ..self.indexed })
    }
}
