//! Options of `filter` that stand for others.

use anyhow::Result;
use biofast_io::output::Output;
use biofast_ops::compat::FastpVersion;
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
    #[arg(long, value_enum, value_name = "NAME")]
    preset: Option<Preset>,

    /// Write fastp's JSON report to FILE, for MultiQC
    #[arg(long, value_name = "FILE")]
    pub(super) fastp_json: Option<OutFile>,

    /// With --fastp-json: list overrepresented sequences like fastp, counted in all reads instead of 1 in 20
    #[arg(long, alias = "overrepresentation_analysis", requires = "fastp_json")]
    overrepresentation_analysis: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Preset {
    /// fastp 1.3
    Fastp,
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

    /// Whether its report is wanted.
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
}
