//! `biofast-lab cycles`: what the inner loop of each kernel costs on cores this machine doesn't have.
//!
//! The kernels are compiled to assembly for AArch64 and x86-64, the hot loop of each is found, and
//! llvm-mca (of LLVM 19 or later) says how many cycles it takes by its model of a core. Beside the
//! x86 estimates stands what this machine measures, so that one sees how far to trust the model.

mod assembly;
mod measured;
mod report;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};

use crate::files;
use biofast_kernels::Isa;

use assembly::Loop;
use measured::{Cycles, Inputs};

/// Where to work and to write.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// The machine-code analyser, of LLVM 19 or later.
    #[arg(long, default_value = "llvm-mca-19", value_name = "PROGRAM")]
    pub mca: PathBuf,
    /// Build products.
    #[arg(long, default_value = "target/cycles", value_name = "DIR")]
    pub target_dir: PathBuf,
    /// Results go here.
    #[arg(long, default_value = "results/cycles", value_name = "DIR")]
    pub out: PathBuf,
}

/// A core and the instruction set that is estimated on it.
struct Core {
    target: &'static str,
    /// llvm-mca's name of the core.
    model: &'static str,
    isas: &'static [Isa],
}

/// `apple-m1` is the model LLVM has of Apple's cores: that of Cyclone, six wide with three vector
/// pipes. M1 is eight wide with four, so the true figure is lower. Neoverse V1 is the nearest modern
/// core with a model of its own.
const CORES: &[Core] = &[
    Core {
        target: "aarch64-unknown-linux-gnu",
        model: "apple-m1",
        isas: &[Isa::Neon, Isa::Scalar],
    },
    Core {
        target: "aarch64-unknown-linux-gnu",
        model: "neoverse-v1",
        isas: &[Isa::Neon, Isa::Scalar],
    },
    Core {
        target: "x86_64-unknown-linux-gnu",
        model: "znver4",
        isas: &[Isa::Avx512, Isa::Avx2, Isa::Scalar],
    },
];

/// The kernels of one stream of bytes, whose loops can be told from the loads in them.
const KERNELS: &[&str] = &[
    "count_bases", "count_gc", "count_gc_acgt", "count_n", "count_newlines", "sum_qualities",
    "summarize_qualities", "count_at_least", "sum_error_probability", "find_invalid_base",
    "find_invalid_quality", "count_packed_bases", "count_packed_gc",
];

/// The cost of one loop on one core.
#[derive(Debug)]
struct Row {
    kernel: &'static str,
    isa: Isa,
    model: &'static str,
    /// Input bytes an iteration.
    bytes: u32,
    /// Cycles an iteration, in the steady state.
    cycles: f64,
    /// Measured here, where this machine has the instruction set.
    measured: Option<Cycles>,
}

/// What the kernels are compared with, measured here.
#[derive(Debug)]
struct Beside {
    /// Reading the same buffer.
    read: Cycles,
    /// By kernel: a branch for each byte.
    branchy: Vec<(&'static str, Cycles)>,
}

impl Row {
    fn per_64(&self) -> f64 {
        self.cycles * 64.0 / f64::from(self.bytes)
    }
}

/// Compiles, estimates, measures and writes.
///
/// # Errors
/// If the compiler or the analyser is missing or fails, or a result can't be written.
pub fn run(options: &Options) -> Result<()> {
    let mut rows = Vec::new();
    let inputs = Inputs::new();
    for core in CORES {
        let text = compile(core.target, &options.target_dir)?;
        for &isa in core.isas {
            let local = core.target.starts_with(std::env::consts::ARCH);
            for &kernel in KERNELS {
                // Where the compiler made one function of several kernels, the loop is there.
                let names = [kernel, "count_matches"];
                let names = &names[..if kernel.starts_with("count_") { 2 } else { 1 }];
                let found =
                    names.iter().find_map(|name| assembly::hot_loop(&text, isa.name(), name));
                let Some(hot) = found else { continue };
                let cycles = analyse(&options.mca, core, &hot)
                    .with_context(|| format!("{kernel} for {} on {}", isa.name(), core.model))?;
                let measured = if local { inputs.kernel(isa, kernel) } else { None };
                let bytes = hot.bytes;
                rows.push(Row { kernel, isa, model: core.model, bytes, cycles, measured });
            }
        }
    }
    ensure!(!rows.is_empty(), "no kernel's loop was found in the assembly");
    let beside = Beside {
        read: inputs.read(),
        branchy: KERNELS.iter().filter_map(|k| Some((*k, inputs.branchy(k)?))).collect(),
    };
    report::write(&rows, &beside, &options.out)?;
    print!("{}", report::markdown(&rows, &beside));
    Ok(())
}

/// The kernels as assembly.
fn compile(target: &str, target_dir: &Path) -> Result<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["rustc", "--quiet", "--release", "-p", "biofast-kernels", "--lib"])
        .args(["--target", target, "--target-dir"])
        .arg(target_dir)
        .args(["--", "--emit", "asm", "-C", "codegen-units=1", "-C", "lto=off"])
        .output()
        .context("can't run cargo")?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        bail!("can't compile for {target} (is the target installed?): {message}");
    }
    let folder = target_dir.join(target).join("release/deps");
    let mut newest = None;
    for entry in folder.read_dir().with_context(|| format!("can't list {}", folder.display()))? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("biofast_kernels-") && name.ends_with(".s") {
            let modified = entry.metadata()?.modified()?;
            newest = newest.max(Some((modified, entry.path())));
        }
    }
    let Some((_, path)) = newest else {
        bail!("the compiler left no assembly in {}", folder.display())
    };
    files::read(&path)
}

/// Cycles an iteration.
fn analyse(mca: &Path, core: &Core, hot: &Loop) -> Result<f64> {
    const ITERATIONS: u32 = 500;
    let arch = core.target.split('-').next().unwrap_or_default();
    let file = tempfile::Builder::new().suffix(".s").tempfile()?;
    std::fs::write(file.path(), &hot.text)?;
    let output = Command::new(mca)
        .arg(format!("-mtriple={arch}"))
        .arg(format!("-mcpu={}", core.model))
        .arg(format!("-iterations={ITERATIONS}"))
        .args(["-instruction-info=false", "-resource-pressure=false"])
        .arg(file.path())
        .output()
        .with_context(|| format!("can't run {} (Debian: llvm-19)", mca.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let total = text.lines().find_map(|line| line.strip_prefix("Total Cycles:"));
    let Some(total) = total.and_then(|total| total.trim().parse::<f64>().ok()) else {
        bail!("{}", String::from_utf8_lossy(&output.stderr));
    };
    Ok(total / f64::from(ITERATIONS))
}
