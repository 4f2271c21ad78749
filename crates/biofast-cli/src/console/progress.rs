//! A progress bar on standard error, for people who watch.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use biofast::io::Progress;
use indicatif::{HumanBytes, HumanDuration, ProgressBar, ProgressStyle};

/// Shows a bar until dropped, if standard error is a terminal and `quiet` isn't set.
pub(crate) struct Bar {
    thread: Option<std::thread::JoinHandle<()>>,
    done: Arc<AtomicBool>,
}

impl Bar {
    /// Follows `progress` towards `total` bytes, if that is known.
    pub(crate) fn new(progress: &Arc<Progress>, total: Option<u64>, quiet: bool) -> Bar {
        let done = Arc::new(AtomicBool::new(false));
        if quiet || crate::embedded::is_guest() || !std::io::stderr().is_terminal() {
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
                Some(total) => ProgressBar::new(total)
                    .with_style(style("{bar:30} {bytes}/{total_bytes}, {msg}")),
                None => ProgressBar::no_length().with_style(style("{spinner} {bytes}, {msg}")),
            };
            let mut first = always;
            while std::mem::take(&mut first) || !stop.load(Ordering::Acquire) {
                let bytes = progress.bytes();
                bar.set_position(bytes);
                bar.set_message(pace(bytes, total, start.elapsed()));
                bar.tick();
                std::thread::park_timeout(Duration::from_millis(200));
            }
            bar.finish_and_clear();
        };
        // Without a thread to spare there is no bar.
        Bar { thread: std::thread::Builder::new().spawn(follow).ok(), done }
    }
}

/// The rate and the time left, since the beginning: what was read before the bar was there counts for the time it took.
fn pace(bytes: u64, total: Option<u64>, elapsed: Duration) -> String {
    let rate = bytes as f64 / elapsed.as_secs_f64().max(0.001);
    let left = total.map_or(String::new(), |total| match bytes {
        0 => ", some time left".into(),
        _ => {
            let left = total.saturating_sub(bytes) as f64 / rate;
            // Rates change: more than a week is no forecast.
            let left = Duration::from_secs_f64(left.min(604_800.0).round());
            format!(", {} left", HumanDuration(left))
        }
    });
    format!("{}/s{left}", HumanBytes(rate as u64))
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
    fn the_pace_is_that_since_the_beginning() {
        let pace = |bytes, total, millis| pace(bytes, total, Duration::from_millis(millis));
        assert_eq!(pace(3 << 20, Some(9 << 20), 1500), "2.00 MiB/s, 3 seconds left");
        assert_eq!(pace(1 << 30, None, 2000), "512.00 MiB/s");
        assert_eq!(pace(0, Some(5), 5000), "0 B/s, some time left");
        assert_eq!(pace(9, Some(u64::MAX), 1000), "9 B/s, 7 days left");
    }
}
