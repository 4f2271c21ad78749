//! The files of a summary of `biofast filter`, and what it says they hold.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use biofast_io::{TextBounds, display_name, path_named};
use biofast_ops::filter::report::{FileRole, FileSum, Files};
use biofast_ops::measure::records::RecordSum;

use crate::console::Console;
use crate::inputs::{self, Input};

/// What a summary says.
pub(super) struct Summary {
    path: PathBuf,
    files: Vec<FileSum>,
}

impl Summary {
    /// Reads the summary at `path`.
    pub(super) fn read(path: &Path) -> Result<Summary> {
        let about = || format!("{} is not a summary written by --summary", display_name(path));
        let text = inputs::text(path, TextBounds::DOCUMENT)?;
        let Files { mut files } = serde_json::from_slice(&text).with_context(about)?;
        if files.is_empty() {
            bail!("{} has no file checksums to compare", display_name(path));
        }
        // An output that replaced an input is what can be read now.
        let written: Vec<String> =
            files.iter().filter(|f| f.role != FileRole::Input).map(|f| f.path.clone()).collect();
        files.retain(|f| f.role != FileRole::Input || f.path == "-" || !written.contains(&f.path));
        Ok(Summary { path: path.to_owned(), files })
    }

    /// The files that can be read again.
    pub(super) fn paths(&self, console: &Console) -> Vec<PathBuf> {
        let streams = self.files.iter().filter(|file| file.path == "-");
        for FileSum { role, .. } in streams {
            let what = if *role == FileRole::Input { "input" } else { "output" };
            console.note(&format!("an {what} was a stream and can't be read again"));
        }
        let files = self.files.iter().filter(|file| file.path != "-");
        files.map(|file| path_named(&file.path)).collect()
    }

    /// What each input must hold; nothing where only a part of it was read. An input is
    /// looked up by its path, and if that isn't there by its name, as folders may have been moved.
    pub(super) fn expected(
        &self,
        inputs: &[Input],
        console: &Console,
    ) -> Result<Vec<Option<RecordSum>>> {
        let expected = inputs.iter().map(|input| {
            let name = input.name();
            let file = self.find(&name)?;
            if file.partial {
                let why = "only a part of it was filtered, so its checksum is not compared";
                console.note(&format!("{name}: {why}"));
            }
            Ok((!file.partial).then(|| file.records.clone()))
        });
        expected.collect()
    }

    fn find(&self, name: &str) -> Result<&FileSum> {
        if let Some(file) = self.files.iter().find(|file| file.path == name) {
            return Ok(file);
        }
        let base = |path: &str| Path::new(path).file_name().map(|name| name.to_owned());
        let mut found = self.files.iter().filter(|file| base(&file.path) == base(name));
        match (found.next(), found.next()) {
            (Some(file), None) => Ok(file),
            (None, _) => bail!("{} doesn't list the file {name}", display_name(&self.path)),
            _ => bail!("{} lists several files named {name}", display_name(&self.path)),
        }
    }
}
