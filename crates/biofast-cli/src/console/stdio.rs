//! Standard output and signals, as the program finds them.
#![cfg_attr(unix, allow(unsafe_code))]

use std::process::Child;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Whether standard output was closed when the program was started.
///
/// The runtime of Rust opens `/dev/null` in the place of closed standard descriptors before `main`, so that what is
/// printed there would vanish without an error. So this is looked at before.
pub(crate) fn stdout_was_closed() -> bool {
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    return early::STDOUT_WAS_CLOSED.load(std::sync::atomic::Ordering::Relaxed);
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    false
}

/// The name of the file that the shell made standard output, on Linux.
pub(crate) fn name_of_stdout() -> Option<std::path::PathBuf> {
    let name = std::fs::read_link("/proc/self/fd/1").ok()?;
    // Pipes and sockets have names of other forms.
    (name.is_absolute() && name.is_file()).then_some(name)
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
mod early {
    use std::sync::atomic::{AtomicBool, Ordering};

    pub(super) static STDOUT_WAS_CLOSED: AtomicBool = AtomicBool::new(false);

    // SAFETY: the loader calls every pointer in this section before `main`; the function needs nothing of the runtime.
    #[used]
    #[cfg_attr(target_os = "linux", unsafe(link_section = ".init_array"))]
    #[cfg_attr(target_os = "macos", unsafe(link_section = "__DATA,__mod_init_func"))]
    static LOOK: extern "C" fn() = look;

    extern "C" fn look() {
        // SAFETY: asking for the flags of a descriptor changes nothing, and -1 is returned if there is none.
        let is_closed = unsafe { libc::fcntl(1, libc::F_GETFD) } == -1;
        STDOUT_WAS_CLOSED.store(is_closed, Ordering::Relaxed);
    }
}

/// Processes that a signal ends before it ends this one.
static CHILDREN: Mutex<Vec<Weak<Mutex<Child>>>> = Mutex::new(Vec::new());

/// A signal that ends this process ends that one, too.
pub(crate) fn end_by_signals(child: &Arc<Mutex<Child>>) {
    let mut children = CHILDREN.lock().unwrap_or_else(PoisonError::into_inner);
    children.retain(|child| child.strong_count() > 0);
    children.push(Arc::downgrade(child));
}

#[cfg(unix)]
fn end_children() {
    for child in CHILDREN.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        if let Some(child) = child.upgrade() {
            let _ = child.lock().unwrap_or_else(PoisonError::into_inner).kill();
        }
    }
}

/// From now on SIGINT, SIGTERM and SIGHUP remove the temporary files and then end the program as they would have done, so
/// that a shell sees 130, 143 or 129. If outputs are already under their names, the program ends by itself instead; a
/// second signal ends it at once. A signal that was ignored (`nohup`, a job in the background) stays ignored.
#[cfg(unix)]
pub(crate) fn handle_signals() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    // A write beyond the limit of a file's size (`ulimit -f`) is then an error, as on a full disk, and not the end.
    let _ = signal_hook::flag::register(libc::SIGXFSZ, std::sync::Arc::default());
    let wanted: Vec<i32> =
        [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| !is_ignored(*signal)).collect();
    // Without them the program still works, and what it leaves is removed by the next one.
    let Ok(mut signals) = Signals::new(wanted) else { return };
    let handler = move || {
        let mut before = false;
        for signal in signals.forever() {
            end_children();
            let appeared = biofast_io::output::abandon();
            if before || !appeared {
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
            before = true;
        }
    };
    let _ = std::thread::Builder::new().name("signals".into()).spawn(handler);
}

#[cfg(not(unix))]
pub(crate) fn handle_signals() {}

/// If the outputs are gone because of a signal, it will end the program at any moment: that is the reason to give, and not
/// that the outputs can't be written.
pub(crate) fn end_by_signal() {
    while biofast_io::output::is_abandoned() {
        std::thread::park();
    }
}

#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    // SAFETY: an all-zero `sigaction` is a valid one (the default handler, no flags, an empty mask).
    let mut now: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: no new handler is given; what is there is written to a place of the right type.
    let asked = unsafe { libc::sigaction(signal, std::ptr::null(), &raw mut now) };
    asked == 0 && now.sa_sigaction == libc::SIG_IGN
}
