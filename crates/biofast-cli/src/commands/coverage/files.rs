//! The files of mosdepth, and the texts of samtools.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use biofast::bam::Detail;
use biofast::io::Progress;
use biofast::io::output::{Compression, Files, Format as Container, Level, Output, commit};
use biofast::ops::coverage::{self, Counting, Rules};
use biofast::ops::show::mosdepth::{self, Quantize, Settings, Targets};
use biofast::ops::show::samtools;

use super::{Args, Format, intervals, query, rules, tell_unknown, watch};
use crate::console::Bar;
use crate::inputs::Input;
use crate::output;

/// `--prefix` and `--out-dir`: the files of each input appear together.
pub(super) fn write(args: &Args, inputs: &[Input], files: &mut Files) -> Result<ExitCode> {
    let prefixes = prefixes(args, inputs)?;
    let settings = settings(args)?;
    let progress = Arc::new(Progress::default());
    let total: Option<u64> = inputs.iter().map(Input::len).sum();
    if let Some(folder) = &args.out_dir {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("can't make the folder {}", folder.display()))?;
    }
    let bar = Bar::new(&progress, total, args.reading.messages.quiet);
    for (input, prefix) in inputs.iter().zip(prefixes) {
        let targets = targets(&settings, &prefix, files)?;
        let watch = watch(args, &progress);
        let intervals = settings.intervals.as_ref();
        let query = query(args, input, &watch, intervals, Detail::Alignment)?;
        let threads = watch.options.threads;
        let result = coverage::collect(query, &watch.options, &rules(args), |header| {
            mosdepth::Files::new(header, settings.clone(), targets, threads)
        });
        args.reading.tell(&watch, input);
        let (header, made) = result?;
        tell_unknown(args, intervals, &header, &input.name());
        commit(made.finish()?, false)?;
    }
    drop(bar);
    Ok(ExitCode::SUCCESS)
}

fn settings(args: &Args) -> Result<Settings> {
    let mut thresholds = args.thresholds.clone();
    thresholds.sort_unstable();
    let quantize = match &args.quantize {
        None => None,
        Some(bounds) => {
            let name = |class| std::env::var(format!("MOSDEPTH_Q{class}")).ok();
            let Some(quantize) = Quantize::parse(bounds, name) else {
                bail!("--quantize {bounds}: expected numbers with ':' between them");
            };
            Some(quantize)
        }
    };
    let precision = std::env::var("MOSDEPTH_PRECISION").ok().and_then(|digits| digits.parse().ok());
    Ok(Settings {
        intervals: intervals(args)?,
        thresholds,
        quantize,
        median: args.use_median,
        per_base: !args.no_per_base,
        only: args.chrom.clone().map(String::into_bytes),
        precision: precision.filter(|digits| *digits <= 30).unwrap_or(2),
    })
}

/// What the names of each input's files start with.
fn prefixes(args: &Args, inputs: &[Input]) -> Result<Vec<PathBuf>> {
    let Some(folder) = &args.out_dir else {
        let Some(prefix) = args.prefix.as_deref() else { return Ok(Vec::new()) };
        return match inputs {
            [_] => Ok(vec![prefix.to_owned()]),
            _ => bail!("--prefix is for one input, but {} are named: use --out-dir", inputs.len()),
        };
    };
    let mut names = HashSet::new();
    let mut prefixes = Vec::new();
    for input in inputs {
        let name = match input {
            Input::Path(path) => stem(path),
            Input::Stdin(label) | Input::Unnamed(label) if label == "-" => "stdin".into(),
            Input::Stdin(label) | Input::Unnamed(label) => stem(Path::new(label)),
        };
        if !names.insert(name.clone()) {
            bail!("two inputs would be written to {}: their names are the same", name.display());
        }
        prefixes.push(folder.join(name));
    }
    Ok(prefixes)
}

/// The name of a file without its folder and the endings of alignments.
fn stem(path: &Path) -> OsString {
    let mut name = PathBuf::from(path.file_name().unwrap_or(path.as_os_str()));
    for endings in [&["gz", "bgz", "zst", "bz2", "xz"][..], &["bam", "sam", "cram"]] {
        if endings.iter().any(|ending| output::has_extension(Some(&name), ending)) {
            name.set_extension("");
        }
    }
    name.into_os_string()
}

/// Opens the files of one input.
fn targets(settings: &Settings, prefix: &Path, files: &mut Files) -> Result<Targets> {
    let path = |ending: &str| {
        let mut path = prefix.as_os_str().to_owned();
        path.push(ending);
        PathBuf::from(path)
    };
    let text = |ending: &str, files: &mut Files| output::report(files, Some(&path(ending)));
    let bed = |ending, files: &mut Files| -> Result<(Output, Output)> {
        let compression = Compression::new(Container::Bgzf, Some(Level::Number(1)))?;
        let bed = output::records(files, Some(&path(ending)), compression)?;
        Ok((bed, text(&format!("{ending}.csi"), files)?))
    };
    let has_regions = settings.intervals.is_some();
    let mut optional_bed = |wanted: bool, ending| match wanted {
        true => bed(ending, files).map(Some),
        false => Ok(None),
    };
    Ok(Targets {
        per_base: optional_bed(settings.per_base, ".per-base.bed.gz")?,
        regions: optional_bed(has_regions, ".regions.bed.gz")?,
        quantized: optional_bed(settings.quantize.is_some(), ".quantized.bed.gz")?,
        thresholds: optional_bed(!settings.thresholds.is_empty(), ".thresholds.bed.gz")?,
        summary: Some(text(".mosdepth.summary.txt", files)?),
        global: Some(text(".mosdepth.global.dist.txt", files)?),
        region: match has_regions {
            true => Some(text(".mosdepth.region.dist.txt", files)?),
            false => None,
        },
    })
}

/// `--format samtools-coverage` and `samtools-depth`.
pub(super) fn samtools(args: &Args, input: &Input, files: &mut Files) -> Result<ExitCode> {
    if args.fast_mode {
        bail!("--fast-mode doesn't go with the formats of samtools");
    }
    let report = args.out.open(files)?;
    let watch = args.reading.watch();
    let query = query(args, input, &watch, None, Detail::Full)?;
    let bar = watch.bar(query.stored_len().or(input.len()), &args.reading.messages);
    let has_sums = args.format == Format::SamtoolsCoverage;
    let rules = Rules { counting: Counting::Each, sums: has_sums, ..rules(args) };
    let only = args.chrom.as_deref().map(str::as_bytes);
    let made = if has_sums {
        let result = coverage::collect_with_sums(query, &watch.options, &rules, |header| {
            Ok(coverage::PerReference::new(header))
        });
        result.map(|(header, depths, sums)| {
            let text = samtools::coverage::text(&header, &depths.finish(), &sums, only);
            output::filled(report, text).map_err(anyhow::Error::from)
        })
    } else {
        let result = coverage::collect(query, &watch.options, &rules, |header| {
            Ok(samtools::depth::Lines::new(header, report, only, args.all_positions))
        });
        result.map(|(_, lines)| lines.finish().map_err(anyhow::Error::from))
    };
    drop(bar);
    args.reading.tell(&watch, input);
    commit(vec![made??], false)?;
    Ok(ExitCode::SUCCESS)
}
