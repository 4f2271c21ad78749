//! Writes one dataset in one pass: records are generated in parallel, chunk by chunk, and go in order to the
//! plain file, to BGZF blocks (compressed in parallel) and to memory for the single gzip member.
//! Called by `datasets build`.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::files;
use biofast_io::bgzf::{BLOCK_TEXT, Deflater, EOF_BLOCK};
use biofast_io::output::Level;
use libdeflater::{CompressionLvl, Compressor};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::align::{self, Aligned};
use super::genome::Genome;
use super::long::{LONG_CHUNK, LongReads};
use super::profile::{Profile, SHORT_LEN};
use super::short::{SHORT_CHUNK, ShortReads};
use super::{Dataset, to_hex};

const LEVEL: i32 = 6;
/// Chunks generated at a time: about 20 MB of text.
const BATCH: u64 = 16;

/// The container of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Plain text, `.fq`.
    Fastq,
    /// One gzip member, `.fq.gz`.
    Gzip,
    /// Blocked gzip, `.fq.bgz`.
    Bgzf,
    /// Alignments, `.bam`; a dataset has either this format alone or none of it.
    Bam,
}

impl Format {
    /// The end of the file's name.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Fastq => "fq",
            Format::Gzip => "fq.gz",
            Format::Bgzf => "fq.bgz",
            Format::Bam => "bam",
        }
    }
}

pub(crate) struct Written {
    pub(crate) format: Format,
    pub(crate) records: u64,
    pub(crate) bases: u64,
    pub(crate) bytes: u64,
    pub(crate) sha256: String,
}

pub(crate) fn write_dataset(
    dataset: &Dataset,
    genome: &Genome,
    targets: &[(Format, PathBuf)],
) -> Result<Vec<Written>> {
    if let [(Format::Bam, path)] = targets {
        return Ok(vec![write_bam(dataset, genome, path)?]);
    }
    let open = |wanted| -> Result<Option<HashedFile>> {
        targets
            .iter()
            .find(|(format, _)| *format == wanted)
            .map(|(_, path)| HashedFile::create(path))
            .transpose()
    };
    let mut plain = open(Format::Fastq)?;
    let mut bgzf = open(Format::Bgzf)?.map(BgzfWriter::new);
    let mut gzip = open(Format::Gzip)?.map(|file| (file, Vec::new()));

    let bases = generate(dataset, genome, |text| {
        if let Some(file) = &mut plain {
            file.write(text)?;
        }
        match (&mut gzip, &mut bgzf) {
            (Some((_, member)), _) => member.extend_from_slice(text),
            (None, Some(writer)) => writer.write(text)?,
            (None, None) => {}
        }
        Ok(())
    })?;

    let mut written = Vec::new();
    let mut done = |format, (bytes, sha256)| {
        written.push(Written { format, records: dataset.records, bases, bytes, sha256 });
    };
    if let Some(file) = plain {
        done(Format::Fastq, file.finish()?);
    }
    if let Some((mut file, text)) = gzip {
        // A single member is compressed by a single thread; the others work on the blocks meanwhile.
        let (member, blocks) = rayon::join(
            || compress_member(&text),
            || {
                bgzf.as_mut().map_or(Ok(()), |writer| {
                    text.chunks(BGZF_BATCH).try_for_each(|part| writer.write(part))
                })
            },
        );
        blocks?;
        file.write(&member?)?;
        done(Format::Gzip, file.finish()?);
    }
    if let Some(writer) = bgzf {
        done(Format::Bgzf, writer.finish()?);
    }
    Ok(written)
}

/// Writes a BAM file as htslib lays it out: the header in blocks of its own, and no record in two blocks.
fn write_bam(dataset: &Dataset, genome: &Genome, path: &Path) -> Result<Written> {
    let aligned = Aligned::new(dataset, genome);
    let mut file = HashedFile::create(path)?;
    let mut blocks = vec![align::header(genome.len())];
    let mut block = Vec::with_capacity(BLOCK_TEXT);
    for record in aligned.iter() {
        if block.len() + record.len() > BLOCK_TEXT {
            blocks.push(std::mem::replace(&mut block, Vec::with_capacity(BLOCK_TEXT)));
            if blocks.len() == 256 {
                write_compressed(&mut file, &blocks)?;
                blocks.clear();
            }
        }
        block.extend_from_slice(record);
    }
    blocks.push(block);
    write_compressed(&mut file, &blocks)?;
    file.write(&EOF_BLOCK)?;
    let (bytes, sha256) = file.finish()?;
    let (records, bases) = (aligned.records(), aligned.bases());
    Ok(Written { format: Format::Bam, records, bases, bytes, sha256 })
}

/// Compresses each of `texts` to a block, in parallel, and writes them in order.
fn write_compressed(file: &mut HashedFile, texts: &[Vec<u8>]) -> Result<()> {
    let blocks: Vec<Vec<u8>> = texts
        .par_iter()
        .map_init(new_deflater, |deflater, text| compress_block(deflater, text))
        .collect();
    blocks.iter().try_for_each(|block| file.write(block))
}

/// Appends some records of a chunk (its number, how many) to a buffer and returns their bases.
type MakeChunk<'a> = Box<dyn Fn(u64, u64, &mut Vec<u8>) -> u64 + Sync + 'a>;

/// Hands the dataset's text to `sink`, in order; returns the number of bases.
pub(crate) fn generate(
    dataset: &Dataset,
    genome: &Genome,
    mut sink: impl FnMut(&[u8]) -> Result<()>,
) -> Result<u64> {
    let (per_chunk, make): (u64, MakeChunk<'_>) = match dataset.profile {
        Profile::Nanopore => {
            let reads = LongReads { genome, seed: dataset.seed };
            (LONG_CHUNK, Box::new(move |chunk, records, out| reads.push_chunk(chunk, records, out)))
        }
        profile => {
            let reads = ShortReads::new(genome, profile, dataset.names, dataset.seed, dataset.mate);
            let make = move |chunk, records, out: &mut Vec<u8>| {
                reads.push_chunk(chunk, records, out);
                records * SHORT_LEN as u64
            };
            (SHORT_CHUNK, Box::new(make))
        }
    };
    let chunks = dataset.records.div_ceil(per_chunk);
    let mut buffers: Vec<(Vec<u8>, u64)> =
        (0..BATCH.min(chunks)).map(|_| (Vec::new(), 0)).collect();
    let mut bases = 0;
    for first in (0..chunks).step_by(BATCH as usize) {
        let batch = &mut buffers[..BATCH.min(chunks - first) as usize];
        batch.par_iter_mut().enumerate().for_each(|(i, (text, count))| {
            let chunk = first + i as u64;
            text.clear();
            *count = make(chunk, per_chunk.min(dataset.records - chunk * per_chunk), text);
        });
        for (text, count) in &*batch {
            bases += count;
            sink(text)?;
        }
    }
    Ok(bases)
}

/// A file that is hashed while it is written and takes its name when it is complete.
struct HashedFile {
    file: File,
    path: PathBuf,
    hash: Sha256,
    bytes: u64,
}

impl HashedFile {
    fn create(path: &Path) -> Result<Self> {
        if let Some(dir) = path.parent() {
            files::create_folder(dir)?;
        }
        let part = part_name(path);
        let file = files::create(&part)?;
        Ok(HashedFile { file, path: path.to_owned(), hash: Sha256::new(), bytes: 0 })
    }

    fn write(&mut self, data: &[u8]) -> Result<()> {
        self.file
            .write_all(data)
            .with_context(|| format!("cannot write {}", self.path.display()))?;
        self.hash.update(data);
        self.bytes += data.len() as u64;
        Ok(())
    }

    fn finish(self) -> Result<(u64, String)> {
        fs::rename(part_name(&self.path), &self.path)
            .with_context(|| format!("cannot rename to {}", self.path.display()))?;
        Ok((self.bytes, to_hex(&self.hash.finalize())))
    }
}

fn part_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}

/// Cuts a stream into BGZF blocks.
struct BgzfWriter {
    file: HashedFile,
    /// Text that does not fill a block yet.
    pending: Vec<u8>,
}

/// Text gathered before blocks are compressed in parallel: 256 blocks.
const BGZF_BATCH: usize = 256 * BLOCK_TEXT;

impl BgzfWriter {
    fn new(file: HashedFile) -> Self {
        BgzfWriter { file, pending: Vec::with_capacity(2 * BGZF_BATCH) }
    }

    fn write(&mut self, text: &[u8]) -> Result<()> {
        self.pending.extend_from_slice(text);
        if self.pending.len() >= BGZF_BATCH {
            let full = self.pending.len() / BLOCK_TEXT * BLOCK_TEXT;
            self.write_blocks(full)?;
        }
        Ok(())
    }

    fn write_blocks(&mut self, len: usize) -> Result<()> {
        let blocks: Vec<Vec<u8>> = self.pending[..len]
            .par_chunks(BLOCK_TEXT)
            .map_init(new_deflater, compress_block)
            .collect();
        for block in &blocks {
            self.file.write(block)?;
        }
        self.pending.drain(..len);
        Ok(())
    }

    fn finish(mut self) -> Result<(u64, String)> {
        self.write_blocks(self.pending.len())?;
        self.file.write(&EOF_BLOCK)?;
        self.file.finish()
    }
}

/// Writes a plain file as BGZF, with the blocks of the datasets.
pub(crate) fn compress_file(from: &Path, to: &Path) -> Result<()> {
    let mut out = BgzfWriter::new(HashedFile::create(to)?);
    let mut file = files::open(from)?;
    let mut text = Vec::new();
    while (&mut file).take(BGZF_BATCH as u64).read_to_end(&mut text)? > 0 {
        out.write(&text)?;
        text.clear();
    }
    out.finish()?;
    Ok(())
}

fn new_deflater() -> Deflater {
    Deflater::new(Level::Number(LEVEL as u8))
}

/// One BGZF block holding `text`.
fn compress_block(deflater: &mut Deflater, text: &[u8]) -> Vec<u8> {
    let mut block = Vec::new();
    deflater.deflate(text, &mut block, &mut Vec::new());
    block
}

/// One gzip member holding `text`, compressed in one go.
fn compress_member(text: &[u8]) -> Result<Vec<u8>> {
    let mut compressor = Compressor::new(CompressionLvl::new(LEVEL).unwrap_or_default());
    let mut member = vec![0; compressor.gzip_compress_bound(text.len())];
    let len = compressor.gzip_compress(text, &mut member).context("gzip failed")?;
    member.truncate(len);
    Ok(member)
}

/// Appends `number` in decimal.
pub(crate) fn push_number(mut number: u64, out: &mut Vec<u8>) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}
