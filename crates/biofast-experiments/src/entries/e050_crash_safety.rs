//! 050: faults of an append-only store, by the case: `systems/store/crash.rs` tries them, this counts.

use std::process::Command;

use super::prelude::*;
use crate::systems::store::Store;
use crate::systems::store::crash::{self, Log, Tally};
use crate::systems::store::padded::Padded;

pub(super) struct CrashSafety;

impl Entry for CrashSafety {
    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        match cell.get("store") {
            "framed" => prepare::<Store>(cell.clone(), lab),
            "padded" => prepare::<Padded>(cell.clone(), lab),
            other => bail!("no store is called {other:?}"),
        }
    }
}

fn prepare<L: Log>(cell: Cell, lab: &Lab) -> Result<Task<'_>> {
    // The child that is to be killed; see `kill`.
    if cell.get("fault") == "writer" {
        let number = |factor| cell.number(factor).map(|n| n as u64);
        let (seed, next, sync) = (number("seed")?, number("next")?, number("sync")? as u32);
        return Ok(Box::new(move |_| {
            crash::write_until_killed::<L>(&lab.scratch, seed, next, sync)?;
            bail!("the writer was not killed")
        }));
    }
    let mut seed = 0;
    Ok(Box::new(move |calls| {
        let mut tally = Tally::default();
        for _ in 0..calls {
            seed += 1;
            tally = run::<L>(&cell, lab, seed)?;
        }
        let kept = tally.cases.saturating_sub(tally.lost + tally.wrong);
        Ok(Outcome::new(tally.cases, 0)
            .with("kept_percent", 100.0 * kept as f64 / tally.cases as f64)
            .with("cases", tally.cases as f64)
            .with("lost", tally.lost as f64)
            .with("wrong", tally.wrong as f64)
            .with("told", tally.told as f64))
    }))
}

/// Files whose lengths are part of the answer come from one seed, the others from a new one each time.
const SEED: u64 = 50;

fn run<L: Log>(cell: &Cell, lab: &Lab, seed: u64) -> Result<Tally> {
    let quick = lab.scale == Scale::Quick;
    let some = |normal: u64, small: u64| if quick { small } else { normal };
    let memory = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir_in(&lab.scratch));
    let memory = memory.context("no place for files")?;
    let dir = memory.path();
    let fault = cell.get("fault");
    Ok(match fault {
        "kill-write" | "kill-sync-100" => {
            let disk = tempfile::tempdir_in(&lab.scratch).context("no place for files")?;
            let sync = if fault == "kill-write" { 0 } else { 100 };
            kill::<L>(cell.get("store"), disk.path(), seed, some(60, 8), sync)?
        }
        "truncate" => crash::truncate::<L>(dir, SEED, some(80, 15))?,
        "flip" => crash::flip::<L>(dir, SEED, some(60, 10))?,
        "torn" => crash::torn::<L>(dir, seed, some(1000, 50))?,
        "reopen" => crash::reopen::<L>(dir, seed, some(1000, 50))?,
        other => bail!("no fault is called {other:?}"),
    })
}

/// The child is this program with `cell` and a condition that no protocol has.
fn kill<L: Log>(store: &str, dir: &Path, seed: u64, cases: u64, sync: u32) -> Result<Tally> {
    let program: PathBuf =
        std::env::current_exe().context("cannot find this program's own path")?;
    Ok(crash::kill::<L>(dir, seed, cases, |path, next| {
        let cell = format!("fault=writer,store={store},seed={seed},next={next},sync={sync}");
        let mut command = Command::new(&program);
        command.args(["cell", "050", &cell, "--scale", "quick", "--dir", "."]);
        command.arg("--scratch").arg(path);
        command
    })?)
}
