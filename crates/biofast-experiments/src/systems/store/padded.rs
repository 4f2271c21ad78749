//! A log as the earlier design had it, to see that the crash tests find what is wrong with it: records of length,
//! key and value without anything to check them by, a file made longer in advance by `set_len`, and its size taken
//! for the end of the log when it is opened again.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use super::crash::{Log, Operation, State};

/// The file grows by so much at a time.
const STEP: u64 = 4096;
/// Length and key.
const HEAD: usize = 12;
/// The length that stands for a removal.
const REMOVED: u32 = u32::MAX;

/// The log, all values in memory.
pub(crate) struct Padded {
    file: File,
    end: u64,
    size: u64,
    values: State,
}

impl Padded {
    fn open(path: &Path) -> io::Result<Padded> {
        let file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        let bytes = std::fs::read(path)?;
        let mut values = BTreeMap::new();
        let mut rest = &bytes[..];
        while let Some((head, behind)) = rest.split_first_chunk::<HEAD>() {
            let len = u32::from_le_bytes([head[0], head[1], head[2], head[3]]);
            let key = u64::from_le_bytes(head[4..].try_into().unwrap_or_default());
            match len {
                // Key and value of length 0 look the same as padding.
                0 if key == 0 => break,
                REMOVED => {
                    values.remove(&key);
                    rest = behind;
                }
                _ => {
                    let Some((value, next)) = behind.split_at_checked(len as usize) else { break };
                    values.insert(key, value.to_vec());
                    rest = next;
                }
            }
        }
        let size = bytes.len() as u64;
        Ok(Padded { file, end: size, size, values })
    }

    fn append(&mut self, len: u32, key: u64, value: &[u8]) -> io::Result<()> {
        let mut record = Vec::with_capacity(HEAD + value.len());
        record.extend_from_slice(&len.to_le_bytes());
        record.extend_from_slice(&key.to_le_bytes());
        record.extend_from_slice(value);
        let end = self.end + record.len() as u64;
        if end > self.size {
            self.size = end.next_multiple_of(STEP);
            self.file.set_len(self.size)?;
        }
        self.file.write_all_at(&record, self.end)?;
        self.end = end;
        Ok(())
    }
}

impl Log for Padded {
    fn open(path: &Path, _: u32) -> io::Result<Option<(Self, bool)>> {
        Ok(Some((Padded::open(path)?, false)))
    }

    fn apply(&mut self, (key, value): &Operation) -> io::Result<()> {
        if let Some(value) = value {
            self.append(value.len() as u32, *key, value)?;
            self.values.insert(*key, value.clone());
        } else if self.values.remove(key).is_some() {
            self.append(REMOVED, *key, &[])?;
        }
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }

    /// Cuts the padding off, as a program does that ends in order.
    fn close(self) -> io::Result<()> {
        self.file.set_len(self.end)?;
        self.file.sync_all()
    }

    fn state(&self) -> Option<State> {
        Some(self.values.clone())
    }
}
