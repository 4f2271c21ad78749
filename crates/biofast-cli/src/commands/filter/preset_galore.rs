//! `--preset trim-galore`: what Trim Galore does without being asked.

use std::io::Cursor;

use anyhow::{Result, bail};
use biofast_fastq::{Inputs, Reader};
use biofast_io::{Options, Source};
use biofast_ops::filter::trim::detect::AdapterEvidence;
use biofast_ops::filter::trim_galore::{self, is_small_rna};

use super::args::{Args, Select};
use crate::console::Hinted;
use crate::inputs::Input;
use crate::session::Session;

/// The fewest bases of an adapter that are cut.
const MIN_OVERLAP: usize = 1;
/// The fewest bases that are kept of a read, and of one of small RNA.
const MIN_LEN: [usize; 2] = [20, 18];
/// How much is looked at of a stream, which can't be read twice.
const LOOKED_AT: usize = 64 << 20;

/// Refuses what doesn't go with the preset, or not without it.
pub(super) fn check(args: &Args, session: &Session) -> Result<()> {
    if !args.preset.is_trim_galore() {
        if args.preset.rrbs().is_some() {
            bail!("--rrbs needs --preset trim-galore");
        }
        return Ok(());
    }
    if args.adapters.detect_adapter.is_some() {
        bail!(
            "--preset trim-galore detects adapters by its own rule, so it can't be combined with --detect-adapter"
        );
    }
    let is_quality = |word: &String| word.split('=').next() == Some("--quality");
    if session.arguments().iter().any(is_quality) {
        return Err(Hinted::error(
            "--quality means --min-mean-qual, not Trim Galore's --quality",
            "use --quality-cutoff Q, or --min-mean-qual Q if that is meant",
        ));
    }
    Ok(())
}

/// Looks which adapter the first reads have, unless one is named: of a file those of Trim Galore, of a stream what is in its start.
pub(super) fn look(
    args: &Args,
    named: &[Input],
    inputs: &mut Inputs,
) -> Result<Option<AdapterEvidence>> {
    if args.adapters.names_first() {
        return Ok(None);
    }
    let interleaved = matches!(inputs, Inputs::Interleaved(_));
    let source = match named.first().filter(|input| input.len().is_some()) {
        Some(file) => file.open()?,
        None => {
            let (Inputs::Single(source) | Inputs::Interleaved(source) | Inputs::Paired(source, _)) =
                inputs;
            let text = source.peek(LOOKED_AT).unwrap_or_default();
            Source::from_reader("the start", Cursor::new(text))
        }
    };
    let threads = args.reading.reads(&args.pairing).threads;
    let mut reader = Reader::new(source, &Options { threads, ..Options::default() })?;
    Ok(Some(trim_galore::look(&mut reader, interleaved)))
}

/// The fewest bases of a read and an adapter that overlap, if the preset is chosen.
pub(super) fn min_overlap(args: &Args) -> Option<usize> {
    let given = args.given.has("adapter_min_overlap");
    let least = if given { args.adapters.min_overlap() } else { MIN_OVERLAP };
    args.preset.is_trim_galore().then_some(least)
}

/// What reads must be like: of Trim Galore's length, unless another one is given.
pub(super) fn select(args: &Args, detected: &[AdapterEvidence]) -> Select {
    let found = detected.iter().filter_map(|found| found.adapter.as_deref());
    let mut adapters = args.adapters.first_backs().chain(found);
    let small_rna =
        adapters.any(|text| is_small_rna(text) || text.eq_ignore_ascii_case("small-rna"));
    let least = MIN_LEN[usize::from(small_rna)];
    Select { min_len: args.select.min_len.or(Some(least)), ..args.select }
}
