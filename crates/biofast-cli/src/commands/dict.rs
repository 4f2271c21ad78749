//! `biofast dict`: the sequence dictionary of a FASTA file.

use std::path::Path;

use anyhow::{Context, Result, bail};
use biofast_io::output::commit;
use biofast_io::{TextBounds, display_name, remote};
use biofast_ops::dict::Dictionary;

use crate::inputs::{self, Input};
use crate::options::{InFile, Out, header_value};
use crate::output;
use crate::session::{Exit, Session};
use crate::watch::{Reading, Watch};

/// Write the sequence dictionary of a FASTA file, like `samtools dict`
///
/// A SAM header: name, length and MD5 sum of each sequence, and where the file is. The input may be compressed in any
/// way. Two sequences of the same name are an error.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  biofast dict genome.fa -o genome.dict
  biofast dict -a GRCh38 -s 'Homo sapiens' -u https://example.org/genome.fa genome.fa
  zcat genes.fa.gz | biofast dict -A -")]
pub(crate) struct Args {
    /// FASTA file; use '-' or no FILE for standard input
    #[arg(value_name = "FILE")]
    file: Option<InFile>,

    #[command(flatten)]
    out: Out,

    /// Assembly (AS)
    #[arg(short, long, value_name = "STR", value_parser = header_value)]
    assembly: Option<String>,

    /// Add an alternative name (AN) to each sequence: with 'chr' in front, or without
    #[arg(short = 'A', long, alias = "alternative-name")]
    alias: bool,

    /// Species (SP)
    #[arg(short, long, value_name = "STR", value_parser = header_value)]
    species: Option<String>,

    /// Address of the file (UR) [default: file:// and its absolute path]
    #[arg(short, long, value_name = "STR", value_parser = header_value)]
    uri: Option<String>,

    /// Mark alternate loci (AH): sequences that FILE names in the first column of its lines
    #[arg(short = 'l', long, value_name = "FILE")]
    alt: Option<InFile>,

    /// Leave out the @HD line
    #[arg(short = 'H', long)]
    no_header: bool,

    #[command(flatten)]
    reading: Reading,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    let inputs = inputs::gather(args.file.as_slice(), None, "-", session)?;
    let [input] = &inputs[..] else { bail!("expected one input") };
    let mut output = args.out.open(session)?;
    let uri = match (&args.uri, input) {
        (Some(uri), _) => Some(uri.clone()),
        (None, Input::Path(path)) => Some(address(path)?),
        (None, _) => None,
    };
    let alternates = match &args.alt {
        Some(path) => {
            let text = inputs::text(path, TextBounds::TABLE)?;
            let lines = text.split(|&b| b == b'\n').filter(|line| !line.starts_with(b"@"));
            let names = lines.filter_map(|line| line.split(|&b| b == b'\t').next());
            names.filter(|name| !name.is_empty()).map(<[u8]>::to_vec).collect()
        }
        None => Default::default(),
    };
    let dictionary = Dictionary {
        no_header: args.no_header,
        aliases: args.alias,
        assembly: args.assembly.clone(),
        species: args.species.clone(),
        uri,
        alternates,
    };
    let watch = Watch::new(session, args.reading.reads());
    let bar = watch.bar(input.len(), &args.reading.messages);
    let result = dictionary.write(input.open()?, &watch.options, &mut output);
    drop(bar);
    args.reading.tell(&watch, input);
    let mut found = result.map_err(output::failed)?;
    if found.sequences() == 0 {
        bail!("{}: no sequence in it", input.in_words());
    }
    if let Some(name) = found.duplicate() {
        bail!("{}: two sequences are named '{name}'", input.in_words());
    }
    commit(vec![output], false)?;
    Ok(Exit::Fine)
}

/// Where a file is, as a dictionary says it.
fn address(path: &Path) -> Result<String> {
    if remote::address(path).is_some() {
        return Ok(display_name(path));
    }
    let absolute = std::fs::canonicalize(path)
        .with_context(|| format!("can't find {}", display_name(path)))?;
    // As addresses write what isn't ASCII.
    let letters =
        absolute.as_os_str().as_encoded_bytes().iter().map(|&byte| match byte.is_ascii() {
            true => char::from(byte).to_string(),
            false => format!("%{byte:02X}"),
        });
    let absolute: String = letters.collect();
    header_value(&absolute).map_err(anyhow::Error::msg).context("name the address with --uri")?;
    Ok(format!("file://{absolute}"))
}
