//! Tables and alignments as streams of FASTQ or FASTA.

use std::io::{self, BufRead, Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use biofast_bam as bam;
use biofast_io::output::{Compression, Output};
use biofast_io::pipeline::Failure;
use biofast_io::{Error, ErrorKind, Location, Options, Reader, Source};

use crate::change::to_fastq::{self, FastqPlan};

/// Converts a table with lines `header TAB sequence TAB qualities`, like those of `seqkit fx2tab`, to FASTQ, or to
/// FASTA if the first line with bases has no qualities.
///
/// # Errors
/// If its first bytes can't be read. A malformed line is an error of the reader.
pub fn from_table(source: Source, options: &Options) -> Result<Source, Error> {
    let name: Arc<str> = source.name().into();
    let reader = Reader::new(source, options)?;
    let table = TableReader {
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

struct TableReader {
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

impl TableReader {
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
            return Err("expected header, sequence and qualities, separated by tabs");
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

impl Read for TableReader {
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

/// Converts alignments to FASTQ, on threads of its own. Adjacent mates stay adjacent. With `suffix`, names get /1 or /2
/// according to the flags.
///
/// # Errors
/// If a thread can't be started. Malformed alignments are an error of the reader.
pub fn from_alignments(source: Source, options: &Options, suffix: bool) -> Result<Source, Error> {
    let name: Arc<str> = source.name().into();
    let (sender, blocks) = sync_channel(4);
    let options = options.clone();
    let work = move || {
        let plan = FastqPlan {
            filter: bam::flag::Filter { none_of: NOT_PRIMARY, ..bam::flag::Filter::default() },
            format: to_fastq::FastqFormat { suffix, ..to_fastq::FastqFormat::default() },
            ..FastqPlan::default()
        };
        let mut outputs = [Output::stream("reads", BlockSender(sender), Compression::default())];
        to_fastq::grouped(source, &options, &plan, &mut outputs).map(|_| ())
    };
    let worker = std::thread::Builder::new()
        .name("reads of alignments".into())
        .spawn(work)
        .map_err(|error| Error::new(ErrorKind::Io(error), Location::in_input(&name)))?;
    let reads = BlockReader { blocks, block: Vec::new(), taken: 0, worker: Some(worker) };
    Ok(Source::from_adapter(&name, reads))
}

/// Secondary and supplementary records are no reads of their own.
const NOT_PRIMARY: u16 = 0x900;

/// Sends what is written.
struct BlockSender(SyncSender<Vec<u8>>);

impl Write for BlockSender {
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

struct BlockReader {
    blocks: Receiver<Vec<u8>>,
    block: Vec<u8>,
    taken: usize,
    worker: Option<JoinHandle<Result<(), Failure<bam::Error>>>>,
}

impl Read for BlockReader {
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

impl BlockReader {
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

/// The kind of data in an input of reads, detected from its content.
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
        match bam::Format::sniff(source) {
            Ok(_) => return Ok(Holds::Alignments),
            // Whoever reads it says what is wrong.
            Err(error) if error.kind().is_spaced_sam() => {
                return Ok(Holds::Alignments);
            }
            Err(_) => {}
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
