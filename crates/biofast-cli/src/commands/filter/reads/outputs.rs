//! Which outputs there are, and which reads go to which.

use std::path::Path;

use anyhow::{Result, bail};
use biofast_ops::filter::FilterRoutes;
use biofast_ops::filter::trim::Label;

use crate::commands::filter::args::Args;
use crate::options::{OutFile, OutputSet};

use super::by_adapter::{AdapterNames, Texts};
use super::opener::All;
use crate::session::Session;

/// The outputs, and what goes to which.
pub(super) struct FilterOutputs {
    pub(super) written: OutputSet,
    pub(super) routes: FilterRoutes,
    /// What gets merged pairs.
    pub(super) merged: usize,
    /// What gets the reads that have an adapter, if names say so.
    pub(super) by_adapter: Texts,
}

/// Opens the outputs.
pub(super) fn open(
    args: &Args,
    paired: bool,
    adapters: &[Label],
    session: &mut Session,
) -> Result<FilterOutputs> {
    if !paired && (args.out2.is_some() || args.unpaired1.is_some() || args.unpaired2.is_some()) {
        bail!("--out2, --unpaired1 and --unpaired2 need pairs: two files, or --interleaved");
    }
    let names = AdapterNames::new(args, paired, adapters)?;
    let mut all = All {
        args,
        session,
        closes: names.many(args.write_index.is_some())?,
        written: OutputSet::default(),
    };
    let (by_adapter, unknown) = names.open(&mut all)?;
    let [first, second] = match unknown {
        Some(places) => places,
        None => {
            let first = match args.out.as_deref().filter(|path| *path != Path::new("-")) {
                Some(path) => all.file(path)?,
                None => all.stdout()?,
            };
            let second = args.out2.as_deref().map(|path| all.file(path)).transpose()?;
            [first, second.unwrap_or(first)]
        }
    };
    let mut optional = |path: &Option<OutFile>, shared: Option<usize>| -> Result<Option<usize>> {
        let Some(path) = path.as_deref() else { return Ok(None) };
        match shared {
            Some(index) if all.written.paths[index].as_deref() == Some(path) => Ok(Some(index)),
            _ => all.file(path).map(Some),
        }
    };
    let unpaired1 = optional(&args.unpaired1, None)?;
    let unpaired2 = optional(&args.unpaired2, unpaired1)?;
    // fastp writes both to the one file that is named.
    let unpaired2 = unpaired2.or(unpaired1.filter(|_| args.preset.is_fastp()));
    let rejected = optional(&args.rejected, None)?;
    let merged = optional(&args.mates.merged_out, None)?;
    if args.mates.merges() && merged.is_none() && second != first {
        bail!(
            "--merge with --out2 needs --merged-out: merged reads in --out would put it out of step with --out2"
        );
    }
    let merged = merged.unwrap_or(first);
    let routes = FilterRoutes { first, second, orphans: [unpaired1, unpaired2], rejected };
    Ok(FilterOutputs { written: all.written, routes, merged, by_adapter })
}
