//! Archives whose bytes depend on what is in them and on nothing else: sorted names, one time, no owner.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use flate2::{Compression, GzBuilder};
use sha2::{Digest, Sha256};

/// What an archive holds: the name below its folder, the bytes, and whether it is a program.
pub(crate) type Content = BTreeMap<String, (Vec<u8>, bool)>;

/// Writes `NAME.tar.gz` to a folder; everything in it is below `NAME/` and of the time `date` (seconds since 1970).
pub(crate) fn write(out: &Path, name: &str, content: &Content, date: u64) -> Result<PathBuf> {
    let path = out.join(format!("{name}.tar.gz"));
    // Neither a name nor a time in the header of gzip: both would be the machine's.
    let packed = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    let mut archive = tar::Builder::new(packed);
    for (file, (bytes, is_program)) in content {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(if *is_program { 0o755 } else { 0o644 });
        header.set_mtime(date);
        header.set_uid(0);
        header.set_gid(0);
        archive.append_data(&mut header, format!("{name}/{file}"), bytes.as_slice())?;
    }
    let bytes = archive.into_inner()?.finish()?;
    fs::write(&path, bytes).with_context(|| format!("can't write {}", path.display()))?;
    Ok(path)
}

/// Writes `SHA256SUMS` beside the files, in the form that `sha256sum --check` reads.
pub(crate) fn write_checksums(out: &Path, files: &[PathBuf]) -> Result<()> {
    let mut text = Vec::new();
    for file in files {
        let bytes = fs::read(file).with_context(|| format!("can't read {}", file.display()))?;
        let name = file.file_name().context("a file without a name")?.to_string_lossy();
        writeln!(text, "{}  {name}", hex(&Sha256::digest(&bytes)))?;
    }
    fs::write(out.join("SHA256SUMS"), text).context("can't write SHA256SUMS")
}

/// Bytes in hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_content_gives_the_same_bytes_sorted_and_without_an_owner() -> Result<()> {
        let content: Content = [
            ("man/biofast.1".to_owned(), (b"page".to_vec(), false)),
            ("biofast".to_owned(), (b"program".to_vec(), true)),
        ]
        .into();
        let (one, two) = (tempfile::tempdir()?, tempfile::tempdir()?);
        let first = write(one.path(), "biofast-1", &content, 1_000_000)?;
        let second = write(two.path(), "biofast-1", &content, 1_000_000)?;
        assert_eq!(fs::read(&first)?, fs::read(&second)?);
        let bytes = fs::read(&first)?;
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(bytes.as_slice()));
        let mut seen = Vec::new();
        for entry in archive.entries()? {
            let entry = entry?;
            let header = entry.header();
            assert_eq!((header.mtime()?, header.uid()?, header.gid()?), (1_000_000, 0, 0));
            seen.push((entry.path()?.display().to_string(), header.mode()?));
        }
        let expected = [("biofast-1/biofast", 0o755), ("biofast-1/man/biofast.1", 0o644)];
        assert_eq!(seen, expected.map(|(name, mode)| (name.to_owned(), mode)));
        write_checksums(one.path(), &[first])?;
        let sums = fs::read_to_string(one.path().join("SHA256SUMS"))?;
        assert_eq!(sums, format!("{}  biofast-1.tar.gz\n", hex(&Sha256::digest(&bytes))));
        Ok(())
    }
}
