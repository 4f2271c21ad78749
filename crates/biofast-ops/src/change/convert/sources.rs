//! Tables and alignments as streams of FASTQ or FASTA.

use std::io::{self, BufRead, Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use biofast_bam as bam;
use biofast_io::output::{Compression, Output};
use biofast_io::pipeline::Failure;
use biofast_io::{Error, ErrorKind, Location, Options, Reader, Source};

use crate::change::to_fastq::{self, Plan, Routes};

/// The lines of a table, `header TAB sequence TAB qualities` as `seqkit fx2tab` writes them, as FASTQ; if the first line with bases has no
/// qualities, as FASTA.
///
/// ```
/// use biofast_io::{Options, Source};
/// use biofast_ops::convert::from_table;
///
/// let table = Source::from_reader("example", &b"a x\tACGT\tIIII\n"[..]);
/// let reads = from_table(table, &Options::default())?;
/// let mut reader = biofast_fastq::Reader::new(reads, &Options::default())?;
/// assert_eq!(reader.next_record()?.map(|read| read.sequence().to_vec()), Some(b"ACGT".to_vec()));
/// # Ok::<(), biofast_fastq::Error>(())
/// ```
///
/// # Errors
/// If its first bytes can't be read. A line that is wrong is an error of who reads.
pub fn from_table(source: Source, options: &Options) -> Result<Source, Error> {
    let name: Arc<str> = source.name().into();
    let reader = Reader::new(source, options)?;
    let table = Table {
        reader,
        name: Arc::clone(&name),
        line: 0,
        fasta: None,
        without_bases: Vec::new(),
        text: Vec::new(),
        ready: Vec::new(),
        taken: 0,
    };
    Ok(Source::from_adapter(&name, table))
}

/// So many lines without bases are looked at.
const MOST_WITHOUT_BASES: usize = 1 << 10;

/// Appends a record.
fn append(out: &mut Vec<u8>, fasta: bool, [definition, sequence, qualities]: [&[u8]; 3]) {
    let parts: [&[u8]; 7] = match fasta {
        true => [b">", definition, b"\n", sequence, b"\n", b"", b""],
        false => [b"@", definition, b"\n", sequence, b"\n+\n", qualities, b"\n"],
    };
    parts.iter().for_each(|part| out.extend_from_slice(part));
}

struct Table {
    reader: Reader,
    name: Arc<str>,
    /// Lines so far.
    line: u64,
    /// Whether there are no qualities, as the first line with bases says.
    fasta: Option<bool>,
    /// Headers of the lines before it.
    without_bases: Vec<Vec<u8>>,
    text: Vec<u8>,
    ready: Vec<u8>,
    taken: usize,
}

/// Text that is made at once.
const BLOCK: usize = 64 << 10;

impl Table {
    fn fill(&mut self) -> io::Result<()> {
        self.ready.clear();
        self.taken = 0;
        while self.ready.len() < BLOCK {
            self.text.clear();
            if self.reader.read_until(b'\n', &mut self.text)? == 0 {
                self.decide(false);
                break;
            }
            self.line += 1;
            if let Err(reason) = self.record() {
                let at = Location {
                    name: Some(Arc::clone(&self.name)),
                    line: Some(self.line),
                    ..Location::default()
                };
                let reason = io::Error::new(io::ErrorKind::InvalidData, reason);
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    Error::new(ErrorKind::Io(reason), at),
                ));
            }
        }
        Ok(())
    }

    /// The record of a line.
    fn record(&mut self) -> Result<(), &'static str> {
        let line = self.text.strip_suffix(b"\n").unwrap_or(&self.text);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let mut fields = line.splitn(4, |&byte| byte == b'\t');
        let (Some(definition), Some(sequence)) = (fields.next(), fields.next()) else {
            return Err("expected a header, a tab, a sequence, a tab and qualities");
        };
        let qualities = fields.next().unwrap_or_default();
        if self.fasta.is_none() && sequence.is_empty() && qualities.is_empty() {
            self.without_bases.push(definition.to_vec());
            if self.without_bases.len() == MOST_WITHOUT_BASES {
                self.decide(false);
            }
            return Ok(());
        }
        let fasta = *self.fasta.get_or_insert(qualities.is_empty());
        if fasta && !qualities.is_empty() {
            return Err("expected no qualities, as in the first line, found some");
        }
        if !fasta && qualities.is_empty() && !sequence.is_empty() {
            return Err("expected qualities, as in the first line, found none");
        }
        for definition in self.without_bases.drain(..) {
            append(&mut self.ready, fasta, [&definition, b"", b""]);
        }
        append(&mut self.ready, fasta, [definition, sequence, qualities]);
        Ok(())
    }

    /// What the lines so far are if they don't say it.
    fn decide(&mut self, fasta: bool) {
        let fasta = *self.fasta.get_or_insert(fasta);
        for definition in self.without_bases.drain(..) {
            append(&mut self.ready, fasta, [&definition, b"", b""]);
        }
    }
}

impl Read for Table {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.ready.len() {
            self.fill()?;
        }
        let n = out.len().min(self.ready.len() - self.taken);
        out[..n].copy_from_slice(&self.ready[self.taken..self.taken + n]);
        self.taken += n;
        Ok(n)
    }
}

/// The reads of alignments as FASTQ, mates that stand together after each other; read on threads of their own. With `suffix` names
/// get /1 and /2, as the flags say.
///
/// ```
/// use biofast_io::{Options, Source};
/// use biofast_ops::convert::from_alignments;
///
/// let sam = Source::from_reader("example", &b"r1\t4\t*\t0\t0\t*\t*\t0\t0\tAC\tI#\n"[..]);
/// let options = Options::default();
/// let opened = biofast_bam::Input::open(sam, &biofast_bam::InputOptions::new(&options))?;
/// let reads = from_alignments(opened.source, &options, false)?;
/// let mut reader = biofast_fastq::Reader::new(reads, &options)?;
/// assert_eq!(reader.next_record()?.map(|read| read.sequence().to_vec()), Some(b"AC".to_vec()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a thread can't be started. What is wrong with the alignments is an error of who reads.
pub fn from_alignments(source: Source, options: &Options, suffix: bool) -> Result<Source, Error> {
    let name: Arc<str> = source.name().into();
    let (sender, blocks) = sync_channel(4);
    let options = options.clone();
    let work = move || {
        let plan = Plan {
            filter: bam::flag::Filter { none_of: NOT_PRIMARY, ..bam::flag::Filter::default() },
            format: to_fastq::Format { suffix, ..to_fastq::Format::default() },
            routes: Routes::default(),
        };
        let mut outputs = [Output::stream("reads", Blocks(sender), Compression::default())];
        to_fastq::grouped(source, &options, &plan, &mut outputs).map(|_| ())
    };
    let worker = std::thread::Builder::new()
        .name("reads of alignments".into())
        .spawn(work)
        .map_err(|error| Error::new(ErrorKind::Io(error), Location::in_input(&name)))?;
    let reads = Reads { blocks, block: Vec::new(), taken: 0, worker: Some(worker) };
    Ok(Source::from_adapter(&name, reads))
}

/// Secondary and supplementary records are no reads of their own.
const NOT_PRIMARY: u16 = 0x900;

/// Sends what is written.
struct Blocks(SyncSender<Vec<u8>>);

impl Write for Blocks {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        match self.0.send(text.to_vec()) {
            Ok(()) => Ok(text.len()),
            // Whoever reads has had enough.
            Err(_) => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Reads {
    blocks: Receiver<Vec<u8>>,
    block: Vec<u8>,
    taken: usize,
    worker: Option<JoinHandle<Result<(), Failure<bam::Error>>>>,
}

impl Read for Reads {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.block.len() {
            let Ok(block) = self.blocks.recv() else { return self.end() };
            (self.block, self.taken) = (block, 0);
        }
        let n = out.len().min(self.block.len() - self.taken);
        out[..n].copy_from_slice(&self.block[self.taken..self.taken + n]);
        self.taken += n;
        Ok(n)
    }
}

impl Reads {
    /// All has been read, or what is wrong comes next.
    fn end(&mut self) -> io::Result<usize> {
        match self.worker.take().map(JoinHandle::join) {
            None | Some(Ok(Ok(()))) => Ok(0),
            Some(Ok(Err(Failure::Input(error)))) => Err(error.into()),
            Some(Ok(Err(Failure::Output(error)))) => Err(io::Error::other(error)),
            Some(Err(_)) => Err(io::Error::other("a thread that read alignments has failed")),
        }
    }
}

/// What an input of reads holds.
///
/// ```
/// use biofast_io::Source;
/// use biofast_ops::convert::Holds;
///
/// let found = |text: &'static [u8]| Holds::sniff(&mut Source::from_reader("example", text));
/// assert_eq!(found(b">a\nAC\n")?, Holds::Fasta);
/// assert_eq!(found(b"a\tAC\tII\n")?, Holds::Table);
/// assert_eq!(found(b"@a\nAC\n+\nII\n")?, Holds::Fastq);
/// assert_eq!(found(b"@HD\tVN:1.6\n")?, Holds::Alignments);
/// # Ok::<(), biofast_io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// FASTQ, or nothing that is known.
    Fastq,
    /// FASTA.
    Fasta,
    /// Lines with tabs, see [`from_table`].
    Table,
    /// BAM, SAM or CRAM.
    Alignments,
}

impl Holds {
    /// By the first bytes of `source`, which are left unread.
    ///
    /// # Errors
    /// If nothing can be read.
    pub fn sniff(source: &mut Source) -> Result<Holds, Error> {
        let start = source.peek(SNIFFED)?;
        if bam::Format::sniff(source).is_ok() {
            return Ok(Holds::Alignments);
        }
        let first = start.iter().position(|&byte| !matches!(byte, b'\n' | b'\r'));
        let line = first.and_then(|at| start[at..].split(|&byte| byte == b'\n').next());
        Ok(match line.unwrap_or_default() {
            [b'>', ..] => Holds::Fasta,
            [b'@', ..] => Holds::Fastq,
            line if line.contains(&b'\t') => Holds::Table,
            _ => Holds::Fastq,
        })
    }
}

/// As far as the first line is looked at.
const SNIFFED: usize = 4 << 10;
