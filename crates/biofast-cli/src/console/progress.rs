//! A progress bar on standard error, for people who watch.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use biofast_io::{Phase, Progress};
use indicatif::{HumanBytes, HumanCount, HumanDuration, ProgressBar, ProgressStyle};

use super::lines::Console;

/// Shows a bar until dropped, if standard error is a terminal and `quiet` isn't set.
pub(crate) struct Bar {
    thread: Option<std::thread::JoinHandle<()>>,
    done: Arc<AtomicBool>,
}

impl Bar {
    /// Follows `progress` towards `total` bytes, if that is known.
    pub(crate) fn new(
        console: &Console,
        progress: &Arc<Progress>,
        total: Option<u64>,
        quiet: bool,
    ) -> Bar {
        let done = Arc::new(AtomicBool::new(false));
        if quiet || !console.is_stderr() || !std::io::stderr().is_terminal() {
            return Bar { thread: None, done };
        }
        let (progress, stop) = (Arc::clone(progress), Arc::clone(&done));
        let start = Instant::now();
        let follow = move || {
            // Short runs show nothing, unless a test wants to see what longer ones show.
            let always = std::env::var_os("BIOFAST_PROGRESS").is_some_and(|how| how == "always");
            if !always {
                std::thread::park_timeout(Duration::from_millis(300));
            }
            let bar = match total {
                Some(total) => ProgressBar::new(total).with_style(style("{bar:20} {wide_msg}")),
                None => ProgressBar::no_length().with_style(style("{spinner} {wide_msg}")),
            };
            // A phase that counts records has a clock of its own.
            let mut own: Option<(Phase, Instant)> = None;
            loop {
                let is_over = stop.load(Ordering::Acquire);
                if is_over && !always {
                    break;
                }
                let bytes = progress.bytes();
                let message = match progress.phase() {
                    Some((phase @ Phase { name, total: Some(total) }, done)) => {
                        let (_, began) = match own {
                            Some(own) if own.0 == phase => own,
                            _ => *own.insert((phase, Instant::now())),
                        };
                        bar.set_style(style("{bar:20} {wide_msg}"));
                        bar.set_length(total);
                        bar.set_position(done);
                        format!("{name}: {}", counted(done, total, began.elapsed()))
                    }
                    phase => {
                        bar.set_position(bytes);
                        let text = said(progress.input().as_deref(), bytes, total, start.elapsed());
                        match phase {
                            Some((Phase { name, .. }, _)) => format!("{name}: {text}"),
                            None => text,
                        }
                    }
                };
                bar.set_message(message);
                bar.tick();
                if is_over {
                    break;
                }
                std::thread::park_timeout(Duration::from_millis(200));
            }
            bar.finish_and_clear();
        };
        // Without a thread to spare there is no bar.
        Bar { thread: std::thread::Builder::new().spawn(follow).ok(), done }
    }
}

/// Letters of a file's name that are shown; of longer ones the end, which tells them apart.
const NAME: usize = 30;
/// Before this there is nothing to tell a rate from: the first bytes are read at once, and used later.
const SETTLED: Duration = Duration::from_millis(500);

/// How far it is: of all inputs the share that was read, the rate, the time left, and the file at hand. What was read before the
/// bar was there counts for the time it took.
fn said(input: Option<&str>, bytes: u64, total: Option<u64>, elapsed: Duration) -> String {
    let mut text = match total {
        // A file that grows is longer than it was said to be.
        Some(total) => format!(
            "{} % of {}",
            (100.0 * bytes as f64 / total.max(1) as f64).min(100.0) as u64,
            HumanBytes(total)
        ),
        None => HumanBytes(bytes).to_string(),
    };
    if bytes > 0 && elapsed >= SETTLED {
        let rate = bytes as f64 / elapsed.as_secs_f64();
        text += &format!(", {}/s", HumanBytes(rate as u64));
        match total {
            // All was read, and what is done with it takes a time that isn't known.
            Some(total) if bytes >= total => text += ", finishing",
            Some(total) => text += &left((total - bytes) as f64 / rate),
            None => {}
        }
    }
    match input {
        Some(input) => text + ": " + &shortened(input),
        None => text,
    }
}

/// How far a phase is that counts records.
fn counted(done: u64, total: u64, elapsed: Duration) -> String {
    let share = (100.0 * done as f64 / total.max(1) as f64).min(100.0) as u64;
    let mut text = format!("{share} % of {} records", HumanCount(total));
    if done > 0 && elapsed >= SETTLED {
        let rate = done as f64 / elapsed.as_secs_f64();
        text += &match done >= total {
            true => ", finishing".to_owned(),
            false => left((total - done) as f64 / rate),
        };
    }
    text
}

fn left(seconds: f64) -> String {
    // Rates change: more than a week is no forecast.
    let left = Duration::from_secs_f64(seconds.min(604_800.0).round());
    format!(", {} left", HumanDuration(left))
}

/// The file's name without its folder, and no longer than there is room for.
fn shortened(input: &str) -> String {
    let name = input.rsplit('/').next().unwrap_or(input);
    let name: Vec<char> = name.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
    match name.len().checked_sub(NAME) {
        None | Some(0) => name.into_iter().collect(),
        Some(more) => std::iter::once('…').chain(name.into_iter().skip(more + 1)).collect(),
    }
}

fn style(template: &str) -> ProgressStyle {
    // The templates are constants; an invalid one would show in the first run.
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // A bar that fails must not take the result with it.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_sane_from_the_first_moment() {
        let said =
            |input, bytes, total, millis| said(input, bytes, total, Duration::from_millis(millis));
        let name = Some("lane/R1.fq.gz");
        assert_eq!(said(name, 0, Some(9 << 20), 0), "0 % of 9.00 MiB: R1.fq.gz");
        // The first chunk is read in no time: that is no rate.
        assert_eq!(said(name, 1 << 20, Some(9 << 20), 1), "11 % of 9.00 MiB: R1.fq.gz");
        assert_eq!(
            said(name, 3 << 20, Some(9 << 20), 1500),
            "33 % of 9.00 MiB, 2.00 MiB/s, 3 seconds left: R1.fq.gz"
        );
        assert_eq!(said(None, 1 << 30, None, 2000), "1.00 GiB, 512.00 MiB/s");
        assert_eq!(said(None, 0, Some(5), 5000), "0 % of 5 B");
        assert_eq!(said(None, 9, Some(u64::MAX), 1000), "0 % of 16.00 EiB, 9 B/s, 7 days left");
        assert_eq!(said(None, 9, Some(5), 1000), "100 % of 5 B, 9 B/s, finishing");
        let counted = |done, millis| counted(done, 4000, Duration::from_millis(millis));
        assert_eq!(counted(0, 0), "0 % of 4,000 records");
        assert_eq!(counted(1000, 2000), "25 % of 4,000 records, 6 seconds left");
        assert_eq!(counted(4000, 2000), "100 % of 4,000 records, finishing");
        let long =
            said(Some("a/b\n_a_very_long_name_of_a_sample_L001_R2_001.fastq.gz"), 0, None, 0);
        assert_eq!(long, "0 B: …a_sample_L001_R2_001.fastq.gz");
        assert_eq!(shortened("x\u{1b}[2J"), "x?[2J");
    }
}
