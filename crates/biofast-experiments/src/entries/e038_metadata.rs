//! 038: length and time of 10,000 files asked for by path, within open directories and of open files; alone and
//! before each file's statistics are computed.

use std::ffi::CString;
use std::fs;

use biofast_io::{Options, Source};

use super::prelude::*;
use super::stream;
use crate::systems::metadata::{Folder, Found, by_open_file, by_path, group};

pub(super) struct Metadata;

/// Files in a folder, and lines (ten records) of each.
const IN_FOLDER: usize = 100;
const LINES: usize = 40;

impl Entry for Metadata {
    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let count = if lab.scale == Scale::Quick { 1000 } else { 10_000 };
        let paths = files(lab, count)?;
        let groups = group(&paths)?;
        let bytes: u64 = paths.iter().map(|path| Ok(by_path(path)?.len)).sum::<Result<_>>()?;
        let with_stats = match cell.get("work") {
            "metadata" => false,
            "stats" => true,
            other => bail!("no work is called {other:?}"),
        };
        let method = cell.get("method").to_owned();
        Ok(Box::new(move |calls| {
            let (all, asked) = repeat(calls, || ask(&method, &paths, &groups, with_stats))?;
            Ok(Outcome::new(all, bytes as usize).with("system_calls", asked as f64))
        }))
    }
}

/// What is added up of all files.
#[derive(Default)]
struct Sum {
    len: u64,
    modified: i64,
    stats: u64,
}

impl std::fmt::Display for Sum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}/{}", self.len, self.modified, self.stats)
    }
}

impl Sum {
    fn add(&mut self, found: Found, path: &Path, with_stats: bool) -> Result<()> {
        self.len += found.len;
        self.modified = self.modified.wrapping_add(found.modified);
        if with_stats {
            let stats = stream::stats(Source::open(path)?, &Options::serial())?;
            self.stats += stats.len() as u64;
        }
        Ok(())
    }
}

/// Asks for every file, and says how many system calls that took.
fn ask(
    method: &str,
    paths: &[PathBuf],
    groups: &[(PathBuf, Vec<CString>)],
    with_stats: bool,
) -> Result<(Sum, usize)> {
    let mut sum = Sum::default();
    let each = |sum: &mut Sum, find: fn(&Path) -> std::io::Result<Found>| -> Result<()> {
        paths.iter().try_for_each(|path| sum.add(find(path)?, path, with_stats))
    };
    let calls = match method {
        "twice" => {
            each(&mut sum, |path| {
                // Whether it is a link, then what it leads to: as programs do that go over a tree.
                std::hint::black_box(fs::symlink_metadata(path)?);
                by_path(path)
            })?;
            2 * paths.len()
        }
        "path" => {
            each(&mut sum, by_path)?;
            paths.len()
        }
        "open" => {
            each(&mut sum, by_open_file)?;
            3 * paths.len()
        }
        "folder" => {
            let mut whole = paths.iter();
            for (folder, names) in groups {
                let folder = Folder::open(folder)?;
                for name in names {
                    let path = whole.next().context("more names than paths")?;
                    sum.add(folder.find(name)?, path, with_stats)?;
                }
            }
            // Each folder is opened and closed.
            paths.len() + 2 * groups.len()
        }
        other => bail!("no method is called {other:?}"),
    };
    Ok((sum, calls))
}

/// Small FASTQ files in folders of folders, made once.
fn files(lab: &Lab, count: usize) -> Result<Vec<PathBuf>> {
    let root = lab.scratch_path(&format!("tree-{count}"), |root| {
        let text = fs::read(lab.file("small", Format::Fastq)?)?;
        let lines: Vec<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').collect();
        let parts: Vec<Vec<u8>> = lines.chunks_exact(LINES).map(<[_]>::concat).collect();
        ensure!(!parts.is_empty(), "too few records");
        for (i, path) in paths(root, count).iter().enumerate() {
            if i % IN_FOLDER == 0 {
                fs::create_dir_all(path.parent().context("no folder")?)?;
            }
            fs::write(path, &parts[i % parts.len()])?;
        }
        Ok(())
    })?;
    Ok(paths(&root, count))
}

fn paths(root: &Path, count: usize) -> Vec<PathBuf> {
    let place = |i: usize| {
        let run = format!("run-{:02}", i / IN_FOLDER / 10);
        let folder = format!("sample-{:03}", i / IN_FOLDER);
        root.join(run).join(folder).join(format!("lane-{i:05}.fastq"))
    };
    (0..count).map(place).collect()
}
