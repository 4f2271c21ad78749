//! What else a run depends on: the CPUs it may use and where its threads are kept, time the host took away, clock rate,
//! huge pages, read-ahead. What a system doesn't say stays empty.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// Recorded with every run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Surroundings {
    /// CPUs the process may run on, as `0-3,8`.
    pub(crate) allowed_cpus: String,
    /// Which threads are kept on which of them.
    pub(crate) pinned: String,
    /// Seconds of CPU time the host gave to others while the run lasted, all CPUs together.
    pub(crate) steal_s: Option<f64>,
    /// The lowest and highest clock rate of the CPUs, before the run and after.
    pub(crate) mhz: Vec<f64>,
    pub(crate) governor: String,
    /// Whether the system makes huge pages by itself: always, madvise or never.
    pub(crate) huge_pages: String,
    /// Of the device that the datasets are on.
    pub(crate) read_ahead_kb: Option<u64>,
}

impl Surroundings {
    /// Before a run.
    pub(crate) fn now(dir: &Path) -> Self {
        let cpus = super::pinning::allowed();
        Surroundings {
            allowed_cpus: ranges(&cpus),
            pinned: match cpus.is_empty() {
                true => "none: this system doesn't offer it".to_owned(),
                false => "workers of the laboratory's pools, each on a CPU; others where the system puts them".to_owned(),
            },
            steal_s: steal_s(),
            mhz: clock_rates(),
            governor: line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            huge_pages: chosen(&line("/sys/kernel/mm/transparent_hugepage/enabled")),
            read_ahead_kb: read_ahead_kb(dir),
        }
    }

    /// With what happened since.
    pub(crate) fn until_now(mut self) -> Self {
        self.steal_s = self.steal_s.zip(steal_s()).map(|(then, now)| rounded(now - then));
        self.mhz.extend(clock_rates());
        self
    }

    /// For the notebook.
    pub(crate) fn text(&self) -> String {
        let mut parts =
            vec![format!("CPUs {}", self.allowed_cpus), format!("pinned: {}", self.pinned)];
        if let Some(steal_s) = self.steal_s {
            parts.push(format!("{steal_s} s of CPU time taken by the host"));
        }
        let (low, high) =
            self.mhz.iter().fold((f64::MAX, 0.0), |(a, b): (f64, f64), v| (a.min(*v), b.max(*v)));
        if high > 0.0 {
            parts.push(format!("{low:.0} to {high:.0} MHz"));
        }
        for (name, text) in [("governor", &self.governor), ("huge pages", &self.huge_pages)] {
            if !text.is_empty() {
                parts.push(format!("{name} {text}"));
            }
        }
        if let Some(kb) = self.read_ahead_kb {
            parts.push(format!("read-ahead {kb} KB"));
        }
        parts.join(", ")
    }
}

/// Seconds taken by the host since the system started, in steps of 10 ms.
pub(crate) fn steal_s() -> Option<f64> {
    steal_of(&fs::read_to_string("/proc/stat").ok()?)
}

fn steal_of(stat: &str) -> Option<f64> {
    let fields = stat.lines().find_map(|line| line.strip_prefix("cpu "))?;
    // user, nice, system, idle, iowait, irq, softirq, steal: hundredths of a second on every Linux.
    let ticks: f64 = fields.split_whitespace().nth(7)?.parse().ok()?;
    Some(ticks / 100.0)
}

fn rounded(seconds: f64) -> f64 {
    (seconds * 100.0).round() / 100.0
}

/// The lowest and the highest.
fn clock_rates() -> Vec<f64> {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let rates = text.lines().filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == "cpu MHz").then(|| value.trim().parse::<f64>().ok())?
    });
    let (low, high) = rates.fold((f64::MAX, 0.0), |(a, b): (f64, f64), v| (a.min(v), b.max(v)));
    if high > 0.0 { vec![low, high] } else { Vec::new() }
}

fn read_ahead_kb(dir: &Path) -> Option<u64> {
    let dev = fs::metadata(dir).ok()?.dev();
    let major = ((dev >> 8) & 0xfff) | ((dev >> 32) & !0xfff);
    let minor = (dev & 0xff) | ((dev >> 12) & !0xff);
    // A partition has the setting of its disk.
    ["queue", "../queue"].into_iter().find_map(|place| {
        line(&format!("/sys/dev/block/{major}:{minor}/{place}/read_ahead_kb")).parse().ok()
    })
}

/// A file of one line; empty if there is none.
fn line(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default().trim().to_owned()
}

/// `madvise` of `always [madvise] never`.
fn chosen(text: &str) -> String {
    let inside = text.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    inside.map_or(text, |(word, _)| word).to_owned()
}

/// `0-2,5` of 0, 1, 2, 5.
fn ranges(cpus: &[usize]) -> String {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for &cpu in cpus {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == cpu => *last = cpu,
            _ => parts.push((cpu, cpu)),
        }
    }
    let text = |(a, b): &(usize, usize)| if a == b { a.to_string() } else { format!("{a}-{b}") };
    parts.iter().map(text).collect::<Vec<_>>().join(",")
}
