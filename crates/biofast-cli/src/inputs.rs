//! Which inputs were meant: arguments, patterns, lists of files and standard input.

use std::io::{BufRead, IsTerminal};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use biofast::io::{Error, Source};

/// An input that will be opened when its turn comes, so that any number of them fits the limit
/// of open files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// Standard input, under a label.
    Stdin(String),
    /// A file.
    Path(PathBuf),
}

impl Input {
    pub(crate) fn name(&self) -> String {
        match self {
            Input::Stdin(label) => label.clone(),
            Input::Path(path) => path.to_string_lossy().into_owned(),
        }
    }

    pub(crate) fn open(&self) -> Result<Source, Error> {
        match self {
            Input::Stdin(label) => Source::stdin(label),
            Input::Path(path) => Source::open(path),
        }
    }

    /// The length in bytes, where it is known.
    pub(crate) fn len(&self) -> Option<u64> {
        match self {
            Input::Stdin(_) => None,
            Input::Path(path) => {
                std::fs::metadata(path).ok().filter(|m| m.is_file()).map(|m| m.len())
            }
        }
    }
}

/// The inputs named on the command line and in the list, in that order; standard input if
/// there are none.
pub(crate) fn gather(
    arguments: &[PathBuf],
    list: Option<&Path>,
    stdin_label: &str,
) -> Result<Vec<Input>> {
    let mut inputs = Vec::new();
    for argument in arguments {
        add(&mut inputs, argument, stdin_label)?;
    }
    if let Some(list) = list {
        let mut read = || -> Result<()> {
            let file: Box<dyn BufRead> = if list == Path::new("-") {
                Box::new(std::io::stdin().lock())
            } else {
                Box::new(std::io::BufReader::new(std::fs::File::open(list)?))
            };
            for line in file.lines() {
                let line = line?;
                let line = line.trim_end_matches('\r');
                if !line.is_empty() {
                    add(&mut inputs, Path::new(line), stdin_label)?;
                }
            }
            Ok(())
        };
        read().with_context(|| format!("can't read the list of files {}", list.display()))?;
    } else if arguments.is_empty() {
        if std::io::stdin().is_terminal() {
            bail!("no input: name files, or pipe reads in (see `biofast stats --help`)");
        }
        inputs.push(Input::Stdin(stdin_label.to_owned()));
    }
    let stdins = inputs.iter().filter(|i| matches!(i, Input::Stdin(_))).count();
    if stdins > 1 || (stdins == 1 && list == Some(Path::new("-"))) {
        bail!("standard input is named more than once");
    }
    if inputs.is_empty() {
        bail!("the list of files is empty");
    }
    Ok(inputs)
}

fn add(inputs: &mut Vec<Input>, argument: &Path, stdin_label: &str) -> Result<()> {
    if argument == Path::new("-") {
        inputs.push(Input::Stdin(stdin_label.to_owned()));
        return Ok(());
    }
    // A pattern the shell left alone, unless a file is really called so.
    let pattern = argument.to_str().filter(|p| p.contains(['*', '?', '[']));
    let Some(pattern) = pattern.filter(|_| argument.symlink_metadata().is_err()) else {
        inputs.push(Input::Path(argument.to_owned()));
        return Ok(());
    };
    let found = glob::glob(pattern).with_context(|| format!("invalid pattern '{pattern}'"))?;
    let before = inputs.len();
    for path in found {
        inputs.push(Input::Path(path.context("can't read a folder")?));
    }
    if inputs.len() == before {
        bail!("no file matches '{pattern}'");
    }
    Ok(())
}
