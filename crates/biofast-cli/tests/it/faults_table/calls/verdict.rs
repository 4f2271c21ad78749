//! What became of a run that was disturbed, by what it left.

use std::collections::{BTreeMap, BTreeSet};

use super::inject::{End, Fault, Injection, Traced};

/// Files by their names.
pub(super) type State = BTreeMap<String, Vec<u8>>;

/// What a run that nothing disturbs starts from and leaves.
pub(super) struct Expected {
    pub(super) before: State,
    pub(super) after: State,
    pub(super) stdout: Vec<u8>,
    /// Reports appear though an input couldn't be read, and say so.
    pub(super) tells: bool,
}

const SIGABRT: i32 = 6;

/// Whether a file has a name that only the program itself gives: what a killed run leaves.
pub(super) fn is_hidden(name: &str) -> bool {
    name.ends_with(".biofast-tmp") || name.ends_with(".biofast-old")
}

/// What became of a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The call wasn't made.
    Unreached,
    /// All outputs are those of an undisturbed run, and the exit code is 0 (or the program was killed after it).
    Complete,
    /// The exit code isn't 0 and all is as before.
    Refused,
    /// Between the first and the last file that gets its name: some are new, some old, each whole.
    Window,
    /// Anything else.
    Lost(String),
}

/// Where an output stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stands {
    Old,
    New,
    /// A report that says what went wrong.
    Telling,
    Neither,
}

impl Expected {
    pub(super) fn judge(&self, injection: &Injection, run: &Traced, state: &State) -> Verdict {
        match self.find(injection, run, state) {
            Ok(verdict) => verdict,
            Err(why) => Verdict::Lost(why),
        }
    }

    fn find(&self, injection: &Injection, run: &Traced, state: &State) -> Result<Verdict, String> {
        let signal = match injection.fault {
            Fault::Signal(name) => Some(name),
            _ => None,
        };
        let reached = match signal {
            Some("KILL") => run.end == End::Signal(9) || run.end == End::Hung,
            Some(name) => run.log.contains(&format!("--- SIG{name} ")),
            // Where nothing is longer, nothing is cut.
            None if injection.fault == Fault::Limit => run.end != End::Code(0),
            None => run.log.contains("(INJECTED)"),
        };
        if !reached {
            return Ok(Verdict::Unreached);
        }
        if run.end == End::Hung {
            return Err("it hangs".into());
        }
        let said = &run.stderr;
        // What the runtime does before `main`, and before a thread's work, is its own.
        let by_runtime = injection.early || said.contains("pal/unix/stack_overflow.rs");
        if said.contains("panicked at") && !by_runtime {
            return Err(format!("panic: {}", first_lines(said)));
        }
        let (stands, strange) = self.compare(state, said);
        let of = |which: Stands| stands.iter().all(|(_, stands)| *stands == which);
        let list = || {
            let show = |(name, stands): &(&String, Stands)| format!("{name} {stands:?}");
            stands.iter().map(show).collect::<Vec<_>>().join(", ")
        };
        let strange: Vec<_> = strange
            .into_iter()
            .filter(|name| {
                // What is killed can't remove it, nor what isn't allowed to.
                let killed = signal == Some("KILL") || run.end == End::Signal(SIGABRT);
                let excused = killed || injection.call.starts_with("unlink");
                !(is_hidden(name) && excused)
            })
            .collect();
        if !strange.is_empty() {
            return Err(format!("{:?}, left behind: {strange:?}; {}", run.end, list()));
        }
        if run.end == End::Code(0) {
            if !of(Stands::New) {
                return Err(format!("exit 0, but {}; {}", list(), first_lines(said)));
            }
            let of_output =
                |line: &str| line.contains("(INJECTED)") && line.contains(".biofast-tmp>");
            let is_last_word = ["close", "fsync", "fdatasync"].contains(&injection.call.as_str());
            if is_last_word && run.log.lines().any(of_output) {
                return Err(format!("exit 0, though {} of an output failed", injection.call));
            }
            if run.stdout != self.stdout {
                return Err(format!("exit 0, but standard output differs; {}", first_lines(said)));
            }
            return Ok(Verdict::Complete);
        }
        if !ends_as_it_should(run.end, signal, injection) {
            return Err(format!("{:?}: {}; {}", run.end, first_lines(said), list()));
        }
        let interrupted = injection.fault == Fault::Error("EINTR");
        if interrupted && is_of_data(&run.log) {
            return Err(format!("{:?}: not tried again: {}", run.end, first_lines(said)));
        }
        // Where standard error is what fails, nothing can be said; here it is a file, whose size is limited, too.
        let is_cut = injection.fault == Fault::Limit && injection.n == 0;
        let mute = is_cut
            || run.log.lines().any(|line| line.contains("(INJECTED)") && line.contains("write(2<"));
        if signal.is_none() && said.is_empty() && !mute && !injection.early {
            return Err(format!("{:?} without a message; {}", run.end, list()));
        }
        if of(Stands::Old) || (of(Stands::Telling)) {
            return Ok(Verdict::Refused);
        }
        // Two threads that make the call get two signals, and the second one ends the program at once.
        let twice = |name| run.log.matches(&format!("--- SIG{name} ")).count() > 1;
        if signal.is_some_and(twice) && of(Stands::New) {
            return Ok(Verdict::Complete);
        }
        if signal == Some("KILL") {
            if of(Stands::New) {
                return Ok(Verdict::Complete);
            }
            if stands.iter().all(|(_, stands)| matches!(stands, Stands::Old | Stands::New)) {
                return Ok(Verdict::Window);
            }
        }
        // Nothing can be put back where nothing can be renamed any more.
        let stuck =
            matches!(injection.fault, Fault::Lasting(_)) && injection.call.starts_with("rename");
        if stuck && stands.iter().all(|(_, stands)| matches!(stands, Stands::Old | Stands::New)) {
            return Ok(Verdict::Window);
        }
        Err(format!("{:?}: {}; {}", run.end, list(), first_lines(said)))
    }

    /// Where the outputs stand, and the names of what is neither an output nor as it was.
    fn compare(&self, state: &State, said: &str) -> (Vec<(&String, Stands)>, Vec<String>) {
        let names: BTreeSet<&String> = self.before.keys().chain(self.after.keys()).collect();
        let mut stands = Vec::new();
        let mut strange: Vec<String> =
            state.keys().filter(|name| !names.contains(name)).cloned().collect();
        for name in names {
            let [before, after, now] = [&self.before, &self.after, state].map(|s| s.get(name));
            if before == after {
                if now != before {
                    strange.push(format!("{name} (changed)"));
                }
                continue;
            }
            stands.push((
                name,
                match now {
                    now if now == before => Stands::Old,
                    now if now == after => Stands::New,
                    Some(bytes) if self.tells && tells(bytes, said) => Stands::Telling,
                    _ => Stands::Neither,
                },
            ));
        }
        (stands, strange)
    }
}

/// Whether a report says that an input could not be read: it has the word of the status, or the message.
fn tells(bytes: &[u8], said: &str) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let is_told = |line: &str| {
        let message = line.split_once(": error: ").map(|(_, said)| said);
        // Without the name of the input, which has a column of its own.
        let message = message.and_then(|message| message.split_once(": ")).map(|(_, what)| what);
        message.is_some_and(|message| text.contains(message))
    };
    said.lines().any(is_told)
        || text
            .lines()
            .any(|line| line.split_whitespace().any(|word| matches!(word, "error" | "ERROR,")))
}

/// Whether the exit code or signal says what happened.
fn ends_as_it_should(end: End, signal: Option<&str>, injection: &Injection) -> bool {
    let memory = ["mmap", "brk", "mprotect", "mremap"].contains(&injection.call.as_str());
    match (signal, end) {
        (Some("KILL"), end) => end == End::Signal(9),
        (Some("TERM"), end) => end == End::Code(143) || end == End::Signal(15),
        (Some("INT"), end) => end == End::Code(130) || end == End::Signal(2),
        (Some("HUP"), end) => end == End::Code(129) || end == End::Signal(1),
        // The loader has codes of its own.
        _ if injection.early => true,
        (_, End::Code(code)) => matches!(code, 1 | 2),
        // What the runtime does where memory can't be had.
        (_, End::Signal(SIGABRT)) => memory,
        _ => false,
    }
}

/// Whether the injected call was on a file of the run, not one of the loader or the system.
fn is_of_data(log: &str) -> bool {
    let is_system = |line: &str| {
        ["</lib", "</usr", "</etc", "</proc", "</sys", "(2<"].iter().any(|path| line.contains(path))
    };
    log.lines().any(|line| line.contains("(INJECTED)") && !is_system(line))
}

fn first_lines(text: &str) -> String {
    let text: Vec<&str> = text.lines().filter(|line| !line.is_empty()).take(3).collect();
    text.join(" / ")
}
