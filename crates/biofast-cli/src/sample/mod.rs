//! The sample that the program carries: `biofast demo` writes it, `biofast self-test` works on it.
//!
//! The reads are those of `datasets/`. The alignments are made of them, without an aligner: a small genome is put together of the
//! pairs, and each pair lies where it was put.

mod alignments;

use std::path::Path;

use anyhow::{Context, Result};
use biofast_bam as bam;
use biofast_fastq::{Reader, write_record};
use biofast_io::output::{Compression, Files, Format, Output};
use biofast_io::{Options, Source};

use crate::output;
use alignments::Alignments;

/// First and second reads of 2,500 pairs of 150 bases, in BGZF.
pub(crate) static READS: [&[u8]; 2] =
    [include_bytes!("../../sample/R1.fq.bgz"), include_bytes!("../../sample/R2.fq.bgz")];

/// A read of the sample.
struct Read {
    name: Vec<u8>,
    sequence: Vec<u8>,
    qualities: Vec<u8>,
}

/// The first reads of a mate.
fn reads(mate: usize, most: usize) -> Result<Vec<Read>> {
    let mut reader = Reader::new(source(mate), &Options::serial())?;
    let mut reads = Vec::new();
    while reads.len() < most {
        let Some(record) = reader.next_record()? else { break };
        reads.push(Read {
            name: record.name().to_vec(),
            sequence: record.sequence().to_vec(),
            qualities: record.qualities().to_vec(),
        });
    }
    Ok(reads)
}

/// The reads of a mate as plain text.
fn text(mate: usize) -> Result<Vec<u8>> {
    let mut reader = Reader::new(source(mate), &Options::serial())?;
    let mut text = Vec::new();
    while let Some(record) = reader.next_record()? {
        write_record(&mut text, &record)?;
    }
    Ok(text)
}

fn source(mate: usize) -> Source {
    Source::from_reader("the sample", READS[mate])
}

/// The outputs that are the sample in a folder, filled; [`output::commit`](biofast_io::output::commit) makes them appear. The
/// names are those of the help's examples.
pub(crate) fn write(folder: &Path, files: &mut Files) -> Result<Vec<Output>> {
    let mut outputs = Vec::new();
    let mut put = |name: &str, format: Format, bytes: &[u8], files: &mut Files| {
        let compression = Compression::new(format, None)?;
        let mut output = output::file(files, &folder.join(name), compression)?;
        output.append(bytes)?;
        outputs.push(output);
        anyhow::Ok(())
    };
    for (mate, bytes) in READS.iter().enumerate() {
        put(&format!("R{}.fq.gz", mate + 1), Format::Plain, bytes, files)?;
    }
    let first = text(0)?;
    put("reads.fq", Format::Plain, &first, files)?;
    put("reads.fq.gz", Format::Bgzf, &first, files)?;
    put("reads.fq.zst", Format::Zstd, &first, files)?;
    let Alignments { sam, genome, targets } = Alignments::of(&reads(0, 600)?, &reads(1, 600)?)?;
    put("genome.fa", Format::Plain, genome.as_bytes(), files)?;
    put("targets.bed", Format::Plain, targets.as_bytes(), files)?;
    put("aln.sam", Format::Plain, sam.as_bytes(), files)?;
    // The same records as they are read back from the text.
    let mut reader =
        bam::Reader::from_reader("the sample", std::io::Cursor::new(sam.into_bytes()))?;
    let header = reader.header().clone();
    let bam = output::file(files, &folder.join("aln.bam"), Compression::new(Format::Bgzf, None)?)?;
    let index = output::file(files, &folder.join("aln.bam.bai"), Compression::default())?;
    let mut writer = bam::Writer::builder(&header)
        .index(bam::index::IndexFormat::Bai)
        .to_indexed(bam, index)
        .context("can't write aln.bam")?;
    while let Some(record) = reader.next_record()? {
        writer.write(&record)?;
    }
    outputs.extend(writer.into_outputs()?);
    Ok(outputs)
}
