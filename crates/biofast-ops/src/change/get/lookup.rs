//! Records found through the index of names.

use std::io::{BufRead, Read, Seek, SeekFrom};
use std::path::Path;

use biofast_io::remote::Ranged;
use biofast_io::{Jumper, display_name};

use super::error::{Error, ErrorKind};
use super::format::{ENTRY_LEN, HEADER_LEN, Header, STRIDE, fingerprint};
use crate::measure::shards::{Container, ShardFormat, State};

/// The longest record of BAM, block size included.
const MOST: usize = 1 << 31;

/// A file with its index of names. An example is at [`build`](super::build).
pub struct NameLookup {
    header: Header,
    index: Ranged,
    /// How the index is called in errors, and the file.
    index_name: String,
    name: String,
    jumper: Jumper,
}

impl NameLookup {
    /// Opens a file and its index.
    ///
    /// # Errors
    /// If one of them can't be read, or the index is damaged or not that of the file as it is now.
    pub fn open(path: &Path, index: &Path) -> Result<NameLookup, Error> {
        let index_name = display_name(index);
        let io = |error| Error::of(ErrorKind::Io(error), &index_name);
        let mut file = Ranged::open(index).map_err(io)?;
        let none = || Error::of(ErrorKind::NotAnIndex, &index_name);
        let mut start = [0; HEADER_LEN as usize];
        if file.read_at(&mut start, 0).map_err(io)? < start.len() {
            return Err(none());
        }
        if Header::is_other_version(&start) {
            return Err(Error::of(ErrorKind::OtherVersion, &index_name));
        }
        let header = Header::read(&start).ok_or_else(none)?;
        if file.seek(SeekFrom::End(0)).map_err(io)? != header.len() {
            return Err(none());
        }
        let state = State::of(path)?;
        let stale = |what| Error::of(ErrorKind::Stale(what), &index_name);
        if state.size != header.size {
            return Err(stale("the file size differs"));
        }
        if u64::from_str_radix(&state.digest, 16) != Ok(header.digest) {
            return Err(stale("the content (digest) differs"));
        }
        let jumper = match header.container {
            Container::Plain | Container::Gzip => Jumper::plain(path)?,
            Container::Bgzf => Jumper::blocks(path)?,
        };
        Ok(NameLookup { header, index: file, index_name, name: display_name(path), jumper })
    }

    /// What the file holds.
    pub fn format(&self) -> ShardFormat {
        self.header.format
    }

    /// How many records it has.
    pub fn records(&self) -> u64 {
        self.header.records
    }

    /// Numbers of the index, from byte `at` of its content on. What was changed since it was written is an error.
    fn numbers(&mut self, at: u64, count: u64) -> Result<Vec<u64>, Error> {
        let none = || Error::of(ErrorKind::NotAnIndex, &self.index_name);
        if count > self.header.len() / 8 {
            return Err(none());
        }
        if count == 0 {
            return Ok(Vec::new());
        }
        let stored = self.header.stored(at, 8 * count);
        let mut pages = vec![0; stored.len as usize];
        let n = self.index.read_at(&mut pages, stored.at);
        let n = n.map_err(|error| Error::of(ErrorKind::Io(error), &self.index_name))?;
        if n < pages.len() {
            return Err(none());
        }
        let bytes = self.header.content_of(&stored, &pages, 8 * count as usize).ok_or_else(none)?;
        let (numbers, _) = bytes.as_chunks::<8>();
        Ok(numbers.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect())
    }

    /// The places of the records that may have this name, in the order of the file: all that do, and by a chance of 2⁻⁶⁴ a
    /// record another one. [`record`](Self::record) reads them, and [`name_of`](Self::name_of) tells which.
    ///
    /// # Errors
    /// If the index can't be read or is damaged.
    pub fn places(&mut self, name: &[u8]) -> Result<Vec<u64>, Error> {
        let wanted = fingerprint(name);
        let group = self.header.group(wanted);
        let bounds = self.numbers(self.header.group_at(group), 2)?;
        let damaged = || Error::of(ErrorKind::NotAnIndex, &self.index_name);
        let [start, end] = bounds[..] else { return Err(damaged()) };
        if start > end || end > self.header.records {
            return Err(damaged());
        }
        let entries = self.numbers(self.header.entry_at(start), (end - start) * (ENTRY_LEN / 8))?;
        let (entries, _) = entries.as_chunks::<2>();
        let first = entries.partition_point(|entry| entry[0] < wanted);
        let found = entries[first..].iter().take_while(|entry| entry[0] == wanted);
        Ok(found.map(|entry| entry[1]).collect())
    }

    /// The place of the record of this number, from 1.
    ///
    /// # Errors
    /// If there is none, or something can't be read.
    pub fn place_of(&mut self, number: u64) -> Result<u64, Error> {
        let records = self.header.records;
        let Some(index) = number.checked_sub(1).filter(|index| *index < records) else {
            return Err(Error::of(ErrorKind::NoRecord { number, records }, &self.name));
        };
        let mark = self.numbers(self.header.mark_at(index / STRIDE), 1)?;
        let mut place = mark.first().copied().unwrap_or(0);
        let mut record = Vec::new();
        self.jump(place)?;
        for _ in 0..index % STRIDE {
            record.clear();
            self.take(&mut record)?;
            place = self.jumper.place();
        }
        Ok(place)
    }

    /// Appends the record at a place: the lines of FASTQ, or what BAM has of it, block size included.
    ///
    /// # Errors
    /// If it can't be read, or no record is there.
    pub fn record(&mut self, place: u64, out: &mut Vec<u8>) -> Result<(), Error> {
        self.jump(place)?;
        self.take(out)
    }

    fn jump(&mut self, place: u64) -> Result<(), Error> {
        self.jumper.jump(place).map_err(|error| match error.kind() {
            biofast_io::ErrorKind::IndexMismatch(_) => self.stale(),
            _ => error.into(),
        })
    }

    fn stale(&self) -> Error {
        Error::of(ErrorKind::Stale("no record is where the index says"), &self.index_name)
    }

    /// Appends the record that comes next.
    fn take(&mut self, out: &mut Vec<u8>) -> Result<(), Error> {
        let start = out.len();
        let failed = |error: std::io::Error| match error.downcast::<biofast_io::Error>() {
            Ok(own) => Error::from(own),
            Err(error) => Error::of(ErrorKind::Io(error), &self.name),
        };
        let is_whole = match self.header.format {
            ShardFormat::Bam => {
                let mut size = [0; 4];
                let mut whole = false;
                if self.jumper.read_exact(&mut size).is_ok() {
                    let len = u32::from_le_bytes(size) as usize;
                    out.extend(size);
                    if (33..MOST).contains(&len) {
                        let more = (&mut self.jumper).take(len as u64).read_to_end(out);
                        whole = more.map_err(failed)? == len;
                    }
                }
                // The name ends within the record.
                whole
                    && out
                        .get(start + 12)
                        .is_some_and(|&n| n > 0 && start + 36 + usize::from(n) <= out.len())
            }
            _ => {
                let mut lines = 0;
                while lines < 4 && self.jumper.read_until(b'\n', out).map_err(failed)? > 0 {
                    lines += 1;
                }
                // The last line of the file may lack its line feed.
                if lines == 4 && out.last() != Some(&b'\n') {
                    out.push(b'\n');
                }
                lines == 4 && out.get(start) == Some(&b'@')
            }
        };
        match is_whole {
            true => Ok(()),
            false => {
                out.truncate(start);
                Err(self.stale())
            }
        }
    }

    /// The name of a record that [`record`](Self::record) gave.
    pub fn name_of<'r>(&self, record: &'r [u8]) -> &'r [u8] {
        match self.header.format {
            ShardFormat::Bam => {
                let len = record.get(12).map_or(0, |&len| usize::from(len));
                record.get(36..(36 + len).saturating_sub(1)).unwrap_or_default()
            }
            _ => {
                let line = record.get(1..).unwrap_or_default();
                let end = line.iter().position(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
                &line[..end.unwrap_or(line.len())]
            }
        }
    }

    /// An error unless a record that was found by its name has a name with the same fingerprint.
    ///
    /// # Errors
    /// That the index is stale.
    pub fn check_name(&self, record: &[u8], wanted: &[u8]) -> Result<bool, Error> {
        let found = self.name_of(record);
        match fingerprint(found) == fingerprint(wanted) {
            true => Ok(found == wanted),
            false => Err(self.stale()),
        }
    }
}
