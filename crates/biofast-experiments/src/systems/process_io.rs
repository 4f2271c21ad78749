//! What the kernel has counted for this process: bytes that came from storage. Linux only.

/// Bytes read from storage until now, read-ahead included; none where the system doesn't say.
pub(crate) fn storage_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/io").ok()?;
    text.lines().find_map(|line| line.strip_prefix("read_bytes: "))?.parse().ok()
}
