//! What entries 042 to 045 share: which allocator serves a condition's Rust code and its C code, how its
//! process is told so, and the costs of a call.
//!
//! `jemalloc` and `mimalloc` serve Rust code alone, as a global allocator of a Rust program does; with `-all` behind
//! it, preloaded, C code too. A process verifies who serves it before it measures anything.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::Instant;

use super::prelude::*;
use crate::core::usage::{self, Resources};
use crate::systems::allocator::{VARIABLE, serving};

/// A library and the Debian package that has it.
const LIBRARIES: [(&str, &str, &str); 2] = [
    ("jemalloc", "libjemalloc.so.2", "libjemalloc2"),
    ("mimalloc", "libmimalloc.so.2", "libmimalloc2.0"),
];

/// Room that jemalloc needs to be loaded by a program that is running.
const STATIC_TLS: &str = "glibc.rtld.optional_static_tls=16384";

/// The library of a level, and whether it serves C code too; none for the system's allocator.
fn library(level: &str) -> Option<(&'static str, bool)> {
    let name = level.split('-').next().unwrap_or_default();
    let found = LIBRARIES.iter().find(|(own, ..)| *own == name)?;
    Some((found.1, level.ends_with("-all")))
}

/// Whether this system has the allocator of a cell; if not, that is said once.
pub(super) fn exists(cell: &Cell) -> bool {
    static MISSING: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| {
        let missing = LIBRARIES.into_iter().filter(|(_, library, _)| !can_be_preloaded(library));
        let name = |(name, library, package): (&'static str, _, _)| {
            eprintln!(
                "{library} is not installed (Debian: {package}): conditions with {name} are left out"
            );
            library
        };
        missing.map(name).collect()
    });
    library(cell.get("allocator")).is_none_or(|(library, _)| !MISSING.contains(library))
}

/// The dynamic linker complains about what it can't preload.
fn can_be_preloaded(library: &str) -> bool {
    let mut command = Command::new("true");
    command.env("LD_PRELOAD", library).stdin(Stdio::null());
    cfg!(all(target_os = "linux", target_env = "gnu"))
        && command.output().is_ok_and(|o| o.status.success() && o.stderr.is_empty())
}

/// What tells a process its allocator, with tunables of glibc.
pub(super) fn environment(cell: &Cell, tunables: &[&str]) -> Vec<(&'static str, String)> {
    let mut tunables = tunables.to_vec();
    let mut all = Vec::new();
    match library(cell.get("allocator")) {
        Some((library, true)) => all.push(("LD_PRELOAD", library.to_owned())),
        Some((library, false)) => {
            tunables.push(STATIC_TLS);
            all.push((VARIABLE.to_str().unwrap_or_default(), library.to_owned()));
        }
        None => {}
    }
    if !tunables.is_empty() {
        all.push(("GLIBC_TUNABLES", tunables.join(":")));
    }
    all
}

/// Fails unless Rust code and C code are served as the level says.
pub(super) fn verify(cell: &Cell) -> Result<()> {
    let level = cell.get("allocator");
    let (rust, c) = serving();
    let is = |file: &str, name: &str| file.rsplit('/').next().is_some_and(|f| f.starts_with(name));
    let others = |file: &str| LIBRARIES.iter().any(|(_, library, _)| is(file, library));
    match library(level) {
        Some((library, all)) => {
            ensure!(is(&rust, library), "Rust code is served by {rust}, not by {library}");
            ensure!(all == is(&c, library), "C code is served by {c} under {level}");
        }
        None if level == "system" => {
            ensure!(!others(&rust) && !others(&c), "served by {rust} and {c}");
        }
        None => bail!("no allocator is called {level:?}"),
    }
    Ok(())
}

/// What a call cost on average.
pub(super) struct Costs {
    wall_s: f64,
    used: Resources,
    calls: f64,
}

impl Costs {
    /// Adds them to an outcome: `call_s`, `call_sys_s`, `call_user_s` and `call_faults`.
    pub(super) fn of(&self, outcome: Outcome) -> Outcome {
        let faults = self.used.minor_faults + self.used.major_faults;
        outcome
            .with("call_s", self.wall_s / self.calls)
            .with("call_sys_s", self.used.sys_s / self.calls)
            .with("call_user_s", self.used.user_s / self.calls)
            .with("call_faults", faults / self.calls)
    }
}

/// Does the work `calls` times, after once that isn't measured.
pub(super) fn measure(calls: usize, mut work: impl FnMut(usize) -> Result<()>) -> Result<Costs> {
    work(0)?;
    let before = usage::now();
    let start = Instant::now();
    for call in 0..calls {
        work(call)?;
    }
    let wall_s = start.elapsed().as_secs_f64();
    Ok(Costs { wall_s, used: usage::now() - before, calls: calls as f64 })
}
