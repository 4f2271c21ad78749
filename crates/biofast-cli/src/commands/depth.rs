//! `biofast depth`: the depth of each position, of several files in columns.

use std::sync::Arc;

use anyhow::{Result, bail};
use biofast_bam::flag::Filter;
use biofast_bam::{self as bam, Detail, Query, Selection};
use biofast_io::Options;
use biofast_io::output::{allow_open_files, commit};
use biofast_ops::coverage::{Counting, DepthRules, collect_columns};
use biofast_report::samtools::depth::{DepthLineRules, DepthLines};
use clap::ArgAction;

use crate::inputs::{self, Input};
use crate::options::{InFile, Out, RegionArgs, flags, tell_empty, union};
use crate::output;
use crate::session::{Exit, Session};
use crate::watch::{Reading, Watch};

/// Print the depth of each position, like `samtools depth`
///
/// Reads BAM, SAM or CRAM sorted by coordinate, and prints reference, position and the depth in each file. Without -a,
/// positions that no alignment spans are left out. Overlapping mates count twice unless -s is given.
///
/// No index is needed. With one, -r reads only part of each file, and so does -b without -a and -s. For mosdepth's files
/// and other formats use `biofast coverage`.
#[derive(clap::Args)]
#[command(mut_arg("quiet", |arg| arg.short(None)), after_help = "\
Examples:
  biofast depth aln.bam
  biofast depth -a -r chr1:1-1000 aln.bam
  biofast depth -b targets.bed -Q 20 -H lane1.bam lane2.bam -o depth.tsv
  biofast depth -s -J aln.bam")]
pub(crate) struct Args {
    /// Sorted BAM, SAM or CRAM files, a column each; use '-' or no FILE for standard input
    #[arg(value_name = "FILE")]
    files: Vec<InFile>,

    /// Read more input file names from FILE, one per line
    #[arg(short = 'f', long, value_name = "FILE")]
    files_from: Option<InFile>,

    /// Print all positions of references with records; twice, of all references
    #[arg(short = 'a', long, action = ArgAction::Count)]
    all_positions: u8,

    /// Print only positions in an interval of a BED file
    #[arg(short = 'b', long, value_name = "BED")]
    regions_file: Option<InFile>,

    /// Print only positions in REGION, such as chr1:1000-2000
    #[arg(short = 'r', long, value_name = "REGION")]
    region: Option<String>,

    /// Print a header line with the file names
    #[arg(short = 'H', long)]
    with_header: bool,

    /// Count deleted bases, too
    #[arg(short = 'J', long)]
    count_deletions: bool,

    /// Where records of the same name overlap, count only the first one
    #[arg(short = 's', long)]
    mates_once: bool,

    /// Count only bases of at least this quality
    #[arg(short = 'q', long, value_name = "N", default_value_t = 0)]
    min_base_quality: u8,

    /// Count only records with a mapping quality of at least N
    #[arg(short = 'Q', long, value_name = "N", default_value_t = 0)]
    min_mapq: u8,

    /// Count only records of at least N bases that aren't soft-clipped
    #[arg(short = 'l', long, value_name = "N", default_value_t = 0)]
    min_len: u32,

    /// Count records with these flags, of those that are excluded by default: UNMAP, SECONDARY, QCFAIL and DUP
    #[arg(short = 'g', long, value_name = "FLAGS", value_parser = flags)]
    keep_flags: Vec<u16>,

    /// Exclude records with any of these flags set, too
    #[arg(short = 'G', long, value_name = "FLAGS", value_parser = flags)]
    exclude_flags: Vec<u16>,

    /// Count only records with at least one of these flags set
    #[arg(long, value_name = "FLAGS", value_parser = flags)]
    include_flags: Vec<u16>,

    /// Count only records with all of these flags set
    #[arg(long, value_name = "FLAGS", value_parser = flags)]
    require_flags: Vec<u16>,

    /// Accepted and ignored, like in samtools
    #[arg(short = 'd', short_alias = 'm', long, value_name = "N", hide = true)]
    max_depth: Option<u64>,

    #[command(flatten)]
    out: Out,

    /// Reference sequences (FASTA) for CRAM input; not needed for depths
    #[arg(long, value_name = "FASTA")]
    reference: Option<InFile>,

    #[command(flatten)]
    reading: Reading,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    let quiet = args.reading.messages.quiet;
    let inputs = inputs::gather(&args.files, args.files_from.as_deref(), "-", session)?;
    if !quiet {
        inputs::warn_of_repeats(&session.console, &inputs);
        if args.max_depth.is_some() {
            session.console.note("-d has no effect: there is no limit of depth");
        }
    }
    allow_open_files(inputs.len() as u64 + output::OTHER_FILES).map_err(|most| {
        anyhow::anyhow!("{} files are read at once, but {most} may be open here", inputs.len())
    })?;
    let selection = args.selection()?;
    let mut report = args.out.open_as(false, session)?;
    let progress = Arc::default();
    let total: Option<u64> = inputs.iter().map(Input::len).sum();
    let watches: Vec<Watch> =
        inputs.iter().map(|_| args.reading.sharing(session, &progress)).collect();
    let mut files = Vec::new();
    for (input, watch) in inputs.iter().zip(&watches) {
        let threads = (watch.options.threads / inputs.len()).max(1);
        let options = Options { threads, ..watch.options.clone() };
        files.push((args.query(input, watch, selection.as_ref())?, options));
    }
    let bar = watches[0].bar(total, &args.reading.messages);
    if args.with_header {
        let names = inputs.iter().map(|input| format!("\t{}", input.name()));
        report.append(format!("#CHROM\tPOS{}\n", names.collect::<String>()).as_bytes())?;
    }
    let lines = collect_columns(files, &args.rules(), |header| {
        let rules = DepthLineRules {
            all: args.all_positions,
            regions: selection.as_ref().map(|selection| selection.resolve(header)).transpose()?,
            are_named: args.region.is_some(),
        };
        Ok(DepthLines::new(header, report, None, rules))
    });
    drop(bar);
    for (input, watch) in inputs.iter().zip(&watches) {
        args.reading.tell(watch, input);
    }
    commit(vec![lines?.finish()?], false)?;
    Ok(Exit::Fine)
}

impl Args {
    /// The positions that are wanted, unless all are.
    fn selection(&self) -> Result<Option<Selection>> {
        let bed = match &self.regions_file {
            Some(path) => {
                let mut bed = Selection::new();
                bed.add_bed(path)?;
                Some(bed)
            }
            None => None,
        };
        let Some(region) = &self.region else { return Ok(bed) };
        if region == "*" {
            bail!("-r needs a region with positions, such as chr1:1-1000");
        }
        let mut selection = Selection::new();
        selection.add(region);
        Ok(Some(match bed {
            Some(bed) => selection.within(bed),
            None => selection,
        }))
    }

    /// What is read of a file for these positions.
    fn query(&self, input: &Input, watch: &Watch, wanted: Option<&Selection>) -> Result<Query> {
        let opening = watch.opening(self.reference.as_deref(), Detail::Alignment);
        let mut source = input.open()?;
        let quiet = self.reading.messages.quiet;
        let reference = self.reference.as_deref();
        inputs::tell_unused_reference(&watch.console, reference, &mut source, quiet);
        // Whether a reference has records, and which records share a name, depends on more than those of the intervals.
        let needs_all = self.all_positions > 0 || self.mates_once;
        let mut region = Selection::new();
        let selection = match &self.region {
            Some(name) => Some(&*region.add(name)),
            None => wanted.filter(|_| !needs_all),
        };
        match selection {
            Some(selection) => RegionArgs::select(
                self.reading.messages.of(&watch.console),
                selection,
                input,
                source,
                &opening,
            ),
            None => {
                if !quiet {
                    let wanted = wanted.into_iter();
                    tell_empty(&watch.console, wanted.flat_map(Selection::empty_intervals));
                }
                Ok(bam::Input::open(source, &opening)?.source.into())
            }
        }
    }

    /// Which records count, and what of them.
    fn rules(&self) -> DepthRules {
        let rules = DepthRules::default();
        let none_of = rules.filter.none_of & !union(&self.keep_flags) | union(&self.exclude_flags);
        DepthRules {
            filter: Filter {
                all_of: union(&self.require_flags),
                any_of: union(&self.include_flags),
                none_of,
                min_mapping_quality: self.min_mapq,
                ..Filter::default()
            },
            counting: if self.mates_once { Counting::Behind } else { Counting::Each },
            min_base_quality: self.min_base_quality,
            deletions: self.count_deletions,
            min_len: self.min_len,
            ..rules
        }
    }
}
