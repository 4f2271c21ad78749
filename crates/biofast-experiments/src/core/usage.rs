//! What this process has used so far: CPU time and page faults, by getrusage. The runner takes the
//! difference around each repetition.
#![allow(unsafe_code)]

use std::ops::Sub;

/// Resources of the process, all threads together.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Resources {
    pub(crate) user_s: f64,
    pub(crate) sys_s: f64,
    pub(crate) minor_faults: f64,
    pub(crate) major_faults: f64,
}

/// Resources used until now.
pub(crate) fn now() -> Resources {
    // SAFETY: `rusage` is a C struct of integers, for which all zeros is a valid value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a live, writable local of the type that getrusage fills in. It can't fail
    // with these arguments; if it did, the zeros would stay.
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) };
    let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 / 1e6;
    Resources {
        user_s: seconds(usage.ru_utime),
        sys_s: seconds(usage.ru_stime),
        minor_faults: usage.ru_minflt as f64,
        major_faults: usage.ru_majflt as f64,
    }
}

/// The largest resident set of this process since it was loaded, file pages included; Linux only. What wait4
/// reports of a child begins with the resident set of its parent, which this leaves out.
pub(crate) fn peak_rss_kb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

impl Sub for Resources {
    type Output = Resources;

    fn sub(self, earlier: Resources) -> Resources {
        Resources {
            user_s: self.user_s - earlier.user_s,
            sys_s: self.sys_s - earlier.sys_s,
            minor_faults: self.minor_faults - earlier.minor_faults,
            major_faults: self.major_faults - earlier.major_faults,
        }
    }
}
