//! Records parted by a hash into files that have nothing in common.

use std::io;
use std::path::Path;

use super::stored::{Stored, StoredReader, StoredWriter};

/// The files.
pub(in crate::change) struct Partitions<S> {
    files: Vec<StoredWriter<S>>,
}

impl<S: Stored> Partitions<S> {
    /// So many files in `folder`, with a buffer of this length each.
    pub(in crate::change) fn create(
        folder: &Path,
        count: usize,
        buffer: usize,
    ) -> io::Result<Partitions<S>> {
        let files =
            (0..count).map(|_| StoredWriter::create(folder, buffer)).collect::<io::Result<_>>()?;
        Ok(Partitions { files })
    }

    /// Adds a record to the part of this hash.
    pub(in crate::change) fn add(&mut self, hash: u64, record: &S::Record<'_>) -> io::Result<()> {
        let part = (hash % self.files.len() as u64) as usize;
        self.files[part].add(record)
    }

    /// Bytes that were added.
    pub(in crate::change) fn bytes(&self) -> u64 {
        self.files.iter().map(StoredWriter::bytes).sum()
    }

    /// What reads each part, one after the other.
    pub(in crate::change) fn into_readers(
        self,
    ) -> impl Iterator<Item = io::Result<StoredReader<S>>> {
        self.files.into_iter().map(StoredWriter::into_reader)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// A byte, and as many of it as it says.
    struct Repeated;

    impl Stored for Repeated {
        type Record<'a> = (u8, &'a [u8]);
        const HEAD: usize = 1;

        fn write(&(len, bytes): &(u8, &[u8]), out: &mut impl Write) -> io::Result<u64> {
            out.write_all(&[len])?;
            out.write_all(bytes)?;
            Ok(1 + u64::from(len))
        }

        fn rest(head: &[u8]) -> usize {
            usize::from(head[0])
        }

        fn read<'a>(head: &'a [u8], rest: &'a [u8]) -> (u8, &'a [u8]) {
            (head[0], rest)
        }
    }

    #[test]
    fn every_record_is_in_the_part_of_its_hash_in_the_order_it_came() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let mut parts = Partitions::<Repeated>::create(folder.path(), 3, 16)?;
        for len in 0..=255u8 {
            parts.add(u64::from(len), &(len, &vec![len; usize::from(len)]))?;
        }
        assert_eq!(parts.bytes(), 256 + 255 * 256 / 2);
        for (part, reader) in parts.into_readers().enumerate() {
            let mut reader = reader?;
            for len in (part as u8..=255).step_by(3) {
                let expected = (len, vec![len; usize::from(len)]);
                let found = reader.next()?.map(|(len, bytes)| (len, bytes.to_vec()));
                assert_eq!(found, Some(expected));
            }
            assert!(reader.next()?.is_none());
        }
        Ok(())
    }
}
