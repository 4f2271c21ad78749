//! Copies blocks while they are read.

use std::collections::BTreeSet;
use std::io::{Cursor, Read};

use biofast_bam::{Header, HeaderParser, Reference};
use biofast_io::bgzf::{self, Parsed, parse_header};
use biofast_io::output::{self, Output};
use biofast_io::{Options, Reader, Shown, Source};

use super::content::CatContent;

type MakeHeader = Box<dyn FnOnce(&Header) -> Header + Send>;

/// Takes the bytes of parts as they are read, and writes their blocks.
pub(super) struct Copier {
    /// None where the text of parts is written, and not what is stored of them.
    pub(super) output: Option<Output>,
    /// What stands in the place of the first header.
    pub(super) given: Option<Header>,
    /// Whether the given header may rename reference sequences: their number and lengths must be the parts' then.
    pub(super) renames: bool,
    /// What is made of the first header.
    pub(super) make_header: Option<MakeHeader>,
    /// Whether read groups that the first header lacks are a fault.
    pub(super) needs_groups: bool,
    /// Whether what is read of the part is not copied: its text is given as blocks, or goes elsewhere.
    pub(super) ignores: bool,
    /// Blocks that were copied.
    pub(super) blocks: u64,
    /// IDs of read groups that the first header lacks.
    pub(super) lost: BTreeSet<Vec<u8>>,
    /// Of the header that is written: its references and its read groups.
    first: Option<(Vec<Reference>, BTreeSet<Vec<u8>>)>,
    phase: Phase,
    /// Bytes of blocks that aren't complete, or whose kind isn't known.
    pending: Vec<u8>,
    /// Inflated bytes of a header that isn't complete.
    header: Vec<u8>,
    parser: HeaderParser,
    /// The last block that isn't empty, of text.
    last: Vec<u8>,
    content: CatContent,
    fault: Option<CopyFault>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// What the part holds isn't known.
    Unknown,
    /// Its header isn't complete.
    Header,
    Blocks,
    /// It is ordinary gzip.
    Members,
}

/// Why a part can't be copied.
pub(super) enum CopyFault {
    NotBgzf,
    /// Which of the reference sequences are others than the common ones.
    References(String),
    /// A read group that the header of the first part lacks.
    ReadGroup(Vec<u8>),
    Output(output::Error),
}

impl Copier {
    pub(super) fn new(output: Output) -> Copier {
        Copier {
            output: Some(output),
            needs_groups: false,
            ignores: false,
            given: None,
            renames: false,
            make_header: None,
            blocks: 0,
            lost: BTreeSet::new(),
            first: None,
            phase: Phase::Unknown,
            pending: Vec::new(),
            header: Vec::new(),
            parser: HeaderParser::default(),
            last: Vec::new(),
            content: CatContent::Fastq,
            fault: None,
        }
    }

    /// A part begins.
    pub(super) fn begin(&mut self) {
        self.phase = Phase::Unknown;
        self.ignores = false;
        self.pending.clear();
        self.header.clear();
        self.parser = HeaderParser::default();
        self.last.clear();
    }

    /// The part holds this.
    pub(super) fn go_on(&mut self, content: CatContent) {
        self.content = content;
        self.phase = match content {
            CatContent::Bam => Phase::Header,
            CatContent::Fastq => Phase::Blocks,
        };
        self.copy();
    }

    /// The part is reads in ordinary gzip, whose members are copied.
    pub(super) fn go_on_with_members(&mut self) {
        self.phase = Phase::Members;
        self.copy();
    }

    /// What is read of the part is not copied.
    pub(super) fn ignore(&mut self) {
        self.content = CatContent::Fastq;
        self.phase = Phase::Blocks;
        self.ignores = true;
        self.pending.clear();
    }

    /// Takes blocks that are made of the part's text; `false` if there is no use in more of them.
    pub(super) fn put(&mut self, blocks: &[u8]) -> bool {
        self.pending.extend_from_slice(blocks);
        self.copy();
        self.fault.is_none()
    }

    /// The text of a part doesn't end in a line end, and the next one needs a line of its own.
    pub(super) fn end_line(&mut self) {
        self.write(&blocks_of(b"\n"));
    }

    /// Takes the next bytes of the part; `false` if there is no use in more of them.
    pub(super) fn take(&mut self, bytes: &[u8]) -> bool {
        if self.ignores {
            return true;
        }
        // The reader says what is wrong with blocks, where it is.
        if matches!(self.fault, Some(CopyFault::NotBgzf)) {
            return true;
        }
        self.pending.extend_from_slice(bytes);
        self.copy();
        matches!(self.fault, None | Some(CopyFault::NotBgzf))
    }

    /// The part has been read.
    ///
    /// # Errors
    /// If it couldn't be copied.
    pub(super) fn end(&mut self) -> Result<(), CopyFault> {
        if self.fault.is_none() && (!self.pending.is_empty() || self.phase == Phase::Header) {
            self.fault = Some(CopyFault::NotBgzf);
        }
        self.pending.clear();
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        // The next part begins with a line of its own.
        if self.content == CatContent::Fastq
            && !self.last.is_empty()
            && !inflate(&self.last).is_some_and(|text| text.ends_with(b"\n"))
        {
            self.end_line();
            self.blocks += 1;
        }
        self.fault.take().map_or(Ok(()), Err)
    }

    fn write(&mut self, bytes: &[u8]) {
        if self.fault.is_none()
            && let Some(output) = &mut self.output
            && let Err(error) = output.append(bytes)
        {
            self.fault = Some(CopyFault::Output(error));
        }
    }

    /// Copies the blocks that are complete.
    fn copy(&mut self) {
        if self.phase == Phase::Unknown || self.fault.is_some() {
            return;
        }
        let pending = std::mem::take(&mut self.pending);
        if self.phase == Phase::Members {
            return self.write(&pending);
        }
        // Blocks that follow one another are written together.
        let (mut from, mut at) = (0, 0);
        while at < pending.len() && self.fault.is_none() {
            let rest = &pending[at..];
            let len = match parse_header(rest) {
                Parsed::Block(header) if header.block_len <= rest.len() => header.block_len,
                Parsed::Block(_) | Parsed::NeedMore(_) => break,
                Parsed::OtherGzip | Parsed::NotGzip | Parsed::Invalid(_) => {
                    self.fault = Some(CopyFault::NotBgzf);
                    break;
                }
            };
            let block = &rest[..len];
            // ISIZE: the last block of a file is empty, and one of these is enough.
            let is_empty = block.ends_with(&[0; 4]);
            if is_empty || self.phase == Phase::Header {
                self.write(&pending[from..at]);
                from = at + len;
                if !is_empty {
                    self.take_header(block);
                }
            } else {
                self.blocks += 1;
                if self.content == CatContent::Fastq {
                    self.last.clear();
                    self.last.extend_from_slice(block);
                }
            }
            at += len;
        }
        self.write(&pending[from..at.max(from)]);
        self.pending = pending;
        self.pending.drain(..at);
    }

    /// Takes a block of the header, which may end in it.
    fn take_header(&mut self, block: &[u8]) {
        let Some(text) = inflate(block) else {
            self.fault = Some(CopyFault::NotBgzf);
            return;
        };
        self.header.extend_from_slice(&text);
        let (header, len) = match self.parser.from_bam(&self.header) {
            Ok(Some(found)) => found,
            Ok(None) => return,
            Err(_) => {
                self.fault = Some(CopyFault::NotBgzf);
                return;
            }
        };
        self.phase = Phase::Blocks;
        let is_first = self.first.is_none();
        let given = if is_first { self.given.take() } else { None };
        let common = given.as_ref().unwrap_or(&header);
        let (references, known) =
            self.first.get_or_insert_with(|| (common.references().to_vec(), read_groups(common)));
        let renames = self.renames;
        let is_same = |common: &Reference, own: &Reference| {
            common.length == own.length && (renames || common.name == own.name)
        };
        if let Some(difference) = difference(references, header.references(), is_same) {
            self.fault = Some(CopyFault::References(difference));
            return;
        }
        self.lost.extend(read_groups(&header).difference(known).cloned());
        if let Some(id) = self.lost.first().filter(|_| self.needs_groups) {
            self.fault = Some(CopyFault::ReadGroup(id.clone()));
            return;
        }
        if is_first {
            let written = match self.make_header.take() {
                Some(make) => make(common),
                None => common.clone(),
            };
            let mut bytes = Vec::new();
            if written.write_bam(&mut bytes).is_err() {
                // It was read, and lines don't double it.
                self.fault = Some(CopyFault::NotBgzf);
                return;
            }
            self.write(&blocks_of(&bytes));
        }
        let records = std::mem::take(&mut self.header);
        if records.len() > len {
            self.write(&blocks_of(&records[len..]));
            self.blocks += 1;
        }
    }
}

/// The IDs of a header's read groups.
fn read_groups(header: &Header) -> BTreeSet<Vec<u8>> {
    header.read_groups().filter_map(|group| group.id()).map(<[u8]>::to_vec).collect()
}

/// Where two lists differ first, if they do: of all parts, and of this one.
fn difference(
    common: &[Reference],
    own: &[Reference],
    is_same: impl Fn(&Reference, &Reference) -> bool,
) -> Option<String> {
    let show = |reference: Option<&Reference>| match reference {
        Some(reference) => {
            format!("'{}' of {} bases", Shown(&reference.name), reference.length)
        }
        None => "missing".to_owned(),
    };
    let mut places = 0..common.len().max(own.len());
    let at = places.find(|&at| match (common.get(at), own.get(at)) {
        (Some(common), Some(own)) => !is_same(common, own),
        _ => true,
    })?;
    let [there, here] = [common, own].map(|references| show(references.get(at)));
    Some(format!("sequence {} is {there} there but {here} here", at + 1))
}

/// The text of a block; nothing if it is damaged, which its reader says.
fn inflate(block: &[u8]) -> Option<Vec<u8>> {
    let source = Source::from_reader("", Cursor::new(block.to_vec()));
    let mut text = Vec::new();
    let mut reader = Reader::new(source, &Options::serial()).ok()?;
    reader.read_to_end(&mut text).ok()?;
    Some(text)
}

/// Blocks of this text.
fn blocks_of(text: &[u8]) -> Vec<u8> {
    let mut bytes = bgzf::compress(text);
    bytes.truncate(bytes.len() - bgzf::EOF_BLOCK.len());
    bytes
}
