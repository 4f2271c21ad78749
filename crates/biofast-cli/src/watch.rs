//! An input while it is read: its options, the progress bar, and what is noticed on the way.

use std::path::Path;
use std::sync::Arc;

use biofast::bam::{Detail, InputOptions};
use biofast::io::{Notes, Options, Progress};

use crate::console::{Bar, describe, message};
use crate::inputs::Input;

/// A way of reading, with what is noticed on the way.
pub(crate) struct Watch {
    pub(crate) options: Options,
    progress: Arc<Progress>,
    notes: Arc<Notes>,
}

impl Watch {
    /// Watches what is read with these options.
    pub(crate) fn new(options: Options) -> Watch {
        let progress = Arc::new(Progress::default());
        let notes = Arc::new(Notes::default());
        let options = Options {
            progress: Some(Arc::clone(&progress)),
            notes: Some(Arc::clone(&notes)),
            ..options
        };
        Watch { options, progress, notes }
    }

    /// How alignments are opened.
    pub(crate) fn opening(&self, reference: Option<&Path>, detail: Detail) -> InputOptions<'_> {
        InputOptions { io: &self.options, reference: reference.map(Path::to_owned), detail }
    }

    pub(crate) fn bar(&self, total: Option<u64>, quiet: bool) -> Bar {
        Bar::new(&self.progress, total, quiet)
    }

    /// Says what was noticed, and how the input was read where that is wanted.
    pub(crate) fn tell(
        &self,
        input: &Input,
        quiet: bool,
        verbose: bool,
        threads: Option<std::num::NonZeroUsize>,
    ) {
        if verbose {
            describe(input, None, &self.options, threads);
        }
        if !quiet {
            tell(input, &self.notes);
        }
    }
}

/// Says what was noticed of an input.
pub(crate) fn tell(input: &Input, notes: &Notes) {
    let name = input.name();
    let name = biofast::io::Escaped(name.as_bytes());
    notes.warnings().iter().for_each(|w| message("warning", &format!("{name}: {w}")));
}
