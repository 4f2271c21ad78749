//! An input while it is read: its options, the progress bar, and what is noticed on the way.

use std::path::Path;
use std::sync::Arc;

use biofast_bam::{Detail, InputOptions};
use biofast_io::{Notes, Options, Phase, Progress};

mod verbose;

use crate::console::{Bar, Console, warn};
use crate::inputs::Input;
use crate::options::{Messages, Strictness, Threads};
use crate::session::Session;

pub(crate) use verbose::describe;

/// A way of reading, with what is noticed on the way.
pub(crate) struct Watch {
    pub(crate) options: Options,
    progress: Arc<Progress>,
    pub(crate) notes: Arc<Notes>,
    /// Where it is said.
    pub(crate) console: Console,
}

impl Watch {
    /// Watches what is read with these options.
    pub(crate) fn new(session: &Session, options: Options) -> Watch {
        Watch::sharing(session, &Arc::default(), options)
    }

    /// Watches what is read with these options beside others, which have one progress bar with it.
    pub(crate) fn sharing(session: &Session, progress: &Arc<Progress>, options: Options) -> Watch {
        let notes = Arc::new(Notes::default());
        let options = Options {
            progress: Some(Arc::clone(progress)),
            notes: Some(Arc::clone(&notes)),
            ..options
        };
        Watch {
            options: session.watched(options),
            progress: Arc::clone(progress),
            notes,
            console: session.console.clone(),
        }
    }

    /// How alignments are opened.
    pub(crate) fn opening(&self, reference: Option<&Path>, detail: Detail) -> InputOptions<'_> {
        InputOptions { io: &self.options, reference: reference.map(Path::to_owned), detail }
    }

    /// A progress bar towards `total` bytes.
    pub(crate) fn bar(&self, total: Option<u64>, messages: &Messages) -> Bar {
        Bar::new(&self.console, &self.progress, total, messages.quiet)
    }

    /// Begins a phase of a run that has several: what the bar shows from now on.
    pub(crate) fn begin_phase(&self, name: &'static str, total: Option<u64>) {
        self.progress.begin_phase(Phase { name, total });
    }

    /// Counts records of a phase as done.
    pub(crate) fn advance(&self, records: u64) {
        self.progress.advance(records);
    }

    /// Says what was noticed, and how the input was read where that is wanted. `format` is what the container holds, where
    /// that is known.
    pub(crate) fn tell(
        &self,
        input: &Input,
        format: Option<&str>,
        messages: &Messages,
        threads: &Threads,
    ) {
        if messages.verbose {
            describe(&self.console, input, format, &self.options, threads.asked());
        }
        if !messages.quiet {
            warn(&self.console, &input.name(), &self.notes);
        }
    }
}

/// How one file of alignments is read, and what is said about it.
#[derive(clap::Args)]
pub(crate) struct Reading {
    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    strictness: Strictness,

    #[command(flatten)]
    pub(crate) messages: Messages,
}

impl Reading {
    /// Options for alignments, and what watches them.
    pub(crate) fn watch(&self, session: &Session) -> Watch {
        Watch::new(session, self.strictness.alignments(self.threads.options()))
    }

    /// Options for reads.
    pub(crate) fn reads(&self) -> Options {
        self.strictness.reads(self.threads.options())
    }

    /// The number of threads as asked for.
    pub(crate) fn threads(&self) -> &Threads {
        &self.threads
    }

    /// The same for one of several inputs, which have one progress bar.
    pub(crate) fn sharing(&self, session: &Session, progress: &Arc<Progress>) -> Watch {
        Watch::sharing(session, progress, self.strictness.alignments(self.threads.options()))
    }

    /// Says what was noticed of the input, and how it was read where that is wanted.
    pub(crate) fn tell(&self, watch: &Watch, input: &Input) {
        watch.tell(input, None, &self.messages, &self.threads);
    }
}
