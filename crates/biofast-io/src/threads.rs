//! How many threads this process may use.

/// The number of threads this process may use: what the scheduler's affinity mask and the
/// cgroup's CPU quota allow, at least 1.
pub fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
