//! `--memory` and `--temp-dir`.

use std::path::{Path, PathBuf};

use biofast_io::display_name;
use biofast_ops::dedup::SpillLimits;

use super::{Folder, Size, default_memory};

/// How much memory may be used, and where temporary files go beyond that.
#[derive(clap::Args)]
pub(crate) struct Spill {
    /// Memory limit, such as 512M or 4G [default: a quarter of RAM, at most 16G]
    ///
    /// The limit applies to stored reads; input and output buffers need about 64 MB more. Data beyond the limit are
    /// spilled to temporary files. In a container, the default is a quarter of its memory limit.
    #[arg(short = 'm', long, value_name = "SIZE")]
    memory: Option<Size>,

    /// Folder for temporary files [default: TMPDIR if set, else the folder of the output]
    #[arg(long, visible_alias = "tmp-dir", value_name = "FOLDER")]
    temp_dir: Option<Folder>,
}

impl Spill {
    /// The first option that is given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let memory = self.memory.map(|_| "--memory");
        memory.or(self.temp_dir.as_ref().map(|_| "--temp-dir"))
    }

    /// The limits, given the first output.
    pub(crate) fn limits(&self, out: Option<&Path>) -> SpillLimits {
        let memory = self.memory.map_or_else(default_memory, |Size(bytes)| bytes);
        SpillLimits { memory, folder: temp_dir(self.temp_dir.as_deref(), out) }
    }
}

/// The same of alignments: the folder has the letter that it has in samtools.
#[derive(clap::Args)]
pub(crate) struct SortSpill {
    /// Memory limit, such as 512M or 4G [default: a quarter of RAM, at most 16G]
    ///
    /// The limit applies to stored records of all threads together; input and output buffers need about 64 MB more. In
    /// a container, the default is a quarter of its memory limit.
    #[arg(short = 'm', long, value_name = "SIZE")]
    memory: Option<Size>,

    /// Folder for temporary files [default: TMPDIR if set, else the folder of the output]
    #[arg(short = 'T', long, visible_alias = "tmp-dir", value_name = "FOLDER")]
    temp_dir: Option<Folder>,
}

impl SortSpill {
    /// The limits, given the output. The folder may be the start of a name in it, as `samtools sort -T` takes it.
    pub(crate) fn limits(&self, out: Option<&Path>) -> SpillLimits {
        let memory = self.memory.map_or_else(default_memory, |Size(bytes)| bytes);
        let folder = temp_dir(self.temp_dir.as_deref().map(folder_or_prefix), out);
        SpillLimits { memory, folder }
    }
}

/// An error if the folder of temporary files that was named isn't there: it would be missed only when memory is full.
pub(crate) fn check_temp_dir(matches: &clap::ArgMatches) -> anyhow::Result<()> {
    let Some((command, matches)) = matches.subcommand() else { return Ok(()) };
    let Ok(Some(folder)) = matches.try_get_one::<Folder>("temp_dir") else { return Ok(()) };
    let is_there = match command {
        "sort" => folder_or_prefix(folder).is_dir(),
        _ => folder.is_dir(),
    };
    if is_there {
        return Ok(());
    }
    Err(crate::console::Hinted {
        message: format!("--temp-dir {}: no such folder", display_name(folder)),
        hint: "create it first, or use another folder".into(),
    }
    .into())
}

/// This folder, or that of files whose names begin so, as `samtools sort -T` takes it.
fn folder_or_prefix(given: &Path) -> &Path {
    match given.parent() {
        Some(parent) if !given.is_dir() => {
            if parent.as_os_str().is_empty() {
                Path::new(".")
            } else {
                parent
            }
        }
        _ => given,
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
