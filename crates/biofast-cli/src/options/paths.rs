//! Paths on the command line, by what they are for. Every argument that names a file has one of these types (a test says
//! so), so that no file that is read can be written, whatever the option.

use std::ffi::OsString;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use biofast_io::output::Files;
use biofast_io::{display_name, remote};
use clap::ArgMatches;

/// A file that is read: reads, alignments, a reference, regions, names, a list.
#[derive(Clone, Debug)]
pub(crate) struct InFile(PathBuf);

/// A file that is written; `-` is standard output.
#[derive(Clone, Debug)]
pub(crate) struct OutFile(PathBuf);

/// A folder for files.
#[derive(Clone, Debug)]
pub(crate) struct Folder(PathBuf);

macro_rules! path {
    ($type:ident) => {
        impl From<OsString> for $type {
            fn from(path: OsString) -> $type {
                $type(path.into())
            }
        }

        impl Deref for $type {
            type Target = Path;

            fn deref(&self) -> &Path {
                &self.0
            }
        }

        impl AsRef<Path> for $type {
            fn as_ref(&self) -> &Path {
                &self.0
            }
        }
    };
}

path!(InFile);
path!(OutFile);
path!(Folder);

/// Keeps all that the command line names to be read from being written.
pub(crate) fn keep_inputs(matches: &ArgMatches, files: &mut Files) -> Result<()> {
    let Some((_, matches)) = matches.subcommand() else { return Ok(()) };
    for id in matches.ids() {
        // Arguments of other types are not asked for.
        let Ok(Some(paths)) = matches.try_get_many::<InFile>(id.as_str()) else { continue };
        for path in paths {
            refuse_empty(path)?;
            match path.0 == Path::new("-") {
                true => files.read_stdin()?,
                false => files.read(path)?,
            }
        }
    }
    // Some inputs don't need it, and one that is misspelt shall not pass for read.
    if let Ok(Some(reference)) = matches.try_get_one::<InFile>("reference") {
        let unreadable = || format!("{}: can't read the reference", display_name(reference));
        probe(reference).with_context(unreadable)?;
    }
    for id in matches.ids() {
        let id = id.as_str();
        let files = matches.try_get_many::<OutFile>(id).ok().flatten().into_iter().flatten();
        let folders = matches.try_get_many::<Folder>(id).ok().flatten().into_iter().flatten();
        for path in files.map(OutFile::as_ref).chain(folders.map(Folder::as_ref)) {
            refuse_empty(path)?;
            if remote::address(path).is_some() {
                let name = display_name(path);
                bail!("{name}: outputs can't be written to a URL; write a file and upload it");
            }
        }
    }
    Ok(())
}

/// Refuses the name that a variable of a shell gives that isn't set: the system may take it for the current folder.
fn refuse_empty(path: &Path) -> Result<()> {
    if path.as_os_str().is_empty() {
        bail!("the name of a file or folder is empty");
    }
    Ok(())
}

/// An error if a file can't be opened. What a pipe holds is left to who reads it.
fn probe(path: &Path) -> std::io::Result<()> {
    match remote::address(path) {
        None if !std::fs::metadata(path)?.is_file() => Ok(()),
        _ => remote::probe(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_says_whether_it_is_read_or_written() {
        let command = crate::commands::all();
        let is = |a: clap::builder::ValueParser, b: clap::builder::ValueParser| {
            a.type_id() == b.type_id()
        };
        let (mut read, mut written) = (0, 0);
        for command in command.get_subcommands() {
            for argument in command.get_arguments() {
                let parser = || argument.get_value_parser().clone();
                let name = format!("{} {}", command.get_name(), argument.get_id());
                assert!(!is(parser(), clap::value_parser!(PathBuf)), "{name} is a path of no kind");
                assert!(!is(parser(), clap::value_parser!(OsString)), "{name} may be a path");
                read += u32::from(is(parser(), clap::value_parser!(InFile).into()));
                written += u32::from(is(parser(), clap::value_parser!(OutFile).into()));
            }
        }
        assert!(read > 20 && written > 20, "{read} files to read, {written} to write");
    }
}
