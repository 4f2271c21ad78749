//! What may be written: decided here, for every kind of output, by the identity of files and never by their names.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::{fmt, io};

use super::identity::{Identity, descriptor};
use super::leftovers::{self, Leftover};
use super::temporary;
use crate::input::opened::{self, Watcher};

/// The files of one run: those it reads and those it writes. No output is an input, and no two outputs are one file.
///
/// Inputs and outputs may be named in any order. What is opened for reading while this value lives is an input as well,
/// whether or not it was named: a list inside an option's value, an index, the `.fai` of a reference. Opening an output for
/// reading fails. What can be neither lost nor mixed up (terminals, `/dev/null`) is always allowed. A path that doesn't
/// exist as an input is passed over: opening it reports that.
///
/// ```
/// use biofast_io::output::Files;
/// use std::path::Path;
///
/// let folder = std::env::temp_dir().join(format!("biofast-doc-files-{}", std::process::id()));
/// std::fs::create_dir(&folder)?;
/// let reads = folder.join("reads.fq");
/// std::fs::write(&reads, "@r\nA\n+\nI\n")?;
/// let mut files = Files::default();
/// files.read(&reads)?;
/// assert!(files.write(&folder.join(".").join("reads.fq")).is_err());
/// files.write(&folder.join("kept.fq"))?;
/// assert!(files.write(&folder.join("kept.fq")).is_err());
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Files {
    known: Arc<Mutex<Known>>,
    /// Folders that were made, outer ones first.
    folders: Vec<PathBuf>,
    /// What earlier runs left beside outputs.
    leftovers: Vec<Leftover>,
}

/// What is read and what is written.
#[derive(Debug, Default)]
struct Known {
    read: HashMap<Identity, String>,
    written: HashMap<Identity, String>,
    /// Those of what is read that nobody named: indexes of inputs.
    beside: HashSet<Identity>,
}

impl Default for Files {
    fn default() -> Files {
        let known = Arc::<Mutex<Known>>::default();
        let watcher: Weak<Mutex<Known>> = Arc::downgrade(&known);
        opened::watch(watcher);
        Files { known, folders: Vec::new(), leftovers: Vec::new() }
    }
}

impl Watcher for Mutex<Known> {
    fn opening(&self, path: &Path) -> io::Result<()> {
        let mut known = self.lock().unwrap_or_else(PoisonError::into_inner);
        // Another run of this process may have removed an output since, and its inode be in use again.
        if let Ok(Some(identity)) = Identity::of(path)
            && let Some(output) = known.written.get(&identity)
            && Identity::of(Path::new(output)).ok().flatten() != Some(identity)
        {
            return Ok(());
        }
        known.read_unnamed(path).map_err(io::Error::other)
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        self.folders.iter().rev().for_each(|folder| temporary::remove_folder(folder));
    }
}

/// Why an output can't be written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Conflict {
    /// It is an input.
    Input {
        /// The output, as it was named.
        output: String,
        /// The input, as it was named.
        input: String,
    },
    /// It is another output, too.
    Output {
        /// The output, as it was named.
        output: String,
        /// The other one.
        other: String,
    },
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Conflict::Input { output, input } if output == input => {
                write!(f, "{output} is an input and would be overwritten: choose another output")
            }
            Conflict::Input { output, input } => write!(
                f,
                "{output} is the same file as the input {input}, which would be overwritten: choose another output"
            ),
            Conflict::Output { output, other } if output == other => {
                write!(f, "two outputs are the same: {output}")
            }
            Conflict::Output { output, other } => {
                write!(f, "the outputs {other} and {output} are the same file")
            }
        }
    }
}

impl std::error::Error for Conflict {}

/// What standard input and output are called.
#[cfg(unix)]
const STDIN: &str = "standard input";
const STDOUT: &str = "standard output";

impl Files {
    /// Makes a folder for outputs, with missing parent folders. When the run is over, or [abandoned](super::abandon),
    /// those it made that are empty are removed again: a run that fails leaves no empty folders.
    ///
    /// # Errors
    /// If it can't be made, or is something else.
    pub fn make_folder(&mut self, path: &Path) -> io::Result<()> {
        temporary::create_folder(path, &mut self.folders)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `path` is read, and so is what programs expect beside it: its indexes. They are read, too, or would no longer fit if
    /// they were written.
    ///
    /// # Errors
    /// If one of them is an output.
    pub fn read(&mut self, path: &Path) -> Result<(), Conflict> {
        let mut known = self.known();
        if let Ok(Some(identity @ Identity::File(_))) = Identity::of(path) {
            // Named before, with all that is beside it.
            if known.read.contains_key(&identity) && !known.beside.remove(&identity) {
                return Ok(());
            }
            known.add_read(identity, crate::display_name(path))?;
        }
        for ending in [".bai", ".csi", ".crai", ".gzi", ".fai", ".bni", ".bsi"] {
            let mut beside = path.as_os_str().to_owned();
            beside.push(ending);
            known.read_unnamed(&PathBuf::from(beside))?;
        }
        for ending in ["bai", "csi"] {
            known.read_unnamed(&path.with_extension(ending))?;
        }
        Ok(())
    }

    /// Standard input is read.
    ///
    /// # Errors
    /// If it is a file that is an output.
    pub fn read_stdin(&mut self) -> Result<(), Conflict> {
        #[cfg(unix)]
        {
            use std::os::fd::AsFd;
            if let Some(identity) = Identity::of_open(std::io::stdin().as_fd()) {
                return self.known().add_read(identity, STDIN.into());
            }
        }
        Ok(())
    }

    /// `path` is written.
    ///
    /// # Errors
    /// If it is an input, or another output.
    pub fn write(&mut self, path: &Path) -> Result<(), Conflict> {
        if descriptor(path) == Some(1) {
            return self.write_stdout();
        }
        match Identity::of(path) {
            Ok(Some(identity)) => self.known().add_written(identity, crate::display_name(path))?,
            // A folder that isn't there is reported when the file is created.
            _ => return Ok(()),
        }
        self.leftovers.extend(leftovers::of(path));
        Ok(())
    }

    /// Standard output is written.
    ///
    /// # Errors
    /// If it is an input, or another output.
    pub fn write_stdout(&mut self) -> Result<(), Conflict> {
        #[cfg(unix)]
        {
            use std::os::fd::AsFd;
            let identity = Identity::of_open(std::io::stdout().as_fd());
            // Even where it has no identity, two outputs would be mixed up there.
            let identity = identity.unwrap_or_else(|| Identity::Place((0, 0), STDOUT.into()));
            self.known().add_written(identity, STDOUT.into())
        }
        #[cfg(not(unix))]
        self.known().add_written(Identity::Place(PathBuf::new(), STDOUT.into()), STDOUT.into())
    }

    /// A file that is only beside an input, as its index, is made anew, so that it may be written.
    pub fn renew(&mut self, path: &Path) {
        let mut known = self.known();
        if let Ok(Some(identity)) = Identity::of(path)
            && known.beside.remove(&identity)
        {
            known.read.remove(&identity);
        }
    }

    /// What runs that were killed have left beside the outputs named so far. It isn't ours, so it stays: whoever runs this
    /// should hear of it.
    pub fn leftovers(&self) -> &[Leftover] {
        &self.leftovers
    }
}

impl Known {
    /// A file is read that nobody named as an input.
    fn read_unnamed(&mut self, path: &Path) -> Result<(), Conflict> {
        if let Ok(Some(identity @ Identity::File(_))) = Identity::of(path)
            && !self.read.contains_key(&identity)
        {
            self.add_read(identity.clone(), crate::display_name(path))?;
            self.beside.insert(identity);
        }
        Ok(())
    }

    fn add_read(&mut self, identity: Identity, input: String) -> Result<(), Conflict> {
        if let Some(output) = self.written.get(&identity) {
            return Err(Conflict::Input { output: output.clone(), input });
        }
        self.read.entry(identity).or_insert(input);
        Ok(())
    }

    fn add_written(&mut self, identity: Identity, output: String) -> Result<(), Conflict> {
        if let Some(input) = self.read.get(&identity).cloned() {
            return Err(Conflict::Input { output, input });
        }
        if let Some(other) = self.written.get(&identity).cloned() {
            return Err(Conflict::Output { output, other });
        }
        self.written.insert(identity, output);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_is_no_output_whichever_is_told_first() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let (x, y) = (folder.path().join("x"), folder.path().join("y"));
        std::fs::write(&x, "")?;
        let mut files = Files::default();
        files.read(&x)?;
        files.read(&x)?;
        files.read(&folder.path().join("missing"))?;
        assert!(matches!(files.write(&x), Err(Conflict::Input { .. })));
        files.write(&y)?;
        std::fs::write(&y, "")?;
        let mut files = Files::default();
        files.write(&y)?;
        assert!(matches!(files.read(&y), Err(Conflict::Input { .. })));
        assert!(matches!(files.write(&y), Err(Conflict::Output { .. })));
        Ok(())
    }

    #[test]
    fn an_index_may_be_made_anew_unless_it_is_named() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let (x, index) = (folder.path().join("x"), folder.path().join("x.bsi"));
        std::fs::write(&index, "")?;
        let mut files = Files::default();
        files.read(&x)?;
        assert!(matches!(files.write(&index), Err(Conflict::Input { .. })));
        files.renew(&index);
        files.write(&index)?;
        for named_first in [true, false] {
            let mut files = Files::default();
            if named_first {
                files.read(&index)?;
            }
            files.read(&x)?;
            files.read(&index)?;
            files.renew(&index);
            assert!(matches!(files.write(&index), Err(Conflict::Input { .. })));
        }
        Ok(())
    }

    #[test]
    fn what_is_opened_is_an_input() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let [list, later, other] = ["list", "later", "other"].map(|name| folder.path().join(name));
        for path in [&list, &later, &other] {
            std::fs::write(path, "x")?;
        }
        let mut files = Files::default();
        crate::Source::open(&list)?;
        crate::remote::read(&other)?;
        for input in [&list, &other] {
            assert!(matches!(files.write(input), Err(Conflict::Input { .. })));
        }
        files.write(&later)?;
        let error = crate::Source::open(&later).err().expect("it is an output");
        assert!(error.to_string().contains("would be overwritten"), "{error}");
        assert!(crate::remote::stream(&later).is_err());
        drop(files);
        crate::Source::open(&later)?;
        Ok(())
    }

    #[test]
    fn devices_take_any_number_of_outputs_and_standard_output_one() {
        let mut files = Files::default();
        if cfg!(unix) {
            assert_eq!(files.write(Path::new("/dev/null")), Ok(()));
            assert_eq!(files.write(Path::new("/dev/null")), Ok(()));
        }
        assert_eq!(files.write_stdout(), Ok(()));
        assert!(files.write_stdout().is_err());
    }
}
