//! Reference sequences in folders, a file for each, named by its MD5 sum: where htslib looks for them (`REF_CACHE`, `REF_PATH`).

use std::io;
use std::path::{Path, PathBuf};

use crate::fasta::md5;

/// The places that the environment names.
#[derive(Clone, Debug, Default)]
pub(super) struct ReferenceStore {
    /// Names of files, where `%2s` stands for the next two digits of the sum, and `%s` for those that are left.
    templates: Vec<String>,
}

impl ReferenceStore {
    /// That of `REF_CACHE`, and behind it those of `REF_PATH`. Addresses are left out: nothing is downloaded.
    pub(super) fn of_environment() -> ReferenceStore {
        let value = |name| std::env::var(name).unwrap_or_default();
        ReferenceStore::new(&value("REF_CACHE"), &value("REF_PATH"))
    }

    fn new(cache: &str, path: &str) -> ReferenceStore {
        let cache = (!cache.is_empty()).then(|| cache.to_owned());
        // A colon is doubled where it belongs to a name, as in `http://`.
        let path = path.replace("::", "\0").replace("://", "\0//");
        let places = path.split(':').filter(|place| !place.is_empty() && !place.contains("\0//"));
        let places = places.map(|place| place.replace('\0', ":"));
        ReferenceStore { templates: cache.into_iter().chain(places).collect() }
    }

    /// The file of the sequence with this sum.
    pub(super) fn find(&self, sum: &[u8; 16]) -> Option<PathBuf> {
        let digits: String = sum.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut paths =
            self.templates.iter().map(|template| PathBuf::from(expand(template, &digits)));
        paths.find(|path| path.is_file())
    }

    /// The bases of the sequence with this sum, in capitals.
    ///
    /// # Errors
    /// If its file can't be read, or holds something else.
    pub(super) fn load(&self, sum: &[u8; 16]) -> io::Result<Option<Vec<u8>>> {
        let Some(path) = self.find(sum) else { return Ok(None) };
        let named = |error: io::Error| {
            io::Error::new(error.kind(), format!("{}: {error}", biofast_io::display_name(&path)))
        };
        let bases = read(&path).map_err(named)?;
        match md5(&bases)? == *sum {
            true => Ok(Some(bases)),
            false => Err(named(io::Error::new(
                io::ErrorKind::InvalidData,
                "not the reference sequence that it is named for: the MD5 sums differ",
            ))),
        }
    }
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bases = std::fs::read(path)?;
    bases.make_ascii_uppercase();
    Ok(bases)
}

fn expand(template: &str, digits: &str) -> String {
    let (mut out, mut digits, mut is_named) = (String::new(), digits, false);
    let mut rest = template;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let number = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (count, behind) = rest.split_at(number);
        if let Some(behind) = behind.strip_prefix('s') {
            let (now, later) =
                digits.split_at(count.parse().unwrap_or(digits.len()).min(digits.len()));
            out.push_str(now);
            (rest, digits, is_named) = (behind, later, true);
        } else {
            out.push('%');
        }
    }
    out.push_str(rest);
    if !is_named {
        out.push('/');
        out.push_str(digits);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_those_of_htslib() {
        assert_eq!(expand("/r/%2s/%2s/%s", "0123456789"), "/r/01/23/456789");
        assert_eq!(expand("/r", "0123"), "/r/0123");
        assert_eq!(expand("/100%/%s", "0123"), "/100%/0123");
        let store = ReferenceStore::new("/c/%s", "/a:http://x.y/%s:/b::c/%2s/%s::");
        assert_eq!(store.templates, ["/c/%s", "/a", "/b:c/%2s/%s:"]);
    }

    #[test]
    fn files_hold_what_they_are_named_for() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let sum = md5(b"ACGT")?;
        let digits: String = sum.iter().map(|byte| format!("{byte:02x}")).collect();
        let store = ReferenceStore::new(&format!("{}/%s", folder.path().display()), "");
        assert!(store.load(&sum)?.is_none());
        std::fs::write(folder.path().join(&digits), "acgt")?;
        assert_eq!(store.load(&sum)?.as_deref(), Some(&b"ACGT"[..]));
        std::fs::write(folder.path().join(&digits), "ACGA")?;
        let error = store.load(&sum).err().ok_or("another sequence")?.to_string();
        assert!(error.contains(&digits) && error.contains("MD5"), "{error}");
        Ok(())
    }
}
