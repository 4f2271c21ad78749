//! The outputs of `biofast demux`.

use std::path::Path;

use anyhow::{Result, bail};
use biofast_io::display_name;
use biofast_io::output::{Output, allow_open_files};
use biofast_ops::demux::{Demux, SegmentKind};

use super::args::Args;
use crate::output::{self, OTHER_FILES};
use crate::session::Session;

/// What is written.
pub(super) struct DemuxOutputs {
    /// The files of each sample, and of unmatched reads at the end.
    pub(super) reads: Vec<Output>,
    /// Their names in reports.
    pub(super) names: Vec<String>,
    pub(super) metrics: Output,
    pub(super) hopping: Option<Output>,
    pub(super) unknown: Option<Output>,
}

const SAMPLE: &str = "{sample}";
const TYPE: &str = "{type}";
const NUMBER: &str = "{number}";

/// Opens all outputs.
pub(super) fn open(
    args: &Args,
    demux: &Demux,
    ids: &[&str],
    session: &mut Session,
) -> Result<DemuxOutputs> {
    let template = template(args, demux)?;
    let named = output::format_of_reads(Path::new(&template))?;
    let format = args.output_format.unwrap_or(named);
    let compression = output::compression(format, args.level)?;
    output::make_folder(session, &args.output)?;
    let number = (ids.len() + 1) * demux.pieces().len();
    // More files than may be open are open only while they are written to.
    let few = allow_open_files(number as u64 + OTHER_FILES).is_ok();
    let (mut reads, mut names) = (Vec::with_capacity(number), Vec::with_capacity(number));
    for id in ids.iter().copied().chain([args.unmatched_prefix.as_str()]) {
        for piece in demux.pieces() {
            let name = template
                .replace(TYPE, letter(piece.segment.kind))
                .replace(NUMBER, &piece.number.to_string())
                .replace(SAMPLE, id);
            let path = args.output.join(name);
            let read = output::records(session, Some(&path), compression)?;
            reads.push(if few { read } else { read.closed_between_writes()? });
            names.push(display_name(&path));
        }
    }
    let metrics = match &args.metrics {
        Some(path) => output::report(session, Some(path))?,
        None => output::report(session, Some(&args.output.join("demux-metrics.txt")))?,
    };
    let hopping = output::optional_report(session, args.index_hopping.as_deref())?;
    let unknown = output::optional_report(session, args.unknown_barcodes.as_deref())?;
    Ok(DemuxOutputs { reads, names, metrics, hopping, unknown })
}

/// The template of names, which tells all files apart.
fn template(args: &Args, demux: &Demux) -> Result<String> {
    let template = &args.name;
    if template.contains(['/', '\\']) {
        bail!(
            "--name-template {template} must be a file name without a folder: use -o for the folder"
        );
    }
    for sample in [args.unmatched_prefix.as_str()] {
        if sample.is_empty() || sample.contains(['/', '\\']) {
            bail!("'{sample}' can't be part of a file name");
        }
    }
    if !template.contains(SAMPLE) {
        bail!(
            "--name-template {template} gives all samples the same file name: put {SAMPLE} where the sample goes"
        );
    }
    let pieces = demux.pieces();
    let kinds = pieces.iter().map(|piece| piece.segment.kind);
    if pieces.iter().any(|piece| piece.number > 1) && !template.contains(NUMBER) {
        bail!(
            "--name-template {template} gives several files the same name: put {NUMBER} where the mate number goes"
        );
    }
    if kinds.clone().any(|kind| Some(kind) != kinds.clone().next()) && !template.contains(TYPE) {
        bail!(
            "--name-template {template} gives several files the same name: put {TYPE} where the file type goes"
        );
    }
    Ok(template.clone())
}

/// What stands for a type in names.
pub(super) fn letter(kind: SegmentKind) -> &'static str {
    match kind {
        SegmentKind::Template => "R",
        SegmentKind::Barcode => "I",
        SegmentKind::Umi => "U",
        SegmentKind::Cell => "C",
        SegmentKind::Skip => "S",
    }
}
