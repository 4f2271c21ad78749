//! `biofast checksum`: checksums of records, as samtools computes them, and whether two files hold the same reads.

mod compare;
mod known;
mod measured;

use anyhow::{Result, bail};
use biofast_ops::checksum::{
    ChecksumFile, ChecksumOrder, ChecksumReport, ChecksumRules, ChecksumRulesReport, ChecksumTags,
    ChecksumVersion, Checksums,
};
use biofast_ops::fixmate::SanitizeRules;
use biofast_report::samtools::checksum::ChecksumText;
use clap::ArgAction;

use crate::inputs::{self, Input};
use crate::options::{InFile, ManyFiles, Out, Pairing, flags, union};
use crate::output;
use crate::session::{Exit, Session};
use crate::watch::Reading;
use known::KnownChecksums;

/// Compute order-independent checksums of reads, like `samtools checksum`; prove that files hold the same reads
///
/// Reads FASTQ, FASTA, BAM, SAM and CRAM. The checksums of names, sequences, qualities and barcodes of primary records don't change if
/// reads are aligned, sorted, or converted to another format. Each read group has its own.
///
/// With --against, the exit code is 1 if the files don't hold the same reads, and 2 if a file can't be read.
#[derive(clap::Args)]
#[command(
    // Letters that samtools checksum has for others.
    mut_arg("threads", |a| a.short_alias(None)),
    mut_arg("quiet", |a| a.short(None)),
    mut_arg("verbose", |a| a.short(None)),
    after_help = "\
Examples:
  biofast checksum aln.bam
  biofast checksum --paired aln_R1.fq.gz aln_R2.fq.gz -o reads.chk
  biofast checksum aln.bam --against aln_R1.fq.gz aln_R2.fq.gz --paired
  biofast checksum aln.cram --reference genome.fa --against reads.chk
  biofast checksum -a aln.cram --reference genome.fa --against aln.bam
  biofast checksum -m lane1.chk lane2.chk"
)]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: ManyFiles,

    /// Compare with these files, which hold the same reads if nothing was lost: reads, alignments, or output of this command
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "merge")]
    against: Vec<InFile>,

    /// Treat each two FASTQ files as mates
    #[arg(long, conflicts_with = "interleaved")]
    paired: bool,

    /// Treat FASTQ files as interleaved: the mates of each pair follow each other
    #[arg(long)]
    interleaved: bool,

    #[command(flatten)]
    pairing: Pairing,

    /// Merge earlier output of this command or of samtools checksum; FILEs are such output
    #[arg(short = 'm', long)]
    merge: bool,

    /// Exclude records with any of these flags set [default: SECONDARY,SUPPLEMENTARY]
    #[arg(short = 'F', long, value_name = "FLAGS", value_parser = flags)]
    exclude_flags: Vec<u16>,

    /// Include only records with all of these flags set
    #[arg(short = 'f', long, value_name = "FLAGS", value_parser = flags)]
    require_flags: Vec<u16>,

    /// Flags that enter the checksums; those above 0x80 never do [default: PAIRED,READ1,READ2]
    #[arg(short = 'b', long, value_name = "FLAGS", value_parser = flags)]
    flag_mask: Vec<u16>,

    /// Take sequences as they are stored, not as they were sequenced
    #[arg(short = 'c', long = "no-rev-comp")]
    no_reverse_complement: bool,

    /// Tags that enter the checksums, or '*' for all and then those to leave out, such as '*,MD,NM' [default: BC,FI,QT,RT,TC]
    #[arg(short = 't', long, value_name = "TAGS", value_parser = tags)]
    tags: Option<ChecksumTags>,

    /// Make checksums depend on the order of records in each read group; twice, also on that in the file
    #[arg(short = 'O', long, action = ArgAction::Count)]
    in_order: u8,

    /// Add a checksum of references and positions
    #[arg(short = 'P', long)]
    check_pos: bool,

    /// Add a checksum of mapping qualities and CIGARs
    #[arg(short = 'C', long)]
    check_cigar: bool,

    /// Add a checksum of mates' positions and of template lengths
    #[arg(short = 'M', long)]
    check_mate: bool,

    /// Correct contradicting fields first: words as in `biofast fixmate`, or off [default: off]
    #[arg(short = 'z', long, value_name = "WORDS")]
    sanitize: Option<SanitizeRules>,

    /// Stop after N records, not counting those that flags exclude
    #[arg(short = 'N', long, value_name = "N")]
    count: Option<u64>,

    /// Compute checksums of everything, for conversions between BAM, SAM and CRAM: -PCMOc -b 0xfff -F 0 -z all,cigarx -t *,cF,MD,NM
    ///
    /// Options given beside it have precedence.
    #[arg(short = 'a', long)]
    all: bool,

    /// Compute version 1.0 of the checksums, that of samtools before 1.24: -M leaves out template lengths
    #[arg(long = "version-1")]
    version_1: bool,

    /// Add rows for records that passed quality control and for those that failed (flag QCFAIL)
    #[arg(short = 'q', long, conflicts_with_all = ["json", "against"])]
    show_qc: bool,

    /// Print rows of no records, too
    #[arg(short = 'v', long, conflicts_with_all = ["json", "against"])]
    show_empty: bool,

    /// Separate columns by tabs
    #[arg(short = 'T', long, conflicts_with_all = ["json", "bamseqchksum", "against"])]
    tabs: bool,

    /// Print the format of biobambam's bamseqchksum
    #[arg(short = 'B', long, conflicts_with_all = ["json", "against", "tags"])]
    bamseqchksum: bool,

    /// Print the results as JSON
    #[arg(long)]
    json: bool,

    /// Reference sequences (FASTA) for CRAM input; a .fai index is optional
    #[arg(long, value_name = "FASTA")]
    reference: Option<InFile>,

    #[command(flatten)]
    out: Out,

    #[command(flatten)]
    reading: Reading,
}

fn tags(typed: &str) -> Result<ChecksumTags, String> {
    typed.parse().map_err(|error: biofast_ops::checksum::InvalidTagList| error.to_string())
}

/// Values of a file, or of the two of mates.
struct Named {
    name: String,
    sums: Checksums,
    /// Whether they are of files of reads, not of alignments or a report.
    is_of_reads: bool,
    /// Whether tags may have been there: reads have none, whatever an aligner was told to copy from descriptions.
    has_tags: bool,
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    if args.merge {
        return merge(args, session);
    }
    let rules = args.rules();
    if args.version_1 && !rules.mates && !args.reading.messages.quiet {
        session.console.note("--version-1 changes only the first line: versions differ with -M");
    }
    let inputs = args.inputs.inputs(session)?;
    let against = match args.against.is_empty() {
        true => Vec::new(),
        false => inputs::gather(&args.against, None, "-", session)?,
    };
    let streams = inputs.iter().chain(&against);
    if streams.filter(|input| matches!(input, Input::Stdin(_) | Input::Unnamed(_))).count() > 1 {
        bail!("standard input can't be compared with itself: name a file");
    }
    let report = args.out.open_as(args.json, session)?;
    let found = args.measure_all(inputs.into_iter().map(|one| (one, None)), &rules, session)?;
    if !against.is_empty() {
        return compare::run(args, &rules, (found, against), report, session);
    }
    args.refuse_in_vain(&found)?;
    let text = match args.json {
        true => {
            let files = found.iter().map(|one| one.report(&rules)).collect();
            json(&ChecksumReport::new(env!("CARGO_PKG_VERSION"), (&rules).into(), files, None))?
        }
        false => {
            let form = args.form(&rules);
            found.iter().flat_map(|one| form.text(&one.name, &one.sums)).collect()
        }
    };
    output::finish(report, text)?;
    Ok(Exit::Fine)
}

/// Merges reports.
fn merge(args: &Args, session: &mut Session) -> Result<Exit> {
    if let Some(option) = args.given_in_vain() {
        bail!("{option} has no effect with --merge: the reports say what their checksums are of");
    }
    let inputs = args.inputs.inputs(session)?;
    let report = args.out.open_as(args.json, session)?;
    let mut merged: Option<KnownChecksums> = None;
    for input in &inputs {
        let known = KnownChecksums::read(input.open()?)?;
        match &mut merged {
            None => merged = Some(known),
            Some(merged) => merged.merge(&known)?,
        }
    }
    let Some(merged) = merged else { bail!("no input") };
    let text = match args.json {
        true => {
            let columns = merged.rules.column_list();
            let files = vec![ChecksumFile::new("merge", &merged.sums, &columns)];
            json(&ChecksumReport::new(env!("CARGO_PKG_VERSION"), merged.rules, files, None))?
        }
        false => {
            let form = args.form_of(&merged.rules, merged.version);
            form.text("merge", &merged.sums)
        }
    };
    output::finish(report, text)?;
    Ok(Exit::Fine)
}

fn json(report: &ChecksumReport) -> Result<Vec<u8>> {
    let mut text = serde_json::to_vec(report)?;
    text.push(b'\n');
    Ok(text)
}

impl Args {
    /// What the values are of.
    fn rules(&self) -> ChecksumRules {
        let base = match self.all {
            true => ChecksumRules::everything(),
            false => ChecksumRules::default(),
        };
        let or =
            |given: &[u16], default: u16| if given.is_empty() { default } else { union(given) };
        let order = match self.in_order + u8::from(self.all) {
            0 => ChecksumOrder::Any,
            1 => ChecksumOrder::WithinGroups,
            _ => ChecksumOrder::WithinFile,
        };
        ChecksumRules {
            require_flags: union(&self.require_flags),
            exclude_flags: or(&self.exclude_flags, base.exclude_flags),
            flag_mask: or(&self.flag_mask, base.flag_mask),
            reverse_complement: base.reverse_complement && !self.no_reverse_complement,
            tags: self.tags.clone().unwrap_or(base.tags),
            order,
            positions: base.positions || self.check_pos,
            cigars: base.cigars || self.check_cigar,
            mates: base.mates || self.check_mate,
            sanitize: self.sanitize.unwrap_or(base.sanitize),
            limit: self.count,
            version: match self.version_1 {
                true => ChecksumVersion::One,
                false => ChecksumVersion::Two,
            },
        }
    }

    fn form(&self, rules: &ChecksumRules) -> ChecksumText {
        ChecksumText {
            version: rules.version,
            tags: rules.tags.to_string(),
            flag_mask: rules.flag_mask,
            columns: rules.columns(),
            tabs: self.tabs,
            quality_control: self.show_qc,
            empty_rows: self.show_empty,
            bamseqchksum: self.bamseqchksum,
        }
    }

    /// The same for values that were read.
    fn form_of(&self, rules: &ChecksumRulesReport, version: ChecksumVersion) -> ChecksumText {
        let names = rules.flag_mask.join(",");
        ChecksumText {
            version,
            tags: rules.tags.clone(),
            flag_mask: biofast_bam::flag::parse(&names).unwrap_or(0),
            columns: rules.column_list(),
            ..self.form(&self.rules())
        }
    }

    /// An option that says what values are of.
    fn given_in_vain(&self) -> Option<&'static str> {
        let given = [
            (self.all, "--all"),
            (self.paired, "--paired"),
            (self.interleaved, "--interleaved"),
            (self.pairing.given(), "--mates"),
            (!self.exclude_flags.is_empty(), "--exclude-flags"),
            (!self.require_flags.is_empty(), "--require-flags"),
            (!self.flag_mask.is_empty(), "--flag-mask"),
            (self.no_reverse_complement, "--no-rev-comp"),
            (self.tags.is_some(), "--tags"),
            (self.in_order > 0, "--in-order"),
            (self.check_pos, "--check-pos"),
            (self.check_cigar, "--check-cigar"),
            (self.check_mate, "--check-mate"),
            (self.sanitize.is_some(), "--sanitize"),
            (self.count.is_some(), "--count"),
            (self.version_1, "--version-1"),
            (self.reference.is_some(), "--reference"),
        ];
        given.into_iter().find(|(is_given, _)| *is_given).map(|(_, option)| option)
    }
}

impl Named {
    fn report(&self, rules: &ChecksumRules) -> ChecksumFile {
        ChecksumFile::new(&self.name, &self.sums, &rules.columns())
    }
}
