//! `--write-index` of commands that read FASTQ: the seek indexes of their inputs are made in the same reading.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Result, bail};
use biofast_io::output::Output;
use biofast_io::{Source, display_name, remote};
use biofast_ops::shards::{self, Error, GzipIndex, GzipIndexer};

use crate::inputs::Input;
use crate::output;
use crate::session::Session;

/// Whether seek indexes are made.
#[derive(clap::Args)]
pub(crate) struct SeekIndexArg {
    /// Also write a seek index of each input, FILE.bsi, in the same pass
    ///
    /// The index is that of `biofast index`. Inputs must be FASTQ in ordinary gzip. A faulty input gets no index.
    #[arg(long)]
    write_index: bool,
}

/// Seek indexes on their way.
#[derive(Default)]
pub(crate) struct SeekIndexes(Vec<(PathBuf, Mutex<State>)>);

enum State {
    /// Its file is being read, or is faulty.
    Begun(Box<GzipIndexer>),
    /// To be committed.
    Made(Box<Output>),
    Failed(Error),
    Gone,
}

impl SeekIndexArg {
    /// An error if indexes are wanted together with this option, for this reason.
    pub(crate) fn refuse(&self, given: bool, option: &str, why: &str) -> Result<()> {
        if given && self.write_index {
            bail!("--write-index can't be combined with {option}: {why}");
        }
        Ok(())
    }

    /// Opens the index of each input, if they are wanted; so it is known before anything is read whether they can be written.
    pub(crate) fn open(&self, inputs: &[Input], session: &mut Session) -> Result<SeekIndexes> {
        let mut indexes = Vec::new();
        for input in inputs.iter().filter(|_| self.write_index) {
            let Input::Path(path) = input else {
                bail!("a seek index needs a regular file, not {}", input.in_words())
            };
            if remote::address(path).is_some() {
                bail!(
                    "{}: a seek index is written next to its file, which is impossible for a URL: download the file first",
                    display_name(path)
                );
            }
            if path.exists() && !path.is_file() {
                bail!("{}: a seek index needs a regular file", display_name(path));
            }
            let file = shards::ShardInput::new(path);
            let beside = GzipIndex::path_of(path);
            let index = output::index(session, &beside)?;
            let state = State::Begun(Box::new(GzipIndexer::new(&file, index)?));
            indexes.push((path.clone(), Mutex::new(state)));
        }
        Ok(SeekIndexes(indexes))
    }
}

impl SeekIndexes {
    /// What is known of the index of an input, if one is wanted.
    fn lock(&self, input: &Input) -> Option<MutexGuard<'_, State>> {
        let Input::Path(path) = input else { return None };
        let (_, state) = self.0.iter().find(|(own, _)| own == path)?;
        Some(state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The source of an input, whose index is made while it is read, if that is wanted.
    pub(crate) fn follow(&self, input: &Input, source: Source) -> Source {
        match self.lock(input).as_deref() {
            Some(State::Begun(indexer)) => indexer.follow(source),
            _ => source,
        }
    }

    /// The input has been read to its end, and is good.
    pub(crate) fn is_good(&self, input: &Input) {
        let Some(mut state) = self.lock(input) else { return };
        if let State::Begun(indexer) = std::mem::replace(&mut *state, State::Gone) {
            *state = match indexer.finish() {
                Ok((index, _)) => State::Made(Box::new(index)),
                Err(error) => State::Failed(error),
            };
        }
    }

    /// The indexes of good files among these inputs, to be committed with what else is written.
    pub(crate) fn of(&self, inputs: &[Input]) -> Result<Vec<Output>> {
        let mut made = Vec::new();
        for input in inputs {
            let Some(mut state) = self.lock(input) else { continue };
            match std::mem::replace(&mut *state, State::Gone) {
                State::Made(index) => made.push(*index),
                State::Failed(error) => return Err(error.into()),
                State::Begun(_) | State::Gone => {}
            }
        }
        Ok(made)
    }
}
