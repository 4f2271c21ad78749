//! One system call that fails, or is met by a signal: `strace` counts and injects.
//!
//! It counts for each thread and each call by itself, so the N-th call is failed in every thread that gets so far; with
//! one thread that is one call of the run. Calls of the dynamic loader count too: they stand at the start.

use std::collections::HashMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What stands in the place of the call where the sizes of files are limited.
pub(super) const LIMIT: &str = "RLIMIT_FSIZE";

/// What is done to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It fails with this error, once.
    Error(&'static str),
    /// It and all after it fail with this error.
    Lasting(&'static str),
    /// The program gets this signal when it enters the call.
    Signal(&'static str),
    /// No file may get more bytes than N: the write that would exceed them is cut short, and the next one fails.
    Limit,
}

/// Faults that are counted together: a column of the table.
pub(super) struct Kind {
    pub(super) name: &'static str,
    /// Which calls; none are all there are.
    pub(super) calls: &'static [&'static str],
    pub(super) faults: &'static [Fault],
}

const READS: &[&str] = &["read", "pread64", "readv", "preadv"];
const WRITES: &[&str] = &["write", "pwrite64", "writev", "fallocate", "ftruncate"];

pub(super) const KINDS: [Kind; 12] = [
    Kind { name: "read", calls: READS, faults: &[Fault::Error("EIO")] },
    Kind {
        name: "write",
        calls: WRITES,
        faults: &[Fault::Error("ENOSPC"), Fault::Error("EIO"), Fault::Lasting("ENOSPC")],
    },
    Kind { name: "short write", calls: &[LIMIT], faults: &[Fault::Limit] },
    Kind {
        name: "interrupted",
        calls: &["read", "pread64", "write", "pwrite64"],
        faults: &[Fault::Error("EINTR")],
    },
    Kind { name: "close", calls: &["close"], faults: &[Fault::Error("EIO")] },
    Kind {
        name: "rename",
        calls: &["rename", "renameat", "renameat2", "link", "linkat"],
        faults: &[Fault::Error("EIO"), Fault::Error("EACCES"), Fault::Lasting("EIO")],
    },
    Kind {
        name: "fsync",
        calls: &["fsync", "fdatasync", "sync_file_range"],
        faults: &[Fault::Error("EIO"), Fault::Lasting("EIO")],
    },
    Kind {
        name: "memory",
        calls: &["mmap", "brk", "mprotect", "mremap"],
        faults: &[Fault::Error("ENOMEM"), Fault::Lasting("ENOMEM")],
    },
    Kind {
        name: "thread",
        calls: &["clone", "clone3"],
        faults: &[Fault::Error("EAGAIN"), Fault::Lasting("EAGAIN")],
    },
    Kind {
        name: "other",
        calls: &[
            "openat", "mkdir", "statx", "newfstatat", "fstat", "lseek", "fcntl", "flock", "fchmod",
            "chmod", "fchown", "chown", "unlink", "unlinkat", "getdents64", "readlink", "getcwd",
            "madvise", "fadvise64", "dup",
        ],
        faults: &[Fault::Error("EIO")],
    },
    Kind { name: "SIGKILL", calls: &[], faults: &[Fault::Signal("KILL")] },
    Kind {
        name: "SIGTERM, SIGINT, SIGHUP",
        calls: &[],
        faults: &[Fault::Signal("TERM"), Fault::Signal("INT"), Fault::Signal("HUP")],
    },
];

/// Calls after which nothing of the program is left to look at, and the one that starts it.
const NO_CALLS: [&str; 4] = ["execve", "exit", "exit_group", "rt_sigreturn"];

impl Kind {
    pub(super) fn has(&self, call: &str) -> bool {
        match self.calls {
            [] => !NO_CALLS.contains(&call),
            calls => calls.contains(&call),
        }
    }
}

/// The N-th call of a name, and what is done to it.
#[derive(Clone, Debug)]
pub(super) struct Injection {
    pub(super) call: String,
    pub(super) n: usize,
    pub(super) fault: Fault,
    /// The call is one of the loader or the runtime, before `main`: they don't always say what is wrong, and can't go on
    /// without memory.
    pub(super) early: bool,
}

impl Injection {
    /// The options of `strace`.
    pub(super) fn options(&self) -> Vec<String> {
        let Injection { call, n, fault, .. } = self;
        if *fault == Fault::Limit {
            return vec!["-e".into(), "trace=none".into()];
        }
        let how = match fault {
            // The kernel has no error for it: it returns the end as it is.
            Fault::Error(_) if call == "brk" => format!("retval=0:when={n}"),
            Fault::Lasting(_) if call == "brk" => format!("retval=0:when={n}+"),
            Fault::Error(error) => format!("error={error}:when={n}"),
            Fault::Lasting(error) => format!("error={error}:when={n}+"),
            Fault::Signal(signal) => format!("signal={signal}:when={n}"),
            Fault::Limit => String::new(),
        };
        let mut options = vec!["-e".into(), format!("trace={call}")];
        options.extend(["-e".into(), format!("inject={call}:{how}")]);
        if !matches!(fault, Fault::Signal(_)) {
            // Faster: only these calls stop the program. Signals aren't delivered then.
            options.push("--seccomp-bpf".into());
        }
        options
    }
}

impl Injection {
    /// What stands before the command.
    pub(super) fn prefix(&self) -> Vec<String> {
        match self.fault {
            Fault::Limit => vec!["prlimit".into(), format!("--fsize={}", self.n)],
            _ => Vec::new(),
        }
    }
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Code(i32),
    Signal(i32),
    /// It had to be killed.
    Hung,
}

/// What a run under `strace` left beside its files.
pub(super) struct Traced {
    pub(super) end: End,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: String,
    pub(super) log: String,
}

/// No run of these takes a second without `strace`.
const PATIENCE: Duration = Duration::from_secs(90);

/// Runs a program in `folder` under `strace`; what it prints and the log go to files in `beside`.
pub(super) fn trace(
    options: &[String],
    program: &[String],
    folder: &Path,
    beside: &Path,
    stdin: Option<&str>,
) -> Traced {
    let [log, stdout, stderr] = ["log", "stdout", "stderr"].map(|name| beside.join(name));
    // A signal that is ignored here, as in a job in the background, stays ignored by the program.
    let mut command = Command::new("env");
    command
        .args(["--default-signal", "strace", "-f", "-qq", "-y", "-o"])
        .arg(&log)
        .args(options)
        .args(program);
    command.current_dir(folder).env_remove("RUST_BACKTRACE");
    command.stdin(match stdin {
        Some(name) => std::fs::File::open(folder.join(name)).unwrap().into(),
        None => Stdio::null(),
    });
    command.stdout(std::fs::File::create(&stdout).unwrap());
    command.stderr(std::fs::File::create(&stderr).unwrap());
    let mut child = command.spawn().unwrap();
    let begin = Instant::now();
    let mut hung = false;
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begin.elapsed() > PATIENCE && !hung {
            hung = true;
            let log = std::fs::read_to_string(&log).unwrap_or_default();
            let pid = log.split_whitespace().next().unwrap_or_default().to_owned();
            let _ = Command::new("kill").args(["-KILL", &pid]).status();
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    use std::os::unix::process::ExitStatusExt;
    let end = match (status.code(), status.signal()) {
        _ if hung => End::Hung,
        (Some(code), _) => End::Code(code),
        (None, signal) => End::Signal(signal.unwrap_or_default()),
    };
    Traced {
        end,
        stdout: std::fs::read(stdout).unwrap(),
        stderr: String::from_utf8_lossy(&std::fs::read(stderr).unwrap()).into_owned(),
        log: std::fs::read_to_string(log).unwrap_or_default(),
    }
}

/// How often a call is made.
#[derive(Clone, Copy, Default)]
pub(super) struct Count {
    /// By the thread that makes it most.
    pub(super) most: usize,
    /// By the first thread, before `main`.
    pub(super) early: usize,
}

/// How often each call is made.
pub(super) fn counts(log: &str) -> HashMap<String, Count> {
    let mut threads: HashMap<(&str, &str), usize> = HashMap::new();
    let mut counts: HashMap<String, Count> = HashMap::new();
    // The runtime of the first thread is ready when it has a stack for signals.
    let mut stacks = 0;
    for line in log.lines() {
        let Some((thread, rest)) = line.split_once(' ') else { continue };
        let Some((call, _)) = rest.trim_start().split_once('(') else { continue };
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !call.is_empty() && call.chars().all(is_name) {
            let made = threads.entry((thread, call)).or_default();
            *made += 1;
            let count = counts.entry(call.to_owned()).or_default();
            count.most = count.most.max(*made);
            stacks += usize::from(call == "sigaltstack");
            count.early += usize::from(stacks < 2);
        }
    }
    counts
}
