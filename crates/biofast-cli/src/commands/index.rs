//! `biofast index`: BAI and CSI for BAM, CRAI for CRAM, GZI for other BGZF files, a seek index for FASTQ in ordinary gzip; names of
//! reads; minimizers of references.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use biofast_bam::index::{self, BuildOptions, IndexFormat};
use biofast_bam::{ErrorKind, Format, index_cram};
use biofast_io::output::{Output, commit};
use biofast_io::{Options, gzi};
use biofast_ops::filter::deplete::{IndexedSequences, MinimizerIndexBuilder};
use biofast_ops::get::build;
use biofast_ops::number::counted;
use biofast_ops::shards;

use super::get;
use crate::inputs::{self, Input};
use crate::options::{InFile, OutFile, Spill};
use crate::output;
use crate::session::{Exit, Session};
use crate::watch::{Reading, Watch};

/// Index BAM, CRAM, BGZF or gzipped FASTQ files, names of reads, or minimizers of a reference
///
/// BAM gets FILE.bai, or FILE.csi if a reference is longer than 536,870,911 bases; the bytes are those of `samtools
/// index`. CRAM gets FILE.crai, with the lines of `samtools index`; no reference is needed. Other BGZF files get
/// FILE.gzi, like `bgzip --reindex`. FASTQ in ordinary gzip gets FILE.bsi, which lets `biofast shards` divide it.
///
/// With --name-index, BAM or FASTQ (plain or BGZF) gets FILE.bni, which lets `biofast get` find records by name and
/// number.
///
/// With --minimizers, FASTA or FASTQ (compressed or not) gets FILE.idx, an index of k-mers by which `biofast filter --deplete`
/// finds reads of a host or a contaminant. It is also read by deacon.
///
/// The file is read once, and every checksum is validated. An error names the first record out of order.
#[derive(clap::Args)]
#[command(
    mut_arg("allow_missing_eof", |a| a.help("Accept a file without an end-of-file block")),
    group(clap::ArgGroup::new("of_others").args(["bai", "csi", "gzi", "min_shift", "names"]).multiple(true)),
    mut_arg("memory", |a| a.short(None).help(MEMORY).long_help(MEMORY_DETAILS)),
    after_help = "\
Examples:
  biofast index aln.bam                    # aln.bam.bai
  biofast index -c -m 12 aln.bam           # aln.bam.csi, smallest bins of 4,096 bases
  biofast index -o indexes/aln.bai aln.bam
  biofast index aln.cram                   # aln.cram.crai
  biofast index reads.fq.bgz               # reads.fq.bgz.gzi
  biofast index reads.fq.gz                # ordinary gzip: reads.fq.gz.bsi, for `biofast shards`
  biofast index --name-index reads.fq.bgz       # reads.fq.bgz.bni, for `biofast get`
  biofast index --minimizers genome.fa -o host.idx    # for `biofast filter --deplete host.idx`"
)]
pub(crate) struct Args {
    /// Write a BAI index
    #[arg(short, long, conflicts_with_all = ["csi", "gzi", "min_shift"])]
    bai: bool,

    /// Write a CSI index
    #[arg(short, long, conflicts_with = "gzi")]
    csi: bool,

    /// Write a GZI index: the offset of each block in the file and in the uncompressed data
    #[arg(long, conflicts_with = "min_shift")]
    gzi: bool,

    /// Write an index of the names of all records
    #[arg(long = "name-index", conflicts_with_all = ["bai", "csi", "gzi", "min_shift"])]
    names: bool,

    /// Write a CSI index whose smallest bins have 2^INT bases [default: 14]
    #[arg(short, long, value_name = "INT", value_parser = clap::value_parser!(u8).range(1..=30))]
    min_shift: Option<u8>,

    /// Write an index of the minimizers of FASTA or FASTQ, in deacon's format
    #[arg(long, conflicts_with = "of_others")]
    minimizers: bool,

    /// With --minimizers: bases of a k-mer, at most 32
    #[arg(long = "kmer-length", value_name = "K", default_value_t = 31, requires = "minimizers")]
    k: u8,

    /// With --minimizers: k-mers of a window, of which one is indexed; K + W must be even and at most 96
    #[arg(
        long = "minimizer-window",
        value_name = "W",
        default_value_t = 15,
        requires = "minimizers"
    )]
    w: u8,

    /// File to index; '-' is standard input and needs --out
    #[arg(value_name = "FILE")]
    file: InFile,

    /// Write the index to OUT [default: FILE with the extension of the index]
    #[arg(short, long, value_name = "OUT")]
    out: Option<OutFile>,

    #[command(flatten)]
    spill: Spill,

    #[command(flatten)]
    reading: Reading,
}

const MEMORY: &str = "With --name-index: memory limit, such as 512M or 4G \
                      [default: a quarter of RAM, at most 16G]";

/// The same with the details that `--help` adds.
const MEMORY_DETAILS: &str = "With --name-index: memory limit, such as 512M or 4G \
                              [default: a quarter of RAM, at most 16G]\n\n\
                              A record needs 16 bytes. Data beyond the limit are spilled to temporary files.";

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    let inputs = inputs::gather(std::slice::from_ref(&args.file), None, "-", session)?;
    let [input] = &inputs[..] else { bail!("expected one input") };
    if args.out.is_none() && matches!(input, Input::Stdin(_) | Input::Unnamed(_) | Input::Lent(_)) {
        bail!("name the index with --out: {} has no file name to derive it from", input.in_words());
    }
    if args.names {
        return names(args, input, session);
    }
    if args.minimizers {
        return minimizers(args, input, session);
    }
    if let Some(option) = args.spill.given() {
        bail!("{option} needs --name-index");
    }
    let named = args.out.as_deref().map(|out| output::index(session, out)).transpose()?;
    let watch = args.reading.watch(session);
    let bar = watch.bar(input.len(), &args.reading.messages);
    let format = match (args.bai, args.csi) {
        (true, _) => Some(IndexFormat::Bai),
        (_, true) => Some(IndexFormat::Csi),
        _ => None,
    };
    let mut source = input.open()?;
    // What can't be read is told by whoever reads on.
    let is_cram = matches!(Format::sniff(&mut source), Ok(Format::Cram));
    let (extension, bytes) = if is_cram {
        for (option, is_given) in [
            ("--bai", args.bai),
            ("--csi", args.csi),
            ("--gzi", args.gzi),
            ("--min-shift", args.min_shift.is_some()),
        ] {
            if is_given {
                bail!("{option}: the index of CRAM is CRAI");
            }
        }
        ("crai", index_cram(source, &watch.options)?)
    } else if args.gzi {
        ("gzi", gzi::build(source, &watch.options.for_alignments())?)
    } else {
        let what = BuildOptions { format, min_shift: args.min_shift };
        let any = format.is_none() && args.min_shift.is_none();
        match index::build(source, what, &watch.options) {
            Ok(built) => {
                if any && built.format == IndexFormat::Csi {
                    let why = "a reference is too long for BAI, so a CSI index was written";
                    session.console.note(why);
                }
                (built.format.extension(), built.bytes)
            }
            Err(error) => {
                // Anything else in BGZF gets the index of its blocks, if it can be read again; but what is called BAM and
                // isn't is damaged.
                if any
                    && matches!(error.kind(), ErrorKind::NotBam(_))
                    && watch.notes.container() == Some(biofast_io::Container::Gzip)
                {
                    drop(bar);
                    return seek(args, input, named, session);
                }
                let is_called_bam =
                    args.file.extension().is_some_and(|e| e.eq_ignore_ascii_case("bam"));
                let can_be_gzi = any
                    && !is_called_bam
                    && matches!(input, Input::Path(_))
                    && matches!(error.kind(), ErrorKind::NotBam(_))
                    && watch.notes.container() == Some(biofast_io::Container::Bgzf);
                if !can_be_gzi {
                    return Err(error.into());
                }
                let options = Options { notes: None, ..watch.options.for_alignments() };
                ("gzi", gzi::build(input.open()?, &options)?)
            }
        }
    };
    drop(bar);
    args.reading.tell(&watch, input);
    let index = match named {
        Some(index) => index,
        None => output::index(session, &appended(&args.file, extension))?,
    };
    let name = index.name().to_owned();
    output::finish(index, bytes)?;
    if extension == "gzi" && !args.gzi {
        tell_written(args, &name, "an index of BGZF blocks", session);
    }
    Ok(Exit::Fine)
}

/// Says which index was written where the format of the file decided that.
fn tell_written(args: &Args, name: &str, what: &str, session: &Session) {
    if args.out.is_none() && !args.reading.messages.quiet {
        session.console.note(&format!("wrote {name}, {what}"));
    }
}

/// Makes the seek index of ordinary gzip.
fn seek(args: &Args, input: &Input, named: Option<Output>, session: &mut Session) -> Result<Exit> {
    let Input::Path(path) = input else {
        bail!("a seek index needs a regular file, not {}", input.in_words())
    };
    let index = match named {
        Some(index) => index,
        None => output::index(session, &shards::GzipIndex::path_of(path))?,
    };
    let watch = args.reading.watch(session);
    let bar = watch.bar(input.len(), &args.reading.messages);
    let result = shards::index_gzip(&shards::ShardInput::new(path), &watch.options, index);
    drop(bar);
    args.reading.tell(&watch, input);
    let (index, _) = result?;
    let name = index.name().to_owned();
    commit(vec![index], false)?;
    tell_written(args, &name, "a seek index of ordinary gzip", session);
    Ok(Exit::Fine)
}

/// Makes the index of names.
fn names(args: &Args, input: &Input, session: &mut Session) -> Result<Exit> {
    let Input::Path(path) = input else {
        bail!("a name index needs a regular file, not {}", input.in_words())
    };
    let at = args.out.as_deref().map_or_else(|| get::index_of(path), Path::to_owned);
    let mut index = output::index(session, &at)?;
    let watch = args.reading.watch(session);
    let bar = watch.bar(input.len(), &args.reading.messages);
    let file = shards::ShardInput {
        strict_end: !watch.options.allow_missing_eof,
        ..shards::ShardInput::new(path)
    };
    let result = build(&file, &watch.options, &args.spill.limits(Some(&at)), &mut index);
    drop(bar);
    args.reading.tell(&watch, input);
    result?;
    commit(vec![index], false)?;
    Ok(Exit::Fine)
}

/// Makes the index of minimizers.
fn minimizers(args: &Args, input: &Input, session: &mut Session) -> Result<Exit> {
    let (k, w) = (args.k, args.w);
    let Some(mut builder) = MinimizerIndexBuilder::new(k.into(), w.into()) else {
        bail!(
            "--kmer-length {k} and --minimizer-window {w} have no canonical minimizers: K must be 1 to 32, W at least 1, and K + W even and at most 96"
        );
    };
    if let Some(option) = args.spill.given() {
        bail!("{option} needs --name-index");
    }
    let at = args.out.as_deref().map_or_else(|| appended(&args.file, "idx"), Path::to_owned);
    let mut index = output::index(session, &at)?;
    let watch = Watch::new(session, args.reading.reads());
    let bar = watch.bar(input.len(), &args.reading.messages);
    let result = builder.add_all(input.open()?, &watch.options);
    drop(bar);
    args.reading.tell(&watch, input);
    result?;
    let indexed = builder.write(&mut index)?;
    if indexed.minimizers == 0 {
        let IndexedSequences { sequences, bases, .. } = indexed;
        let sequences = counted(sequences, "sequence");
        bail!(
            "{}: no minimizer in {sequences} of {bases} bases: a sequence needs {} bases of A, C, G and T in a row",
            input.in_words(),
            u32::from(k) + u32::from(w) - 1
        );
    }
    let name = index.name().to_owned();
    commit(vec![index], false)?;
    if !args.reading.messages.quiet {
        let IndexedSequences { sequences, bases, minimizers } = indexed;
        session.console.note(&format!(
            "wrote {name}: {minimizers} minimizers of {sequences} sequences, {bases} bases"
        ));
    }
    Ok(Exit::Fine)
}

fn appended(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    name.into()
}
