//! How fast statistics are on this machine, and what makes them slower than they could be.

use std::fmt::Write;
use std::fs::File;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use biofast_kernels::Isa;

use super::this_program;

/// How often the text of the sample is repeated: some 70 MB.
const REPEATS: usize = 80;
/// The best of so many runs counts.
const RUNS: usize = 3;

pub(super) fn measure(sample: &Path, folder: &Path) -> Result<String> {
    let plain = folder.join("speed.fq");
    let mut file =
        File::create(&plain).with_context(|| format!("can't write {}", plain.display()))?;
    for _ in 0..REPEATS {
        io::copy(&mut File::open(sample.join("reads.fq"))?, &mut file)
            .with_context(|| format!("can't write {}", plain.display()))?;
    }
    let bytes = file.metadata()?.len();
    drop(file);
    let packed = ["filter", "--quiet", "--level", "6", "speed.fq", "-o", "speed.fq.gz"];
    time(this_program(folder, None)?.args(packed))?;
    let threads = biofast_io::available_threads();
    let stats = |file: &str, threads: usize, decoder: Option<&str>| -> Result<Duration> {
        let mut best = Duration::MAX;
        for _ in 0..RUNS {
            let mut command = this_program(folder, None)?;
            command.args(["stats", "--quiet", "-T", file, "-@", &threads.to_string()]);
            if let Some(decoder) = decoder {
                command.env("BIOFAST_INFLATE", decoder);
            }
            best = best.min(time(&mut command)?);
        }
        Ok(best)
    };
    let mut text = String::from("\nSpeed of biofast stats, GB of text a second (best of 3)\n");
    let mut rates = Vec::new();
    for (what, file, decoder) in [
        ("plain text", "speed.fq", None),
        ("BGZF", "speed.fq.gz", None),
        ("BGZF, own decoder", "speed.fq.gz", Some("own")),
        ("BGZF, libdeflate", "speed.fq.gz", Some("libdeflate")),
    ] {
        let one = stats(file, 1, decoder)?;
        let all = if threads > 1 { stats(file, threads, decoder)? } else { one };
        let rate = |time: Duration| bytes as f64 / 1e9 / time.as_secs_f64();
        let label = if threads > 1 { format!("{threads} threads") } else { "1 thread".into() };
        write!(text, "  {what:18} {:6.2} (1 thread)", rate(one))?;
        if threads > 1 {
            write!(text, " {:6.2} ({label})", rate(all))?;
        }
        text.push('\n');
        rates.push((one, all));
    }
    let hints = hints(threads, &rates);
    if hints.is_empty() {
        text.push_str("No slowdown found.\n");
    }
    for hint in hints {
        writeln!(text, "slower: {hint}")?;
    }
    Ok(text)
}

/// What makes it slower than it could be.
fn hints(threads: usize, rates: &[(Duration, Duration)]) -> Vec<String> {
    let mut hints = Vec::new();
    if cfg!(debug_assertions) {
        hints.push(
            "this is a debug build; build a fast one with `cargo build --release`".to_owned(),
        );
    }
    let (best, active) = (biofast_kernels::available().pop(), biofast_kernels::active());
    if let Some(best) = best.filter(|&best| best != active) {
        hints.push(format!("BIOFAST_SIMD selects {active}, but this CPU supports {best}"));
    }
    if active == Isa::Scalar {
        hints.push("this CPU has neither AVX2, AVX-512 nor NEON: portable code is used".to_owned());
    }
    if !cfg!(feature = "mmap") {
        hints.push("this build has no memory maps (feature mmap)".to_owned());
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if threads < cores {
        hints.push(format!("this process may use only {threads} of {cores} CPUs"));
    }
    // Plain text ends too soon for many threads to gain; BGZF is what most files are.
    if let Some((one, all)) = rates.get(1).filter(|_| (2..=16).contains(&threads)) {
        let gain = one.as_secs_f64() / all.as_secs_f64();
        if gain < 0.6 * threads as f64 {
            hints.push(format!(
                "{threads} threads are only {gain:.1} times as fast as one: other programs are using the CPUs, or threads share cores"
            ));
        }
    }
    hints
}

/// How long a run takes.
fn time(command: &mut std::process::Command) -> Result<Duration> {
    let start = Instant::now();
    let output = command.output().context("can't start this program again")?;
    let time = start.elapsed();
    if !output.status.success() {
        bail!("{}: {command:?}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    Ok(time)
}
