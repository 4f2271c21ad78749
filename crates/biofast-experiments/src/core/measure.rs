//! Runs one child process and says what it cost: wall time, CPU time, memory and page faults. Called by the
//! benchmark for every run.
//!
//! `ru_maxrss` counts mapped file pages, so a program that maps its input looks as large as the input. A
//! thread therefore also samples `RssAnon` in `/proc/PID/status` every 5 ms (Linux only); a peak shorter
//! than that can be missed.
#![allow(unsafe_code)]

use std::ffi::OsString;
use std::fs::{self};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

use crate::files;

const SAMPLE_EVERY: Duration = Duration::from_millis(5);

/// What a run cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Usage {
    /// Seconds from before the process is created until it is reaped.
    pub(crate) wall_s: f64,
    pub(crate) user_s: f64,
    pub(crate) sys_s: f64,
    /// Largest resident set, file pages included.
    pub(crate) max_rss_kb: u64,
    /// Largest anonymous resident set that was sampled; `None` if none was.
    pub(crate) peak_anon_kb: Option<u64>,
    pub(crate) minor_faults: u64,
    pub(crate) major_faults: u64,
    /// Blocks read from a disk: 0 shows that the page cache held everything.
    pub(crate) in_blocks: u64,
    /// Bytes given to write calls, pipes between the processes of a shell line included; `None` where the
    /// system does not say.
    pub(crate) written: Option<u64>,
    /// Exit code, or 128 + signal.
    pub(crate) exit: i32,
}

/// Runs `program` in `dir`; standard output goes to a file, or nowhere.
pub(crate) fn run(
    program: &Path,
    args: &[OsString],
    dir: &Path,
    stdout: Option<&Path>,
    stderr: &Path,
) -> Result<Usage> {
    run_with(program, args, &[], dir, stdout, stderr)
}

/// The same with environment variables of its own.
pub(crate) fn run_with(
    program: &Path,
    args: &[OsString],
    environment: &[(&str, String)],
    dir: &Path,
    stdout: Option<&Path>,
    stderr: &Path,
) -> Result<Usage> {
    let create = |path: &Path| files::create(path);
    let stdout = stdout.map(create).transpose()?.map_or_else(Stdio::null, Stdio::from);
    let mut command = Command::new(program);
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    command.args(args).current_dir(dir).stdin(Stdio::null()).stdout(stdout).stderr(create(stderr)?);

    let start = Instant::now();
    let child = command.spawn().with_context(|| format!("cannot start {}", program.display()))?;
    let pid = child.id();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let sampler = scope.spawn(|| sample_anon(pid, &done));
        let ended = await_end(pid);
        let wall_s = start.elapsed().as_secs_f64();
        let written = bytes_written(pid);
        let reaped = ended.and_then(|()| reap(pid));
        done.store(true, Ordering::Relaxed);
        sampler.thread().unpark();
        let peak_anon_kb = sampler.join().unwrap_or(None);
        let (status, usage) = reaped.context("wait4 failed")?;
        let exit = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
        Ok(Usage { wall_s, peak_anon_kb, written, exit, ..usage })
    })
}

/// Waits until the child has ended, but leaves it there to be asked what it did.
fn await_end(pid: u32) -> std::io::Result<()> {
    loop {
        // SAFETY: `siginfo_t` is a C struct of integers and pointers, for which all zeros is a valid value.
        let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
        // SAFETY: the pointer is to a live, writable local of the type that waitid fills in; `pid` is a child
        // of this process that nobody else waits for.
        let got = unsafe {
            libc::waitid(
                libc::P_PID,
                pid as libc::id_t,
                &raw mut info,
                libc::WEXITED | libc::WNOWAIT,
            )
        };
        if got == 0 {
            return Ok(());
        }
        let error = std::io::Error::last_os_error();
        if error.kind() != std::io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// What the child, which has ended, and its own children gave to write calls (Linux only).
fn bytes_written(pid: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/io")).ok()?;
    text.lines().find_map(|line| line.strip_prefix("wchar:"))?.trim().parse().ok()
}

/// Collects the child and returns its status and resource usage.
fn reap(pid: u32) -> std::io::Result<(ExitStatus, Usage)> {
    let mut status = 0;
    // SAFETY: `rusage` is a C struct of integers, for which all zeros is a valid value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both pointers are to live, writable locals of the types that wait4 fills in; `pid` is a
        // child of this process that nobody else waits for.
        let got = unsafe { libc::wait4(pid as libc::pid_t, &raw mut status, 0, &raw mut usage) };
        if got >= 0 {
            break;
        }
        let error = std::io::Error::last_os_error();
        if error.kind() != std::io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 / 1e6;
    let max_rss = usage.ru_maxrss as u64;
    Ok((
        ExitStatus::from_raw(status),
        Usage {
            user_s: seconds(usage.ru_utime),
            sys_s: seconds(usage.ru_stime),
            max_rss_kb: if cfg!(target_os = "macos") { max_rss / 1024 } else { max_rss },
            minor_faults: usage.ru_minflt as u64,
            major_faults: usage.ru_majflt as u64,
            in_blocks: usage.ru_inblock as u64,
            ..Usage::default()
        },
    ))
}

/// The largest `RssAnon` seen until `done`.
fn sample_anon(pid: u32, done: &AtomicBool) -> Option<u64> {
    let path = format!("/proc/{pid}/status");
    let mut peak = None;
    while !done.load(Ordering::Relaxed) {
        peak = peak.max(fs::read_to_string(&path).ok().and_then(|text| parse_anon(&text)));
        std::thread::park_timeout(SAMPLE_EVERY);
    }
    peak
}

fn parse_anon(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}
