//! The plan: files, where they are cut, and what they were like then.

use std::path::Path;

use biofast_io::bgzf::VirtualOffset;
use biofast_io::{Location, Origin, Source, Span, display_name};
use serde::{Deserialize, Serialize};

use super::cover::{ShardPart, ShardRun};
use super::error::{Error, ErrorKind};
use super::gzip::GzipIndex;
use super::schema::{SCHEMA, SCHEMA_VERSION};
use super::state::{Fnv, State};

/// A place in a file as stored. Plain: a byte, and 0; of ordinary gzip: a byte of its text, and 0. BGZF: the byte where a block starts, and the place in its data.
pub type FilePosition = (u64, u16);

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ShardFormat {
    /// Reads, in four lines each.
    #[serde(rename = "FASTQ")]
    Fastq,
    /// Alignments.
    #[serde(rename = "BAM")]
    Bam,
    /// Alignments, cut between containers.
    #[serde(rename = "CRAM")]
    Cram,
}

impl ShardFormat {
    /// Its name in the plan.
    pub(super) fn name(self) -> &'static str {
        match self {
            ShardFormat::Fastq => "FASTQ",
            ShardFormat::Bam => "BAM",
            ShardFormat::Cram => "CRAM",
        }
    }
}

/// The compression of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Container {
    /// Nothing.
    Plain,
    /// Blocks.
    Bgzf,
    /// Ordinary gzip, with a [seek index](super::GzipIndex) beside the file. Places are in the text.
    Gzip,
}

/// Shards of one file, or of two files of mates.
///
/// ```
/// # let folder = std::env::temp_dir().join(format!("biofast-doc-plan-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("reads.fq");
/// use biofast_fastq::Fold;
/// use biofast_io::Options;
/// use biofast_ops::shards::{ShardInput, ShardSizing, make};
///
/// std::fs::write(&path, "@a\nACGT\n+\nIIII\n@b\nGG\n+\nII\n@c\nT\n+\nI\n")?;
/// let options = Options::default();
/// let plan = make(&[ShardInput::new(&path)], 1, ShardSizing::Number(2), &options)?;
/// let mut reads = 0;
/// for number in 1..=2 {
///     // Any machine can do this that has the plan and the file.
///     let shard = plan.open(number, 0, &path)?;
///     reads += Fold::new(shard).options(&options).run(
///         || 0,
///         |n, batch| *n += batch.len(),
///         |n, other| *n += other,
///     )?;
/// }
/// assert_eq!(reads, 3);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// [`SCHEMA`].
    pub schema: String,
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The version of biofast that made it.
    pub biofast_version: String,
    /// 16 hexadecimal digits that no other plan has: FNV-1a of what is below but for paths, times and names.
    pub id: String,
    /// Records of each file.
    pub records: u64,
    /// Cuts are before records whose number, from 0, is a multiple of this: 2 where mates follow each other, else 1.
    pub together: u64,
    /// Whether cuts are only where the name changes, so that the records of a template that stand together are in one shard.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub templates: bool,
    /// Whether cuts are only where the position changes, and shards have [regions](Shard::regions).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_region: bool,
    /// One, or the two of mates.
    pub files: Vec<PlannedFile>,
    /// The shards in their order, at least one.
    pub shards: Vec<Shard>,
}

/// A file that is split.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedFile {
    /// Where it was.
    pub path: String,
    /// What it holds.
    pub format: ShardFormat,
    /// What it is wrapped in.
    pub container: Container,
    /// As [`State::size`].
    pub size: u64,
    /// As [`State::modified`].
    pub modified: Option<(u64, u32)>,
    /// As [`State::digest`].
    pub digest: String,
    /// Where the header of BAM or CRAM ends; the start of FASTQ.
    pub header_end: FilePosition,
}

/// A shard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// The numbers, from 0, of its first record and of the first one behind it.
    pub records: (u64, u64),
    /// Where it is in each file.
    pub files: Vec<FileRange>,
    /// Where its records start, in plans by region: `NAME:FIRST-LAST`, positions from 1, in the order of the references, and `*` for
    /// records without a reference. Those of all shards together are all references, each position once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regions: Vec<String>,
}

/// A part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRange {
    /// Where its first record starts.
    pub start: FilePosition,
    /// Where it ends.
    pub end: FilePosition,
    /// Where it starts in the decompressed data; of CRAM as `start`.
    pub offset: u64,
}

impl PlannedFile {
    /// Behind the last byte.
    pub(super) fn end(&self) -> FilePosition {
        (self.size, 0)
    }
}

impl Plan {
    /// What the id of a plan with these contents is.
    pub(super) fn computed_id(&self) -> String {
        let mut hash = Fnv::default();
        let mut add = |text: String| hash.add(text.as_bytes());
        let templates = if self.templates { " templates" } else { "" };
        let by_region = if self.by_region { " regions" } else { "" };
        add(format!("{} {}{templates}{by_region}\n", self.records, self.together));
        for PlannedFile { format, container, size, digest, header_end: (at, within), .. } in
            &self.files
        {
            let format = format.name();
            let container = match container {
                Container::Plain => "plain",
                Container::Bgzf => "bgzf",
                Container::Gzip => "gzip",
            };
            add(format!("{format} {container} {size} {digest} {at}:{within}\n"));
        }
        for Shard { records: (first, end), files, regions } in &self.shards {
            add(format!("{first} {end}"));
            for FileRange { start, end, offset } in files {
                add(format!(" {}:{} {}:{} {offset}", start.0, start.1, end.0, end.1));
            }
            regions.iter().for_each(|region| add(format!("\t{region}")));
            add("\n".into());
        }
        hash.to_string()
    }

    /// Checks a plan that was read: that it is one, that nothing of it was changed, and that its shards cover each file once.
    ///
    /// # Errors
    /// If not.
    pub fn check(&self) -> Result<(), Error> {
        let wrong = |what| Err(Error::new(ErrorKind::Damaged(what), Location::default()));
        if self.schema != SCHEMA {
            return wrong("unknown schema");
        }
        if self.schema_version != SCHEMA_VERSION {
            let kind = ErrorKind::Version(self.schema_version);
            return Err(Error::new(kind, Location::default()));
        }
        if self.files.is_empty() || self.files.len() > 2 || self.shards.is_empty() {
            return wrong("it needs one or two files, and shards");
        }
        if self.id != self.computed_id() {
            return wrong("its id doesn't match its content");
        }
        // No file is that large; nothing that is computed of these overflows then.
        let offsets = self.shards.iter().flat_map(|shard| &shard.files).map(|range| range.offset);
        let sizes = self.files.iter().map(|file| file.size);
        if sizes.chain([self.records]).any(|n| n > 1 << 47) || offsets.max() > Some(1 << 60) {
            return wrong("its numbers are too large");
        }
        let mut record = 0;
        let mut places: Vec<FilePosition> = self.files.iter().map(|file| file.header_end).collect();
        for Shard { records: (first, end), files, .. } in &self.shards {
            if *first != record || end < first || files.len() != places.len() {
                return wrong("its shards are not consecutive");
            }
            record = *end;
            for (place, range) in places.iter_mut().zip(files) {
                if range.start != *place || range.end < range.start {
                    return wrong("its shards are not consecutive");
                }
                *place = range.end;
            }
        }
        // How long the text of ordinary gzip is, its index says.
        let is_end = |(file, place): (&PlannedFile, FilePosition)| {
            file.container == Container::Gzip && place.1 == 0 || file.end() == place
        };
        let reaches_end = self.files.iter().zip(places).all(is_end);
        if record != self.records || !reaches_end {
            return wrong("its shards don't reach the end");
        }
        Ok(())
    }

    /// Checks that `path` still is what file `file` (from 0) was. Of a copy in another place the time doesn't count.
    ///
    /// # Errors
    /// If it has changed, or can't be read.
    pub fn check_file(&self, file: usize, path: &Path, is_copy: bool) -> Result<(), Error> {
        let planned = self.file(file)?;
        let state = State::of(path)?;
        let changed = |what, was: String, is: String| {
            let kind = ErrorKind::Changed { what, was_is: [was, is] };
            Err(Error::of(kind, &display_name(path)))
        };
        let time = |time: (u64, u32)| format!("{}.{:09}", time.0, time.1);
        if state.size != planned.size {
            return changed("its size", planned.size.to_string(), state.size.to_string());
        }
        if state.digest != planned.digest {
            return changed("its content (digest)", planned.digest.clone(), state.digest);
        }
        match (planned.modified, state.modified) {
            (Some(was), Some(is)) if was != is && !is_copy => {
                changed("the time of its last change (seconds since 1970)", time(was), time(is))
            }
            _ => Ok(()),
        }
    }

    /// Checks that ordinary gzip has the seek index that its shards need.
    ///
    /// # Errors
    /// If it isn't there, or not that of the file as it is.
    pub fn check_index(&self, file: usize, path: &Path) -> Result<(), Error> {
        if self.file(file)?.container == Container::Gzip {
            GzipIndex::open(path)?;
        }
        Ok(())
    }

    fn file(&self, file: usize) -> Result<&PlannedFile, Error> {
        let none = || Error::new(ErrorKind::Damaged("it has no such file"), Location::default());
        self.files.get(file).ok_or_else(none)
    }

    /// The shard with this number, from 1.
    ///
    /// # Errors
    /// If there is none.
    pub fn shard(&self, number: u64) -> Result<&Shard, Error> {
        let index = number.checked_sub(1).and_then(|index| usize::try_from(index).ok());
        index.and_then(|index| self.shards.get(index)).ok_or_else(|| {
            let kind = ErrorKind::NoShard { number, shards: self.shards.len() as u64 };
            Error::new(kind, Location::default())
        })
    }

    /// Opens the part of file `file` (from 0), which is at `path`, that belongs to a shard (from 1). Whether it still is that
    /// file, [`check_file`](Self::check_file) says; that it has another number of records is an error when it is read.
    ///
    /// # Errors
    /// If there is no such shard, or the file can't be opened.
    pub fn open(&self, number: u64, file: usize, path: &Path) -> Result<Source, Error> {
        let planned = self.file(file)?;
        let Shard { records: (first, end), files, .. } = self.shard(number)?;
        let range = files.get(file).copied();
        let range = range.ok_or_else(|| {
            Error::new(ErrorKind::Damaged("a shard lacks a file"), Location::default())
        })?;
        let lines = match planned.format {
            ShardFormat::Fastq => 4 * first,
            ShardFormat::Bam | ShardFormat::Cram => 0,
        };
        let origin = Origin {
            records: *first,
            lines,
            offset: range.offset,
            expected: Some(end.saturating_sub(*first)),
            // An empty one doesn't hold what marks the end, wherever it is.
            goes_on: range.end != planned.end() || range.start == range.end,
        };
        if planned.container == Container::Gzip {
            if range.start == range.end {
                let nothing = Source::from_reader(&display_name(path), std::io::empty());
                return Ok(nothing.starting_at(origin));
            }
            let part = GzipIndex::open(path)?.part(range.start.0, range.end.0)?;
            return Ok(Source::open_gzip_part(path, part, origin)?);
        }
        let virtual_offset = |place: FilePosition| match place == planned.end() {
            true => VirtualOffset::MAX,
            false => VirtualOffset::new(place.0, place.1),
        };
        let span = match planned.container {
            Container::Plain | Container::Gzip => {
                let header = planned.header_end.0;
                Span::Bytes { header, start: range.start.0, end: range.end.0 }
            }
            Container::Bgzf => Span::Blocks {
                header: virtual_offset(planned.header_end),
                start: virtual_offset(range.start),
                end: virtual_offset(range.end),
            },
        };
        Ok(Source::open_part(path, span, origin)?)
    }

    /// What a report of a shard (from 1) of file `file` (from 0) carries.
    ///
    /// # Errors
    /// If there is no such shard.
    pub fn part(&self, number: u64, file: usize) -> Result<ShardPart, Error> {
        let records = self.shard(number)?.records;
        Ok(ShardPart {
            plan: self.id.clone(),
            shards: self.shards.len() as u64,
            file: file as u64 + 1,
            files: self.files.len() as u64,
            records: self.records,
            pieces: vec![ShardRun { shards: (number, number), records }],
        })
    }

    /// About how many stored bytes a shard (from 1) has of file `file` (from 0).
    pub fn stored_len(&self, number: u64, file: usize) -> Option<u64> {
        let range = self.shard(number).ok()?.files.get(file)?;
        Some(range.end.0.saturating_sub(range.start.0))
    }
}
