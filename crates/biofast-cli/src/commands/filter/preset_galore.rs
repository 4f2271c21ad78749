//! `--preset trim-galore`: what Trim Galore does without being asked.

use std::io::Cursor;

use anyhow::{Result, bail};
use biofast_fastq::{Inputs, Reader};
use biofast_io::{Options, Source};
use biofast_ops::filter::Filter;
use biofast_ops::filter::trim::detect::AdapterEvidence;
use biofast_ops::filter::trim_galore::{self, GaloreLimits, TOLD_KITS, is_small_rna};
use biofast_report::trim_galore::{AdapterOrigin, GaloreSettings};

use super::args::{Args, LengthLimit, Select};
use super::trims;
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
        if args.preset.trim_galore_report.is_some() {
            bail!("--trim-galore-report needs --preset trim-galore");
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
) -> Result<Option<(AdapterEvidence, [u64; TOLD_KITS])>> {
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
pub(super) fn select(args: &Args, detected: &[AdapterEvidence]) -> Result<Select> {
    let found = detected.iter().filter_map(|found| found.adapter.as_deref());
    let mut adapters = args.adapters.first_backs().chain(found);
    let small_rna =
        adapters.any(|text| is_small_rna(text) || text.eq_ignore_ascii_case("small-rna"));
    let least = MIN_LEN[usize::from(small_rna)];
    let limits = [("--min-len", args.select.min_len), ("--max-len", args.select.max_len)];
    if let Some((option, _)) =
        limits.iter().find(|(_, limit)| limit.is_some_and(|limit| limit.common().is_none()))
    {
        bail!("{option} takes one limit for both mates with --preset trim-galore");
    }
    let least = args.select.min_len.unwrap_or(LengthLimit::of_all(least));
    Ok(Select { min_len: Some(least), ..args.select })
}

/// How Trim Galore's reports begin, if they are wanted.
pub(super) fn report(
    args: &Args,
    inputs: &[Input],
    paired: bool,
    (detected, told): (&[AdapterEvidence], Option<[u64; TOLD_KITS]>),
    filter: &Filter,
) -> Result<Option<GaloreSettings>> {
    if args.preset.trim_galore_report.is_none() {
        return Ok(None);
    }
    if args.preset.trim_galore_report2.is_some() && !paired {
        bail!("--trim-galore-report2 needs pairs: two files, or --interleaved");
    }
    let of_mate = |mate: u8| -> Vec<&str> {
        let labels = filter.adapters().iter().filter(|label| label.read == mate + 1);
        labels.map(|label| label.text.as_str()).collect()
    };
    let (first, second) = (of_mate(0), of_mate(1));
    let is_plain = |text: &&str| text.bytes().all(|letter| letter.is_ascii_alphabetic());
    let count = 1 + usize::from(paired);
    let adapters = [&first[..], &second[..]].concat();
    if adapters.len() != count || !adapters.iter().all(is_plain) || args.adapters.is_elaborate() {
        bail!(
            "--trim-galore-report needs one 3′ adapter for each file, given with -a or -A as a sequence or found, and cut once, as in Trim Galore"
        );
    }
    let [first, second] = [first[0], second.first().copied().unwrap_or(first[0])]
        .map(|adapter| adapter.to_ascii_uppercase());
    let kit = |name: &str| ["truseq", "nextera", "small-rna"].iter().position(|kit| *kit == name);
    let origin = match (told, args.adapters.first_backs().next()) {
        (Some(told), _) => AdapterOrigin::Told(told),
        (None, named) => named
            .and_then(|named| kit(&named.to_ascii_lowercase()))
            .map_or(AdapterOrigin::Named, AdapterOrigin::Kit),
    };
    let select = select(args, detected)?;
    let mut files: Vec<String> = inputs.iter().map(Input::name).collect();
    // Interleaved mates have one.
    files.extend(files.first().cloned().filter(|_| paired && files.len() == 1));
    let is_gzip = |path: &std::path::Path| path.extension().is_some_and(|end| end == "gz");
    Ok(Some(GaloreSettings {
        version: env!("CARGO_PKG_VERSION").into(),
        files,
        has_second: paired && (args.adapters.names_second() || second != first),
        adapters: [first, second],
        origin,
        cutoff: trims::galore_cutoff(&args.trim),
        nextseq: args.trim.nextseq_trim,
        error_rate: args.adapters.error_rate(),
        min_overlap: min_overlap(args).unwrap_or(MIN_OVERLAP),
        limits: GaloreLimits {
            min_len: select.min_len.and_then(LengthLimit::common).unwrap_or(0),
            max_len: select.max_len.and_then(LengthLimit::common),
            max_n: select.max_n,
        },
        rrbs: args.preset.rrbs(),
        clips: trims::last_clips(&args.trim, args.preset.rrbs()),
        gzip: args.out.as_deref().is_some_and(is_gzip),
    }))
}
