//! Options of `filter` that stand for others.

use anyhow::Result;
use biofast_io::output::Output;
use biofast_ops::compat::FastpVersion;
use biofast_ops::filter::trim_galore::FilledIn;
use clap::ValueEnum;

use crate::options::{CompatArgs, OutFile};
use crate::output;
use crate::session::Session;

/// Options that stand for others.
#[derive(clap::Args)]
pub(super) struct PresetArgs {
    /// Do what another program does by default
    ///
    /// fastp: cut adapters, found by the overlap of mates or in the first single reads; cut poly-G on two-color
    /// machines; then apply --max-low-quality-percent 40, --max-n 5 and --min-len 15.
    ///
    /// trim-galore: --quality-cutoff 20, then cut the Illumina, Nextera or small RNA adapter, whichever most of the first
    /// million reads have, with --adapter-min-overlap 1; then apply --crop-front and --crop-tail, and --min-len 20.
    #[arg(long, value_enum, value_name = "NAME")]
    preset: Option<Preset>,

    /// Write fastp's JSON report to FILE, for MultiQC
    #[arg(long, value_name = "FILE")]
    pub(super) fastp_json: Option<OutFile>,

    /// With --fastp-json: list overrepresented sequences like fastp, counted in all reads instead of 1 in 20
    #[arg(long, alias = "overrepresentation_analysis", requires = "fastp_json")]
    overrepresentation_analysis: bool,

    /// With --preset trim-galore: write Trim Galore's report of first reads (or single reads) to FILE, for MultiQC
    #[arg(long, value_name = "FILE", requires = "preset")]
    pub(super) trim_galore_report: Option<OutFile>,

    /// Write the report of second reads, and of pairs, to FILE
    #[arg(long, value_name = "FILE", requires = "trim_galore_report")]
    pub(super) trim_galore_report2: Option<OutFile>,

    /// With --preset trim-galore: cut bases that end repair filled in, of RRBS made with MspI
    ///
    /// These are the 2 bases before the adapter of first reads, and the first 2 bases of second reads (unless --crop-front
    /// is given).
    #[arg(long, requires = "preset")]
    rrbs: bool,

    /// With --rrbs: cut the first 2 bases of reads that start with CAA or CGA, else the 2 before the adapter
    #[arg(long, alias = "non_directional", requires = "rrbs")]
    non_directional: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Preset {
    /// fastp 1.3
    Fastp,
    /// Trim Galore 0.6
    TrimGalore,
}

impl PresetArgs {
    /// Whether it is fastp that is meant.
    pub(super) fn is_fastp(&self) -> bool {
        self.preset == Some(Preset::Fastp)
    }

    /// The version of fastp that the preset and the report are like.
    pub(super) fn version(&self, compat: &CompatArgs) -> Result<FastpVersion> {
        Ok(compat.of(|_| self.is_fastp() || self.reports())?.fastp)
    }

    /// Whether it is Trim Galore that is meant.
    pub(super) fn is_trim_galore(&self) -> bool {
        self.preset == Some(Preset::TrimGalore)
    }

    /// What is cut of RRBS, if the reads are that.
    pub(super) fn rrbs(&self) -> Option<FilledIn> {
        self.rrbs.then_some(match self.non_directional {
            true => FilledIn::NonDirectional,
            false => FilledIn::Directional,
        })
    }

    /// Whether the report of fastp is wanted.
    pub(super) fn reports(&self) -> bool {
        self.fastp_json.is_some()
    }

    /// Whether it has overrepresented sequences.
    pub(super) fn counts_sequences(&self) -> bool {
        self.overrepresentation_analysis
    }

    /// Opens the report, if it is wanted.
    pub(super) fn open(&self, session: &mut Session) -> Result<Option<Output>> {
        output::optional_report(session, self.fastp_json.as_deref())
    }

    /// Opens the reports of Trim Galore that are wanted, of first and of second reads.
    pub(super) fn open_of_galore(&self, session: &mut Session) -> Result<[Option<Output>; 2]> {
        Ok([
            output::optional_report(session, self.trim_galore_report.as_deref())?,
            output::optional_report(session, self.trim_galore_report2.as_deref())?,
        ])
    }
}
