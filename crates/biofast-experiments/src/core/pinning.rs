//! Keeps a thread on one CPU, so that two threads of a repetition never share a core by chance. Linux only; elsewhere
//! threads run where the system puts them, which the manifest says.

/// The CPUs this process may run on; none where that can't be known or asked for.
#[cfg(target_os = "linux")]
pub(crate) fn allowed() -> Vec<usize> {
    let Ok(set) = rustix::thread::sched_getaffinity(None) else { return Vec::new() };
    (0..rustix::thread::CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu)).collect()
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn allowed() -> Vec<usize> {
    Vec::new()
}

/// Keeps the calling thread on the CPU of that place among those allowed; threads beyond their number share.
#[cfg(target_os = "linux")]
pub(crate) fn pin(cpus: &[usize], place: usize) {
    let Some(cpu) = cpus.get(place % cpus.len().max(1)) else { return };
    let mut set = rustix::thread::CpuSet::new();
    set.set(*cpu);
    // A thread that can't be pinned still computes; the manifest's CPU times show where two shared one.
    let _ = rustix::thread::sched_setaffinity(None, &set);
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn pin(_: &[usize], _: usize) {}
