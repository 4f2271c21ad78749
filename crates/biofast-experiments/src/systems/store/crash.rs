//! Faults tried on a store by the thousand: its process killed, its file cut at every byte, every bit flipped, the
//! sectors behind the last sync lost at random, leftover bytes behind its end. Each case ends with opening it again and
//! comparing all keys and values with the operations that were asked for. Entry 050 and tests call it.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::{Options, Remap, Store, Writes};
use crate::rng::Rng;

/// What became of a number of cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) cases: u64,
    /// An operation that had been durable was missing, and everything before it was there.
    pub(crate) lost: u64,
    /// Anything else that differs from the state after some first operations, or, of a store that had been closed,
    /// from the state when it was, and nothing was said.
    pub(crate) wrong: u64,
    /// Opening or reading was refused with an error, or opening said that the log had not been closed.
    pub(crate) told: u64,
}

/// All keys and values.
pub(crate) type State = BTreeMap<u64, Vec<u8>>;

/// One operation: a key's new value, or none.
pub(crate) type Operation = (u64, Option<Vec<u8>>);

const PURPOSE_OPERATION: u64 = 0x6f70_6572;
const PURPOSE_FAULT: u64 = 0x6661_756c;

/// The operation with this number: inserts, updates and removals of 40 keys.
fn operation(seed: u64, number: u64) -> Operation {
    let mut rng = Rng::new(seed, PURPOSE_OPERATION, number);
    let key = rng.below(40);
    if rng.below(4) == 0 {
        return (key, None);
    }
    // Neither empty nor all zeros, which a padded log can't tell from padding.
    let len = 1 + rng.below(60);
    (key, Some((0..len).map(|_| 1 + rng.below(255) as u8).collect()))
}

fn apply(state: &mut State, (key, value): Operation) {
    match value {
        Some(value) => state.insert(key, value),
        None => state.remove(&key),
    };
}

/// What the faults are tried on.
pub(crate) trait Log: Sized {
    /// Opens or creates; true if it says that the last end was not an orderly one. None if it refuses.
    fn open(path: &Path, sync_every: u32) -> io::Result<Option<(Self, bool)>>;
    fn apply(&mut self, operation: &Operation) -> io::Result<()>;
    /// Makes everything durable.
    fn sync(&mut self) -> io::Result<()>;
    /// Ends in order.
    fn close(self) -> io::Result<()>;
    /// All keys and values; None if one is refused.
    fn state(&self) -> Option<State>;
}

impl Log for Store {
    fn open(path: &Path, sync_every: u32) -> io::Result<Option<(Self, bool)>> {
        let writes = if sync_every == 0 { Writes::One } else { Writes::Gathered };
        let options = Options { writes, sync_every, remap: Remap::Reserve };
        match Store::open(path, options) {
            Ok((store, found)) => Ok(Some((store, !found.clean))),
            Err(super::Error::Io(error)) => Err(error),
            Err(_) => Ok(None),
        }
    }

    fn apply(&mut self, operation: &Operation) -> io::Result<()> {
        match operation {
            (key, Some(value)) => self.insert(*key, value),
            (key, None) => self.remove(*key).map(|_| ()),
        }
        .map_err(io::Error::other)
    }

    fn sync(&mut self) -> io::Result<()> {
        Store::sync(self).map_err(io::Error::other)
    }

    fn close(self) -> io::Result<()> {
        Store::close(self).map_err(io::Error::other)
    }

    fn state(&self) -> Option<State> {
        self.keys().map(|key| Some((key, self.get(key).ok()??.to_vec()))).collect()
    }
}

impl Tally {
    /// Compares what was found with the states after `least` and more operations, `most` at most, and returns after how
    /// many it is the state.
    fn judge(&mut self, found: &State, seed: u64, least: u64, most: u64) -> Option<u64> {
        let mut state = State::new();
        let mut fewer = false;
        for number in 0..=most {
            if number > 0 {
                apply(&mut state, operation(seed, number));
            }
            if state == *found {
                if number >= least {
                    return Some(number);
                }
                fewer = true;
            }
        }
        if fewer {
            self.lost += 1;
        } else {
            self.wrong += 1;
        }
        None
    }
}

/// A log of so many operations and where it stood after each, closed or not.
fn written<L: Log>(
    path: &Path,
    seed: u64,
    operations: u64,
    close: bool,
) -> io::Result<(Vec<u8>, Vec<u64>)> {
    let mut ends = Vec::new();
    let Some((mut log, _)) = L::open(path, 0)? else { return Err(refused()) };
    for number in 1..=operations {
        log.apply(&operation(seed, number))?;
        ends.push(fs::metadata(path)?.len());
    }
    if close {
        log.close()?;
    }
    Ok((fs::read(path)?, ends))
}

fn refused() -> io::Error {
    io::Error::other("a log without any fault was refused")
}

/// A file cut at every byte: everything before the cut must be there, and one more operation must be kept.
pub(crate) fn truncate<L: Log>(dir: &Path, seed: u64, operations: u64) -> io::Result<Tally> {
    let path = dir.join("truncated");
    let (bytes, ends) = written::<L>(&path, seed, operations, true)?;
    let mut tally = Tally::default();
    for cut in 0..=bytes.len() {
        tally.cases += 1;
        fs::write(&path, &bytes[..cut])?;
        let Some((mut log, told)) = L::open(&path, 0)? else {
            tally.told += 1;
            continue;
        };
        tally.told += u64::from(told);
        let whole = ends.iter().filter(|end| **end <= cut as u64).count() as u64;
        let Some(found) = log.state() else {
            tally.told += 1;
            continue;
        };
        if tally.judge(&found, seed, whole, operations).is_none() {
            continue;
        }
        if cut < bytes.len() && !told && found != state_after(seed, operations) {
            tally.wrong += 1; // shorter, and nothing was said
            continue;
        }
        // Opened again with one more, it must be there.
        let more: Operation = (1000, Some(b"more".to_vec()));
        log.apply(&more)?;
        drop(log);
        let again = L::open(&path, 0)?.and_then(|(log, _)| log.state());
        let mut expected = found;
        apply(&mut expected, more);
        tally.lost += u64::from(again != Some(expected));
    }
    Ok(tally)
}

fn state_after(seed: u64, operations: u64) -> State {
    let mut state = State::new();
    (1..=operations).for_each(|number| apply(&mut state, operation(seed, number)));
    state
}

/// Every bit of the file of a closed log flipped, one at a time: it must be told, or make no difference.
pub(crate) fn flip<L: Log>(dir: &Path, seed: u64, operations: u64) -> io::Result<Tally> {
    let path = dir.join("flipped");
    let (mut bytes, _) = written::<L>(&path, seed, operations, true)?;
    let expected = state_after(seed, operations);
    let mut tally = Tally::default();
    for bit in 0..bytes.len() * 8 {
        tally.cases += 1;
        bytes[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, &bytes)?;
        bytes[bit / 8] ^= 1 << (bit % 8);
        match L::open(&path, 0)? {
            Some((log, false)) => match log.state() {
                Some(state) => tally.wrong += u64::from(state != expected),
                None => tally.told += 1,
            },
            _ => tally.told += 1,
        }
    }
    Ok(tally)
}

/// Power lost: of what came after the last sync any sectors are there or are zeros, and the file may be shorter. What had
/// been synced must be there, without a refusal.
pub(crate) fn torn<L: Log>(dir: &Path, seed: u64, cases: u64) -> io::Result<Tally> {
    const SECTOR: usize = 512;
    let path = dir.join("torn");
    let mut tally = Tally::default();
    for case in 0..cases {
        tally.cases += 1;
        let mut rng = Rng::new(seed, PURPOSE_FAULT, case);
        let seed = seed ^ case << 8;
        let _ = fs::remove_file(&path);
        let Some((mut log, _)) = L::open(&path, 0)? else { return Err(refused()) };
        let (synced, all) = (1 + rng.below(60), 61 + rng.below(60));
        let mut durable = 0;
        for number in 1..=all {
            log.apply(&operation(seed, number))?;
            if number == synced || (number < synced && rng.below(4) == 0) {
                log.sync()?;
                durable = fs::metadata(&path)?.len() as usize;
            }
        }
        drop(log);
        let mut bytes = fs::read(&path)?;
        for start in (durable / SECTOR * SECTOR..bytes.len()).step_by(SECTOR) {
            let sector = start.max(durable)..bytes.len().min(start + SECTOR);
            if rng.below(2) == 0 {
                bytes[sector].fill(0);
            }
        }
        bytes.truncate(durable + rng.below((bytes.len() - durable) as u64 + 1) as usize);
        fs::write(&path, &bytes)?;
        match L::open(&path, 0)? {
            Some((log, told)) => {
                tally.told += u64::from(told);
                match log.state() {
                    Some(found) => {
                        tally.judge(&found, seed, synced, all);
                    }
                    None => tally.wrong += 1,
                }
            }
            None => tally.lost += 1,
        }
    }
    Ok(tally)
}

/// A log opened, used and left again and again: closed, or dropped with everything written; with zeros, other bytes or
/// nothing behind its end. All operations must be there each time.
pub(crate) fn reopen<L: Log>(dir: &Path, seed: u64, cases: u64) -> io::Result<Tally> {
    let mut tally = Tally::default();
    let mut rng = Rng::new(seed, PURPOSE_FAULT, 0);
    let mut start = true;
    let path = dir.join("reopened");
    let (mut state, mut number) = (State::new(), 0);
    for _ in 0..cases {
        if start {
            let _ = fs::remove_file(&path);
            (state, number, start) = (State::new(), 0, false);
        }
        tally.cases += 1;
        let opened = L::open(&path, 0)?;
        let Some((mut log, told)) = opened else {
            (tally.lost, start) = (tally.lost + 1, true);
            continue;
        };
        tally.told += u64::from(told);
        if log.state().as_ref() != Some(&state) {
            // Again with a new file, so that one fault counts once.
            match log.state() {
                Some(found) => tally.judge(&found, seed, number, number),
                None => {
                    tally.wrong += 1;
                    None
                }
            };
            start = true;
            continue;
        }
        for _ in 0..rng.below(12) {
            number += 1;
            let next = operation(seed, number);
            log.apply(&next)?;
            apply(&mut state, next);
        }
        if rng.below(3) == 0 {
            log.close()?;
        } else {
            drop(log);
        }
        let rest = match rng.below(3) {
            0 => vec![0; rng.below(5000) as usize],
            1 => (0..rng.below(300)).map(|_| rng.next() as u8).collect(),
            _ => Vec::new(),
        };
        fs::OpenOptions::new().append(true).open(&path)?.write_all(&rest)?;
    }
    Ok(tally)
}

/// What [`kill`] starts: goes on with operation `next` of a log until it is killed, and writes the number of the last
/// one it may rely on to its standard output each time there is one.
pub(crate) fn write_until_killed<L: Log>(
    path: &Path,
    seed: u64,
    next: u64,
    sync_every: u32,
) -> io::Result<()> {
    let Some((mut log, _)) = L::open(path, sync_every)? else { return Err(refused()) };
    let mut out = io::stdout().lock();
    let step = u64::from(sync_every.max(1));
    for number in next.. {
        log.apply(&operation(seed, number))?;
        // Removals of what isn't there don't count for the log's own syncs.
        if number % step == 0 {
            if sync_every > 0 {
                log.sync()?;
            }
            out.write_all(&number.to_le_bytes())?;
            out.flush()?;
        }
    }
    Ok(())
}

/// A child process that runs [`write_until_killed`], started by `command` with path and next operation, killed (SIGKILL)
/// at a random moment, again and again on the same file. What it relied on must be there.
pub(crate) fn kill<L: Log>(
    dir: &Path,
    seed: u64,
    cases: u64,
    mut command: impl FnMut(&Path, u64) -> Command,
) -> io::Result<Tally> {
    let mut tally = Tally::default();
    let mut number = 0;
    let mut file = 0;
    let new = |file: &mut u64| -> PathBuf {
        *file += 1;
        dir.join(format!("killed-{file}"))
    };
    let mut path = new(&mut file);
    for case in 0..cases {
        tally.cases += 1;
        let mut rng = Rng::new(seed, PURPOSE_FAULT, case);
        let mut child =
            command(&path, number + 1).stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let mut out = child.stdout.take().ok_or_else(refused)?;
        let mut relied = number;
        let mut word = [0; 8];
        // So many answers are awaited, or none: then it may be killed while it opens the file.
        for _ in 0..rng.below(30) {
            if out.read_exact(&mut word).is_err() {
                break;
            }
            relied = u64::from_le_bytes(word);
        }
        std::thread::sleep(Duration::from_micros(rng.below(3000)));
        child.kill()?;
        child.wait()?;
        while out.read_exact(&mut word).is_ok() {
            relied = u64::from_le_bytes(word);
        }
        let found = match L::open(&path, 0)? {
            Some((log, told)) => {
                tally.told += u64::from(told);
                log.state()
            }
            None => None,
        };
        let known = match found {
            Some(found) => tally.judge(&found, seed, relied, relied + 500),
            None => {
                tally.lost += 1;
                None
            }
        };
        match known {
            // A file of some thousand operations takes long to compare.
            Some(known) if known < 2000 => number = known,
            _ => (path, number) = (new(&mut file), 0),
        }
    }
    Ok(tally)
}
