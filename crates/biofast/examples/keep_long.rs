//! Filters reads to BGZF: those of enough bases and of a good mean quality, in order, on all threads.
//!
//! `cargo run --release --example keep_long -- reads.fq.gz 50 20 kept.fq.gz`

use std::error::Error;
use std::io::Write;

use biofast::fastq::{Inputs, Transform};
use biofast::filter::predicate::{Mean, MinLen, MinMeanQuality};
use biofast::filter::{Filter, Reason};
use biofast::io::Source;
use biofast::io::output::{self, Compression, Format, Output};

fn main() -> Result<(), Box<dyn Error>> {
    run(std::env::args().skip(1), &mut std::io::stdout().lock())
}

/// The arguments are a file, the least number of bases, the least mean quality (Phred), and the file to be.
pub fn run(
    arguments: impl Iterator<Item = String>,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = arguments.collect();
    let [file, bases, quality, to] = &arguments[..] else {
        return Err("give a file, a number of bases, a quality and the file to write".into());
    };
    let filter = Filter::new()
        .require(MinLen(bases.parse()?))
        .require(MinMeanQuality::new(quality.parse()?, Mean::ErrorProbability));
    let mut outputs =
        vec![Output::create_with(to.as_ref(), Compression::new(Format::Bgzf, None)?)?];
    let worker = Transform::new(Inputs::Single(Source::open(file)?)).run(
        &mut outputs,
        || filter.worker(),
        |worker, read, texts| worker.apply(read, texts),
        |worker, other| worker.merge(other),
    )?;
    // Here the file appears; after an error there is none.
    output::commit(outputs, false)?;
    let tally = worker.tally();
    let (short, poor) =
        (tally.rejected(Reason::TooShort), tally.rejected(Reason::MeanQualityTooLow));
    writeln!(out, "{short} too short, {poor} of low quality")?;
    Ok(())
}
