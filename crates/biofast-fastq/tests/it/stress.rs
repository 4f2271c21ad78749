//! Many short runs of the pipeline with delays and failures in every stage: each must end, and say the same as a run
//! without threads. `BIOFAST_STRESS` sets their number.

use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use biofast_fastq::{Batch, Fold, Inputs, Transform, Unit, write_record};
use biofast_io::output::{Compression, Format, Output, commit};
use biofast_io::{IoMode, Options, Source};
use biofast_testkit::container::{KINDS, wrap};

/// A run that takes longer hangs: one takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(120);

/// Numbers that only look random, for all threads of a run.
struct Chance(AtomicU64);

impl Chance {
    fn below(&self, bound: u64) -> u64 {
        let mut x = self.0.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (x ^ (x >> 31)) % bound
    }

    /// Waits now and then, or lets another thread go first.
    fn delay(&self) {
        match self.below(12) {
            0 => std::thread::sleep(Duration::from_micros(self.below(300))),
            1 | 2 => std::thread::yield_now(),
            _ => {}
        }
    }
}

/// What goes wrong in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trouble {
    None,
    /// A read fails after so many bytes.
    Read(usize),
    /// A read panics after so many bytes.
    ReadPanics(usize),
    /// The data end too early.
    Cut(usize),
    /// A bit is wrong somewhere.
    Flip(usize),
    /// A record is malformed.
    Record(usize),
    /// The user's closure panics at this record.
    Accept(u64),
    /// A write fails after so many bytes.
    Write(usize),
    /// A write panics after so many bytes.
    WritePanics(usize),
}

/// Gives bytes in pieces of any size, slowly, and fails where it should.
struct Slow {
    data: Vec<u8>,
    at: usize,
    trouble: Trouble,
    chance: Arc<Chance>,
}

impl Read for Slow {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.chance.delay();
        match self.trouble {
            Trouble::Read(at) if self.at >= at => return Err(io::Error::other("a bad disk")),
            Trouble::ReadPanics(at) if self.at >= at => panic!("a bad reader"),
            _ => {}
        }
        if self.chance.below(20) == 0 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let mut n =
            (1 + self.chance.below(400) as usize).min(out.len()).min(self.data.len() - self.at);
        if let Trouble::Read(at) | Trouble::ReadPanics(at) = self.trouble {
            // What comes before is given whatever the sizes of reads.
            n = n.min(at - self.at);
        }
        out[..n].copy_from_slice(&self.data[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}

/// Takes bytes slowly and fails where it should.
struct Full(usize, Trouble, Arc<Chance>);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.2.delay();
        match self.1 {
            Trouble::Write(at) if self.0 >= at => return Err(io::ErrorKind::StorageFull.into()),
            Trouble::WritePanics(at) if self.0 >= at => panic!("a bad writer"),
            _ => {}
        }
        let mut n = bytes.len().min(1 + self.2.below(3000) as usize);
        if let Trouble::Write(at) | Trouble::WritePanics(at) = self.1 {
            n = n.min(at - self.0);
        }
        self.0 += n;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What a run gave: records used and what ended it, or that it panicked.
type Ending = Option<(u64, Option<String>)>;

/// The same run on other threads with other delays.
fn run(seed: u64, threads: usize) -> Ending {
    let plan = Chance(AtomicU64::new(seed));
    let kind = KINDS[plan.below(KINDS.len() as u64) as usize];
    let n = 1 + plan.below(60);
    let mut text: Vec<u8> =
        (0..n).flat_map(|i| format!("@r{i}\nACGTACGT{i}\n+\nIIIIIIII{i}\n").into_bytes()).collect();
    let at = |len: usize| plan.below(len as u64 + 1) as usize;
    let trouble = match plan.below(10) {
        0 => Trouble::Read(at(900)),
        1 => Trouble::ReadPanics(at(900)),
        2 => Trouble::Cut(at(900)),
        3 => Trouble::Flip(at(900)),
        4 => Trouble::Record(at(text.len() - 1)),
        5 => Trouble::Accept(plan.below(n)),
        6 => Trouble::Write(at(900)),
        7 => Trouble::WritePanics(at(900)),
        _ => Trouble::None,
    };
    if let Trouble::Record(at) = trouble {
        text[at] = 1;
    }
    let mut data = wrap(kind, &text);
    match trouble {
        Trouble::Cut(at) => data.truncate(at),
        Trouble::Flip(at) if !data.is_empty() => {
            let at = at % data.len();
            data[at] ^= 4;
        }
        _ => {}
    }
    let chunk_size = 1 + plan.below(500) as usize;
    let writes = plan.below(2) == 0;
    let format = [Format::Plain, Format::Bgzf, Format::Zstd][plan.below(3) as usize];
    let chance = Arc::new(Chance(AtomicU64::new(seed ^ threads as u64)));
    let slow = Slow { data, at: 0, trouble, chance: Arc::clone(&chance) };
    let source = Source::from_reader("x", slow);
    let options = Options { threads, chunk_size, io: IoMode::Read, ..Options::serial() };
    let use_record = |number: u64| {
        chance.delay();
        assert!(trouble != Trouble::Accept(number), "a bad closure");
    };
    catch_unwind(AssertUnwindSafe(|| {
        if !writes {
            let accept = |count: &mut u64, batch: Batch<'_>| {
                for (number, _) in (batch.first_record()..).zip(batch.iter()) {
                    use_record(number);
                    *count += 1;
                }
            };
            return match Fold::new(source).options(&options).run(|| 0, accept, |a, b| *a += b) {
                Ok(count) => (count, None),
                Err(fault) => (fault.so_far, Some(fault.error.to_string())),
            };
        }
        let compression = Compression::new(format, None).unwrap();
        let out = Full(0, trouble, Arc::clone(&chance));
        let mut outputs = vec![Output::stream("out", out, compression)];
        let result = Transform::new(Inputs::Single(source)).options(&options).run(
            &mut outputs,
            || 0u64,
            |count, unit: Unit<'_>, texts| {
                use_record(unit.index);
                *count += 1;
                write_record(&mut texts[0], &unit.first).unwrap();
            },
            |a, b| *a += b,
        );
        match result.map_err(|e| e.to_string()) {
            Ok(count) => match commit(outputs, false) {
                Ok(()) => (count, None),
                Err(error) => (0, Some(error.to_string())),
            },
            // How many records were used before is not told.
            Err(error) => (0, Some(error)),
        }
    }))
    .ok()
}

#[test]
fn every_run_ends_and_says_the_same() {
    let runs = std::env::var("BIOFAST_STRESS").map_or(300, |n| n.parse().unwrap());
    // Panics are part of it: their messages aren't.
    std::panic::set_hook(Box::new(|_| {}));
    let (done, finished) = channel();
    let watched = std::thread::spawn(move || {
        let (mut failed, mut panicked) = (0u32, 0u32);
        for seed in 0..runs {
            let expected = run(seed, 1);
            let threads = 2 + (seed % 7) as usize;
            let found = run(seed, threads);
            if done.send((seed, threads, expected.clone(), found)).is_err() {
                return (failed, panicked);
            }
            failed += u32::from(matches!(expected, Some((_, Some(_)))));
            panicked += u32::from(expected.is_none());
        }
        (failed, panicked)
    });
    let mut last = None;
    loop {
        match finished.recv_timeout(PATIENCE) {
            Ok((seed, threads, expected, found)) => {
                if found != expected {
                    let _ = std::panic::take_hook();
                    panic!("run {seed} on {threads} threads: {found:?}, and on one: {expected:?}");
                }
                last = Some(seed);
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                let _ = std::panic::take_hook();
                panic!("the run after {last:?} hangs");
            }
        }
    }
    let _ = std::panic::take_hook();
    let (failed, panicked) = watched.join().unwrap();
    println!("{runs} runs twice: {failed} failed, {panicked} panicked, all ended alike");
    assert!(failed > 0 && panicked > 0 && u64::from(failed + panicked) < runs);
}
