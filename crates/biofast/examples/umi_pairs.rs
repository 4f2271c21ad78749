//! Pairs: the first bases of second reads are a barcode of the molecule (UMI); it is cut off and put behind the names of both.
//!
//! `cargo run --release --example umi_pairs -- R1.fq.gz R2.fq.gz 8 out.R1.fq.gz out.R2.fq.gz`

use std::error::Error;
use std::io::Write;

use biofast::fastq::{Inputs, Record, Refusal, Transform, write_record};
use biofast::io::Source;
use biofast::io::output::{self, Compression, Format, Output};

fn main() -> Result<(), Box<dyn Error>> {
    run(std::env::args().skip(1), &mut std::io::stdout().lock())
}

/// The arguments are both files, the length of the UMI, and the files to be, compressed as their names say.
pub fn run(
    arguments: impl Iterator<Item = String>,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = arguments.collect();
    let [one, two, len, to_one, to_two] = &arguments[..] else {
        return Err("give two files, a length and two files to write".into());
    };
    let len: usize = len.parse()?;
    let mut outputs = Vec::new();
    for path in [to_one, to_two] {
        let compression = Compression::new(Format::from_name(path.as_ref()), None)?;
        outputs.push(Output::create_with(path.as_ref(), compression)?);
    }
    // That the reads are mates is checked: names must agree, and both files have the same number.
    let pairs = Transform::new(Inputs::Paired(Source::open(one)?, Source::open(two)?)).run(
        &mut outputs,
        || 0u64,
        |pairs, unit, texts| -> Result<(), Refusal> {
            let mate = unit.second.ok_or("a read without its mate")?;
            let umi =
                mate.sequence().get(..len).ok_or("the second read is shorter than the UMI")?;
            let rest =
                Record::new(mate.definition(), &mate.sequence()[len..], &mate.qualities()[len..]);
            for (text, read) in texts.iter_mut().zip([unit.first, rest]) {
                let definition = named(&read, umi);
                let read = Record::new(&definition, read.sequence(), read.qualities());
                write_record(text, &read).map_err(|_| "memory is full")?;
            }
            *pairs += 1;
            Ok(())
        },
        |pairs, other| *pairs += other,
    )?;
    // Both files appear, or none does.
    output::commit(outputs, false)?;
    writeln!(out, "{pairs} pairs")?;
    Ok(())
}

/// The header line with the UMI behind the name, where aligners keep it.
fn named(read: &Record<'_>, umi: &[u8]) -> Vec<u8> {
    let after = &read.definition()[read.name().len()..];
    [read.name(), b"_", umi, after].concat()
}
