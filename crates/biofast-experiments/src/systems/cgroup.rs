//! A memory limit around this process: a control group below its own, entered and left again. Pages of files that
//! are read inside are charged to it, so that a small limit is a small page cache. Linux with a writable hierarchy
//! only; elsewhere the reason is an error. Used by entry 040.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::files;

/// The process is inside the group as long as this lives.
pub(crate) struct MemoryLimit {
    group: PathBuf,
    parent: PathBuf,
}

impl MemoryLimit {
    /// Moves this process into a new group of at most `bytes` bytes.
    pub(crate) fn enter(bytes: u64) -> Result<Self> {
        let limit = MemoryLimit::create()?;
        let file = limit.limit_file().context("the group has no limit of memory")?;
        files::write(&file, bytes.to_string())?;
        move_to(&limit.group)?;
        Ok(limit)
    }

    /// Why this process can't limit its memory; none if it can.
    pub(crate) fn obstacle() -> Option<String> {
        match MemoryLimit::create() {
            Ok(limit) if limit.limit_file().is_some() => None,
            Ok(_) => Some("the memory controller isn't passed on to new control groups".to_owned()),
            Err(error) => Some(format!("{error:#}")),
        }
    }

    fn create() -> Result<Self> {
        let read = |path: &str| fs::read_to_string(path).with_context(|| format!("no {path}"));
        let own = read("/proc/self/cgroup")?;
        let parent = own_group(&own, &read("/proc/self/mounts")?)
            .context("no control group with a memory controller")?;
        let group = parent.join(format!("biofast-lab-{}", std::process::id()));
        fs::create_dir(&group).with_context(|| "no control group can be made here".to_owned())?;
        Ok(MemoryLimit { group, parent })
    }

    fn limit_file(&self) -> Option<PathBuf> {
        let names = ["memory.limit_in_bytes", "memory.max"];
        names.iter().map(|name| self.group.join(name)).find(|path| path.exists())
    }
}

impl Drop for MemoryLimit {
    fn drop(&mut self) {
        // If it fails, an empty group is left behind; a group in use can't be removed.
        let _ = move_to(&self.parent);
        let _ = fs::remove_dir(&self.group);
    }
}

fn move_to(group: &Path) -> Result<()> {
    let file = group.join("cgroup.procs");
    if let Err(error) = fs::write(&file, std::process::id().to_string()) {
        bail!("cannot move to another control group: {error}");
    }
    Ok(())
}

/// Where the group is that this process's memory counts for: of version 1 the one of the memory controller, else
/// that of version 2.
fn own_group(own: &str, mounts: &str) -> Option<PathBuf> {
    let path_of = |wanted: &dyn Fn(&str, &str) -> bool| {
        own.lines().find_map(|line| {
            let mut fields = line.splitn(3, ':');
            let (id, controllers, path) = (fields.next()?, fields.next()?, fields.next()?);
            wanted(id, controllers).then(|| path.trim_start_matches('/').to_owned())
        })
    };
    let mount_of = |kind: &str, option: &str| {
        mounts.lines().find_map(|line| {
            let fields: Vec<&str> = line.split(' ').collect();
            let [_, place, found, options, ..] = fields[..] else { return None };
            let has = option.is_empty() || options.split(',').any(|o| o == option);
            (found == kind && has).then(|| PathBuf::from(place))
        })
    };
    if let Some(mount) = mount_of("cgroup", "memory") {
        let path = path_of(&|_, controllers| controllers.split(',').any(|c| c == "memory"))?;
        return Some(mount.join(path));
    }
    Some(
        mount_of("cgroup2", "")?
            .join(path_of(&|id, controllers| id == "0" && controllers.is_empty())?),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_group_is_found_in_both_versions() {
        let one = "cgroup /cg/cpu cgroup rw,cpu 0 0\ncgroup /cg/memory cgroup rw,memory 0 0\n\
                   cgroup2 /cg/unified cgroup2 rw 0 0\n";
        let own = "4:memory:/a/b\n1:cpu:/\n0::/c\n";
        assert_eq!(own_group(own, one), Some("/cg/memory/a/b".into()));
        let two = "cgroup2 /cg cgroup2 rw,nsdelegate 0 0\n";
        assert_eq!(own_group("0::/user/x\n", two), Some("/cg/user/x".into()));
        assert_eq!(own_group("0::/\n", "proc /proc proc rw 0 0\n"), None);
    }
}
