//! UMIs that are corrected to those of a kit, as fgbio and fgumi (0.9) correct them.

use anyhow::{Context, Result, bail};
use biofast_io::display_name;
use biofast_io::output::commit;
use biofast_ops::demux::MatchRules;
use biofast_ops::number::counted;
use biofast_ops::umi::{UmiCorrectionRules, UmiCorrector};
use biofast_report::umi as tables;

use super::{Args, molecules};
use crate::inputs;
use crate::options::{InFile, OutFile, sam_tag};
use crate::output;
use crate::session::{Exit, Session};

/// The UMIs that there are, and how near others must be.
#[derive(clap::Args)]
pub(super) struct CorrectionArgs {
    /// UMIs of the kit; UMIs in the tag may be several, with a dash between them
    #[arg(long, value_name = "UMI", value_delimiter = ',', num_args = 1)]
    umis: Vec<String>,

    /// Read UMIs of the kit from FILE, one per line
    #[arg(long, visible_alias = "umi-file", value_name = "FILE", num_args = 1)]
    umi_files: Vec<InFile>,

    /// Mismatches to the nearest UMI of the kit at most, each N included [default: 2]
    #[arg(long, value_name = "N")]
    max_mismatches: Option<u32>,

    /// Mismatches more to every other UMI of the kit [default: 2]
    #[arg(long, alias = "min-distance", value_name = "N")]
    min_mismatch_delta: Option<u32>,

    /// UMIs in the tag are the reverse complement of those of the kit
    #[arg(long)]
    revcomp: bool,

    /// Tag that keeps what a corrected UMI was [default: OX]
    #[arg(long, value_name = "TAG", value_parser = sam_tag, conflicts_with = "no_original")]
    original_tag: Option<[u8; 2]>,

    /// Don't keep what a corrected UMI was
    #[arg(long, alias = "dont-store-original")]
    no_original: bool,

    /// Write reads whose UMIs can't be corrected to FILE, unchanged
    #[arg(long, visible_alias = "rejects", value_name = "FILE")]
    rejected: Option<OutFile>,

    /// Write how often each UMI was found, and with how many mismatches, to FILE, like fgbio
    #[arg(long, value_name = "FILE")]
    correction_metrics: Option<OutFile>,
}

impl CorrectionArgs {
    fn umis(&self) -> Result<Vec<String>> {
        let mut umis = self.umis.clone();
        for path in &self.umi_files {
            let before = umis.len();
            umis.extend(inputs::lines(path)?.iter().map(|line| line.trim().to_owned()));
            umis.retain(|umi| !umi.is_empty());
            if umis.len() == before {
                bail!("{} has no UMIs", display_name(path));
            }
        }
        if umis.is_empty() {
            bail!("no UMIs to correct to: add --umi-files or --umis");
        }
        Ok(umis)
    }

    fn rules(&self, umi_tag: Option<[u8; 2]>) -> Result<UmiCorrectionRules> {
        let mut rules = UmiCorrectionRules::default();
        rules.umi_tag = umi_tag.unwrap_or(rules.umi_tag);
        rules.original_tag = match self.no_original {
            true => None,
            false => self.original_tag.or(rules.original_tag),
        };
        if rules.original_tag == Some(rules.umi_tag) {
            bail!("--original-tag and --umi-tag name the same tag");
        }
        rules.matching = MatchRules {
            max_mismatches: self.max_mismatches.unwrap_or(rules.matching.max_mismatches),
            min_delta: self.min_mismatch_delta.unwrap_or(rules.matching.min_delta),
            ..rules.matching
        };
        rules.reverse_complement = self.revcomp;
        Ok(rules)
    }
}

pub(super) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    let CorrectionArgs { rejected, correction_metrics, .. } = &args.correction;
    let rules = args.correction.rules(args.barcodes.umi_tag)?;
    let umi_tag = String::from_utf8_lossy(&rules.umi_tag).into_owned();
    let delta = rules.matching.min_delta;
    let umis = args.correction.umis()?;
    let report = output::optional_report(session, correction_metrics.as_deref())?;
    let mut known = Vec::new();
    let mut indistinct = Vec::new();
    let (counts, mut outputs) =
        molecules::rewrite(args, session, rejected.as_deref(), |_, header| {
            let corrector = UmiCorrector::new(header, &umis, rules).context("the list of UMIs")?;
            known = corrector.umis().to_vec();
            indistinct = corrector.indistinct().map(str::to_owned).collect();
            Ok(corrector.keep_others(rejected.is_some()))
        })?;
    if counts.records > 0 && counts.without_umi == counts.records {
        bail!("no record has a UMI in the tag {umi_tag}");
    }
    if let Some(report) = report {
        outputs.push(output::filled(report, tables::correction_metrics(&known, &counts))?);
    }
    commit(outputs, args.writing.sync())?;
    if args.reading.messages.quiet {
        return Ok(Exit::Fine);
    }
    let console = &session.console;
    console.note(&format!(
        "{} of {} kept, {} of them corrected; {} unlike any of {}",
        counts.kept,
        counted(counts.records, "record"),
        counts.corrected,
        counted(counts.unmatched, "record"),
        counted(known.len() as u64, "UMI"),
    ));
    if let Some(first) = indistinct.first() {
        console.warning(&format!(
            "{} of the list, such as {first}, can't be told from another one: fewer than {delta} bases differ",
            counted(indistinct.len() as u64, "UMI")
        ));
    }
    let others = [
        (counts.without_umi, format!("without a UMI ({umi_tag}) were left out")),
        (counts.other_length, "with a UMI of another length than the list's were left out".into()),
    ];
    for (records, what) in others {
        if records > 0 {
            console.warning(&format!("{} {what}", counted(records, "record")));
        }
    }
    if counts.kept == 0 && counts.unmatched > 0 {
        console.warning("no UMI is like one of the list");
        console.hint("--revcomp takes them from the other strand");
    }
    Ok(Exit::Fine)
}
