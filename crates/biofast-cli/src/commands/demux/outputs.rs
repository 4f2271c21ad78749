//! The outputs of `biofast demux`.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use biofast::io::output::{Compression, Files, Format, Output, allow_open_files};
use biofast::ops::demux::{Demux, Kind};

use super::args::Args;
use crate::output::{self, OTHER_FILES};

/// What is written.
pub(super) struct Opened {
    /// The files of each sample, and of unmatched reads at the end.
    pub(super) reads: Vec<Output>,
    pub(super) paths: Vec<PathBuf>,
    pub(super) metrics: Output,
    pub(super) json: Option<Output>,
}

const SAMPLE: &str = "{sample}";
const TYPE: &str = "{type}";
const NUMBER: &str = "{number}";

/// Opens all outputs.
pub(super) fn open(args: &Args, demux: &Demux, ids: &[&str], files: &mut Files) -> Result<Opened> {
    let template = template(args, demux)?;
    let named = output::format_of_reads(Path::new(&template))?;
    let format = args.output_format.unwrap_or(named);
    if format == Format::Plain && args.level.is_some() {
        bail!("--level needs compressed output: a --name ending in .gz or .zst, or -O");
    }
    let compression = Compression::new(format, args.level)?;
    output::make_folder(files, &args.output)?;
    let number = (ids.len() + 1) * demux.pieces().len();
    // More files than may be open are open only while they are written to.
    let few = allow_open_files(number as u64 + OTHER_FILES).is_ok();
    let (mut reads, mut paths) = (Vec::with_capacity(number), Vec::with_capacity(number));
    for id in ids.iter().copied().chain([args.unmatched_prefix.as_str()]) {
        for piece in demux.pieces() {
            let name = template
                .replace(TYPE, letter(piece.segment.kind))
                .replace(NUMBER, &piece.number.to_string())
                .replace(SAMPLE, id);
            let path = args.output.join(name);
            let read = output::records(files, Some(&path), compression)?;
            reads.push(if few { read } else { read.closed_between_writes()? });
            paths.push(path);
        }
    }
    let metrics = match &args.metrics {
        Some(path) => output::report(files, Some(path))?,
        None => output::report(files, Some(&args.output.join("demux-metrics.txt")))?,
    };
    let json = output::optional_report(files, args.json.as_deref())?;
    Ok(Opened { reads, paths, metrics, json })
}

/// The template of names, which tells all files apart.
fn template(args: &Args, demux: &Demux) -> Result<String> {
    let template = &args.name;
    if template.contains(['/', '\\']) {
        bail!("--name {template} is the name of a file, without a folder: -o names that");
    }
    for sample in [args.unmatched_prefix.as_str()] {
        if sample.is_empty() || sample.contains(['/', '\\']) {
            bail!("'{sample}' can't be part of the name of a file");
        }
    }
    if !template.contains(SAMPLE) {
        bail!(
            "--name {template} would be the name of all samples' files: write {SAMPLE} where the sample is to stand"
        );
    }
    let pieces = demux.pieces();
    let kinds = pieces.iter().map(|piece| piece.segment.kind);
    if pieces.iter().any(|piece| piece.number > 1) && !template.contains(NUMBER) {
        bail!(
            "--name {template} would be the name of several files: write {NUMBER} where the number of the mate is to stand"
        );
    }
    if kinds.clone().any(|kind| Some(kind) != kinds.clone().next()) && !template.contains(TYPE) {
        bail!(
            "--name {template} would be the name of several files: write {TYPE} where their type is to stand"
        );
    }
    Ok(template.clone())
}

/// What stands for a type in names.
pub(super) fn letter(kind: Kind) -> &'static str {
    match kind {
        Kind::Template => "R",
        Kind::Barcode => "I",
        Kind::Umi => "U",
        Kind::Cell => "C",
        Kind::Skip => "S",
    }
}
