//! `--memory` and `--temp-dir`.

use std::path::{Path, PathBuf};

use biofast::ops::dedup::Limits;

use super::{Folder, Size, default_memory};

/// How much memory may be used, and where temporary files go beyond that.
#[derive(clap::Args)]
pub(crate) struct Spill {
    /// Memory for what is remembered of reads, such as 512M or 4G; what reads and writes takes some 64 MB more
    /// [default: a quarter of what the machine or its container has, at most 16G]
    #[arg(short = 'm', long, value_name = "SIZE")]
    memory: Option<Size>,

    /// The folder of temporary files [default: TMPDIR if set, else that of the output]
    #[arg(short = 'T', long, visible_alias = "tmp-dir", value_name = "FOLDER")]
    temp_dir: Option<Folder>,
}

impl Spill {
    /// The first option that is given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let memory = self.memory.map(|_| "--memory");
        memory.or(self.temp_dir.as_ref().map(|_| "--temp-dir"))
    }

    /// The limits, given the first output.
    pub(crate) fn limits(&self, out: Option<&Path>) -> Limits {
        let memory = self.memory.map_or_else(default_memory, |Size(bytes)| bytes);
        Limits { memory, folder: temp_dir(self.temp_dir.as_deref(), out) }
    }
}

/// The folder of temporary files: that given, or the system's setting, or that of the output.
pub(crate) fn temp_dir(given: Option<&Path>, out: Option<&Path>) -> PathBuf {
    let beside = || {
        let path = out.filter(|path| *path != Path::new("-"))?;
        // A device has no place for files beside it.
        if std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
            return None;
        }
        let folder = path.parent()?;
        Some(if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder.to_owned() })
    };
    let named = || std::env::var_os("TMPDIR").filter(|dir| !dir.is_empty()).map(PathBuf::from);
    let given = given.map(Path::to_owned);
    given.or_else(named).or_else(beside).unwrap_or_else(std::env::temp_dir)
}
