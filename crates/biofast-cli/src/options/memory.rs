//! `--memory`.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::multiples;

/// Bytes of memory, as `512M` or `4G` say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size(pub(crate) usize);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Size, String> {
        let expected = || format!("'{text}' is not a memory size: expected a form like 512M or 4G");
        let (digits, unit) = multiples::split(text);
        let shift = match unit.as_str() {
            "K" | "KB" | "KIB" => 10,
            "M" | "MB" | "MIB" => 20,
            "G" | "GB" | "GIB" => 30,
            "T" | "TB" | "TIB" => 40,
            // Bytes for some programs, megabytes for others.
            "" if !digits.is_empty() && digits.parse::<f64>().is_ok() => {
                return Err(format!("a memory size needs a unit: {text}M or {text}G?"));
            }
            _ => return Err(expected()),
        };
        let number: f64 = digits.parse().map_err(|_| expected())?;
        let bytes = number * (1u64 << shift) as f64;
        match bytes >= LEAST as f64 && bytes < usize::MAX as f64 {
            true => Ok(Size(bytes as usize)),
            false => Err(format!("'{text}' is out of range: the minimum is 16K")),
        }
    }
}

const LEAST: usize = 16 << 10;

/// A quarter of the machine's memory, or of what its container allows, but not more than 16 GiB; 768 MiB where that isn't
/// known.
pub(crate) fn default() -> usize {
    of_host().map_or(768 << 20, |bytes| (bytes / 4).clamp(64 << 20, 16 << 30)) as usize
}

/// The memory of the machine, or what its container allows, where that is known.
pub(crate) fn of_host() -> Option<u64> {
    [of_machine(), of_container()].into_iter().flatten().min()
}

/// The memory that the kernel has. Known on Linux only.
fn of_machine() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? << 10)
}

/// The least limit of the control groups that this process is in.
fn of_container() -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    limit_of(&groups, Path::new("/sys/fs/cgroup"))
}

fn limit_of(groups: &str, root: &Path) -> Option<u64> {
    let limits = groups.lines().filter_map(|line| {
        let mut fields = line.splitn(3, ':');
        let (_, controllers, group) = (fields.next()?, fields.next()?, fields.next()?);
        let (root, file) = match controllers {
            "" => (root.to_owned(), "memory.max"),
            "memory" => (root.join("memory"), "memory.limit_in_bytes"),
            _ => return None,
        };
        // In a container the group's path may be that outside of it, and its files are at the root.
        let group = root.join(group.trim_start_matches('/'));
        let folders = group.ancestors().take_while(|folder| folder.starts_with(&root));
        let folders = folders.map(Path::to_owned).collect::<Vec<PathBuf>>();
        folders.iter().filter_map(|folder| number(&folder.join(file))).min()
    });
    limits.min()
}

/// A limit, if there is one: `max` is none.
fn number(path: &Path) -> Option<u64> {
    std::fs::read_to_string(path).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_a_unit() {
        assert_eq!("512M".parse(), Ok(Size(512 << 20)));
        assert_eq!("1.5g".parse(), Ok(Size(3 << 29)));
        for wrong in ["512", "", "M", "-1G", "1X", "1K", "nanG", "1e99G"] {
            assert!(wrong.parse::<Size>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_least_limit_of_all_groups_counts() -> std::io::Result<()> {
        let root = tempfile::tempdir()?;
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap_or(&path))?;
            std::fs::write(path, text)
        };
        write("a/memory.max", "3000\n")?;
        write("a/b/memory.max", "max\n")?;
        write("memory/x/memory.limit_in_bytes", "2000\n")?;
        let of = |groups| limit_of(groups, root.path());
        assert_eq!(of("0::/a/b\n"), Some(3000));
        assert_eq!(of("3:cpu:/x\n5:memory:/x\n0::/a/b\n"), Some(2000));
        assert_eq!(of("0::/elsewhere\n"), None);
        Ok(())
    }
}
