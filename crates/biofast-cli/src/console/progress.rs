//! A progress bar on standard error, for people who watch.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use biofast::io::Progress;
use indicatif::{ProgressBar, ProgressStyle};

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
        let follow = move || {
            // Short runs show nothing, unless a test wants to see what longer ones show.
            let always = std::env::var_os("BIOFAST_PROGRESS").is_some_and(|how| how == "always");
            if !always {
                std::thread::park_timeout(Duration::from_millis(300));
            }
            let bar = match total {
                Some(total) => ProgressBar::new(total).with_style(style(
                    "{bar:30} {bytes}/{total_bytes}, {bytes_per_sec}, {eta} left",
                )),
                None => {
                    ProgressBar::no_length().with_style(style("{spinner} {bytes}, {bytes_per_sec}"))
                }
            };
            let mut first = always;
            while std::mem::take(&mut first) || !stop.load(Ordering::Acquire) {
                bar.set_position(progress.bytes());
                bar.tick();
                std::thread::park_timeout(Duration::from_millis(200));
            }
            bar.finish_and_clear();
        };
        // Without a thread to spare there is no bar.
        Bar { thread: std::thread::Builder::new().spawn(follow).ok(), done }
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
