//! FASTQ to unaligned BAM, as `samtools import` does it.

use std::fmt;

use biofast_bam::{ErrorKind, Header, Unaligned, flag, parse_tag};
use biofast_fastq::pair::{MateNaming, NameDigest, mate_number, pair_template, template_name};
use biofast_fastq::{Record, Unit};

use crate::measure::check::header_fault;
use crate::number::counted;

/// How reads become records.
#[derive(Clone, Debug, Default)]
pub struct Import {
    /// The optional fields that are taken from the description.
    pub tags: TagSelection,
    /// Whether a Casava description (`2:Y:0:ACGT`) gives part, failed quality control and
    /// barcode.
    pub casava: bool,
    /// The field the barcode of such a description goes to.
    pub barcode_tag: [u8; 2],
    /// The read group (RG) of reads that don't name their own in their description.
    pub read_group: Option<Vec<u8>>,
    /// Whether a read without a mate is a first one all the same.
    pub first_alone: bool,
    /// Whether a `.`, which is stored as N, can't be stored.
    pub strict: bool,
    /// What makes mates, which are stored by one name.
    pub mates: MateNaming,
}

/// Which optional fields are taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TagSelection {
    /// None.
    #[default]
    None,
    /// Those of these names.
    Some(Vec<[u8; 2]>),
    /// All.
    All,
}

impl TagSelection {
    fn has(&self, name: [u8; 2]) -> bool {
        match self {
            TagSelection::None => false,
            TagSelection::Some(names) => names.contains(&name),
            TagSelection::All => true,
        }
    }
}

/// Why a read can't be a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unstorable(String);

/// What was imported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct ImportSummary {
    /// Reads.
    pub reads: u64,
    /// Reads that are stored as first ones of pairs.
    pub first_reads: u64,
    /// Those stored as second ones.
    pub second_reads: u64,
    /// Bases of them all.
    pub bases: u64,
    /// Those of them that were `.` and are stored as N.
    pub dots_as_n: u64,
    /// Reads of whose description a wanted field may have been missed, as spaces separate it from what is no field.
    pub unclear_fields: u64,
    /// The names of first and of second reads, in any order.
    #[serde(skip)]
    names: [NameDigest; 2],
}

impl ImportSummary {
    /// Counts a read that is stored with these flags, of which so many bases were `.`.
    fn add(&mut self, name: &[u8], read: &Record<'_>, flags: u16, dots: u64) {
        self.reads += 1;
        self.bases += read.sequence().len() as u64;
        self.dots_as_n += dots;
        let (first, second) = (flags & flag::READ1 != 0, flags & flag::READ2 != 0);
        self.first_reads += u64::from(first);
        self.second_reads += u64::from(second);
        if first || second {
            self.names[usize::from(second)].add_exact(name, 0);
        }
    }

    /// Adds what another worker did.
    pub fn merge(&mut self, other: &ImportSummary) {
        let ImportSummary {
            reads,
            first_reads,
            second_reads,
            bases,
            dots_as_n,
            unclear_fields,
            names,
        } = other;
        self.reads += reads;
        self.first_reads += first_reads;
        self.second_reads += second_reads;
        self.bases += bases;
        self.dots_as_n += dots_as_n;
        self.unclear_fields += unclear_fields;
        for (mine, &theirs) in self.names.iter_mut().zip(names) {
            mine.merge(theirs);
        }
    }

    /// The number of pairs; `None` if first and second reads don't all have a mate of the same
    /// name.
    pub fn pairs(&self) -> Option<u64> {
        let [first, second] = self.names;
        let even = self.first_reads == self.second_reads && first == second;
        even.then_some(self.first_reads)
    }
}

impl fmt::Display for ImportSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ImportSummary { first_reads, second_reads, .. } = self;
        let reads = counted(self.reads, "read");
        match self.pairs() {
            Some(pairs) => write!(f, "{reads}: {}", counted(pairs, "pair")),
            None => {
                write!(f, "{reads}: {first_reads} first and {second_reads} second, not all paired")
            }
        }
    }
}

impl Import {
    /// Appends the records of a read or a pair, and counts them. `tags` is room for optional fields.
    ///
    /// The final `/1` or `/2` of a name is taken off; it tells which of a pair a read is where
    /// its place doesn't.
    ///
    /// # Errors
    /// If a read can't be stored, or an optional field that is wanted is malformed. What was
    /// appended is then of no use.
    pub fn write(
        &self,
        unit: &Unit<'_>,
        tags: &mut Vec<u8>,
        summary: &mut ImportSummary,
        out: &mut Vec<u8>,
    ) -> Result<(), Unstorable> {
        const PAIRED: u16 = flag::PAIRED | flag::MATE_UNMAPPED;
        match &unit.second {
            Some(second) => {
                let names = [unit.first.name(), second.name()];
                let [one, two] = [names, [names[1], names[0]]]
                    .map(|[name, mate]| pair_template(name, mate, self.mates));
                self.read(one, &unit.first, PAIRED | flag::READ1, tags, summary, out)?;
                self.read(two, second, PAIRED | flag::READ2, tags, summary, out)
            }
            None => {
                let flags = match self.part(&unit.first) {
                    Some(1) => PAIRED | flag::READ1,
                    Some(_) => PAIRED | flag::READ2,
                    None if self.first_alone => flag::PAIRED | flag::READ1,
                    None => 0,
                };
                let name = template_name(unit.first.name());
                self.read(name, &unit.first, flags, tags, summary, out)
            }
        }
    }

    /// Which of a pair a read says it is.
    fn part(&self, read: &Record<'_>) -> Option<u8> {
        let by_name = mate_number(&Record::new(read.name(), b"", b""));
        let casava = Some(read.description()).filter(|_| self.casava).and_then(Casava::parse);
        by_name.or(casava.and_then(|casava| casava.part))
    }

    fn read(
        &self,
        name: &[u8],
        read: &Record<'_>,
        mut flags: u16,
        tags: &mut Vec<u8>,
        summary: &mut ImportSummary,
        out: &mut Vec<u8>,
    ) -> Result<(), Unstorable> {
        tags.clear();
        let mut description = read.description();
        let mut barcode = &b""[..];
        if self.casava
            && let Some(casava) = Casava::parse(description)
        {
            description = casava.rest;
            flags |= if casava.failed { flag::QC_FAIL } else { 0 };
            barcode = casava.barcode;
        }
        let mut fields = Vec::new();
        if self.tags != TagSelection::None && !description.is_empty() {
            let is_clear = self.fields(read.definition(), description, &mut fields);
            summary.unclear_fields += u64::from(!is_clear);
        }
        let has = |name: [u8; 2]| fields.iter().any(|field| field.starts_with(&name));
        // A field of its own has the barcode as it was.
        if !barcode.is_empty() && !has(self.barcode_tag) {
            tags.extend_from_slice(&self.barcode_tag);
            tags.push(b'Z');
            tags.extend_from_slice(barcode);
            tags.push(0);
        }
        for (index, field) in fields.iter().enumerate() {
            let name = &field[..2];
            if fields[..index].iter().any(|other| other.starts_with(name)) {
                let name = biofast_io::Shown(name);
                let reason = format!("its description has tag {name} twice");
                return Err(unstorable(read, reason));
            }
            parse_tag(field, tags).map_err(|e| unstorable(read, e.kind()))?;
        }
        let has_read_group = has(*b"RG");
        if let Some(group) = self.read_group.as_ref().filter(|_| !has_read_group) {
            tags.extend_from_slice(b"RGZ");
            tags.extend_from_slice(group);
            tags.push(0);
        }
        let record =
            Unaligned { name, flags, sequence: read.sequence(), qualities: read.qualities(), tags };
        let dots = record.write(out).map_err(|error| match error.kind() {
            // The name is that of the read here, as it was given.
            ErrorKind::Unwritable { reason, .. } => unstorable(read, reason),
            kind => unstorable(read, kind),
        })?;
        if self.strict && dots > 0 {
            return Err(unstorable(read, "BAM can't store '.' and would turn it into N"));
        }
        summary.add(name, read, flags, dots);
        Ok(())
    }
}

impl Import {
    /// The wanted fields of a description, the end of `definition`; false if there may be more of them.
    ///
    /// Tabs separate fields, as values may hold spaces. Behind a name that a space ends, what is before the first tab is words: if those
    /// from the first field on are all fields, each is one.
    fn fields<'a>(
        &self,
        definition: &'a [u8],
        description: &'a [u8],
        out: &mut Vec<&'a [u8]>,
    ) -> bool {
        let is_wanted = |field: &[u8]| {
            let [a, b, b':', b'A' | b'i' | b'f' | b'Z' | b'H' | b'B', b':', ..] = *field else {
                return false;
            };
            a.is_ascii_alphabetic() && b.is_ascii_alphanumeric() && self.tags.has([a, b])
        };
        // The description is a part of the definition that something separates from its beginning.
        let before = definition.len().checked_sub(description.len() + 1);
        let mut fields = description.split(|&b| b == b'\t');
        let mut is_clear = true;
        if before.is_some_and(|at| definition[at] == b' ')
            && let Some(first) = fields.next()
        {
            let words = || first.split(|&b| b == b' ').filter(|word| !word.is_empty());
            let is_field = |word: &[u8]| {
                word.get(4) == Some(&b':') && parse_tag(word, &mut Vec::new()).is_ok()
            };
            let mut from_first = words().skip_while(|word| !is_field(word)).peekable();
            if from_first.peek().is_some() && from_first.all(is_field) {
                out.extend(words().filter(|word| is_wanted(word)));
            } else if is_wanted(first) {
                out.push(first);
                is_clear = words().filter(|word| is_wanted(word)).count() < 2;
            } else {
                is_clear = !words().any(is_wanted);
            }
        }
        out.extend(fields.filter(|field| is_wanted(field)));
        is_clear
    }
}

fn unstorable(read: &Record<'_>, reason: impl fmt::Display) -> Unstorable {
    let name = biofast_io::Shown(read.name());
    Unstorable(format!("can't store read '{name}' as BAM: {reason}"))
}

/// A Casava description: `1:N:0:ACGT`, and what follows it.
struct Casava<'a> {
    part: Option<u8>,
    failed: bool,
    barcode: &'a [u8],
    rest: &'a [u8],
}

impl<'a> Casava<'a> {
    fn parse(description: &'a [u8]) -> Option<Casava<'a>> {
        let [part @ b'0'..=b'9', b':', failed @ (b'Y' | b'N'), b':', rest @ ..] = description
        else {
            return None;
        };
        let end = rest.iter().position(|b| matches!(b, b' ' | b'\t')).unwrap_or(rest.len());
        let (fields, rest) = rest.split_at(end);
        let colon = fields.iter().position(|&b| b == b':')?;
        let barcode = &fields[colon + 1..];
        // A number is that of a sample, not a barcode.
        let is_barcode =
            barcode.iter().all(|&b| b.is_ascii_alphabetic() || matches!(b, b'+' | b'-'));
        let barcode = if is_barcode { barcode } else { b"" };
        let part = Some(part - b'0').filter(|part| (1..=2).contains(part));
        let rest = rest.get(1..).unwrap_or_default();
        Some(Casava { part, failed: *failed == b'Y', barcode, rest })
    }
}

/// The header of unaligned BAM with these `@RG` lines, each given by its fields.
///
/// # Errors
/// If a line has no ID, or a field is malformed.
pub fn header(
    read_groups: &[ReadGroup],
    comment: Option<&str>,
) -> Result<Header, biofast_bam::Error> {
    let mut text = b"@HD\tVN:1.6\tSO:unsorted\tGO:query\n".to_vec();
    if let Some(comment) = comment {
        text.extend_from_slice(format!("@CO\t{comment}\n").as_bytes());
    }
    for group in read_groups {
        text.extend_from_slice(group.line.as_bytes());
        text.push(b'\n');
    }
    Header::from_text(&text)
}

/// A read group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadGroup {
    line: String,
    id: String,
}

impl ReadGroup {
    /// Parses read groups like samtools' `-r`: whole lines (`@RG\tID:x\tSM:y`, with tabs or `\t`), or one field at a
    /// time. A new group begins with `@RG` or with an `ID` field.
    ///
    /// # Errors
    /// Which text is wrong, and why.
    pub fn parse(texts: &[impl AsRef<str>]) -> Result<Vec<ReadGroup>, String> {
        let mut groups: Vec<Vec<String>> = Vec::new();
        for text in texts {
            let text = text.as_ref().replace("\\t", "\t");
            let fields = text.strip_prefix("@RG\t");
            let starts = fields.is_some() || text.starts_with("ID:");
            let fields = fields.unwrap_or(&text).split('\t');
            let fields: Vec<String> = fields.map(str::to_owned).collect();
            let good = |field: &String| {
                field.as_bytes().get(2) == Some(&b':')
                    && field.bytes().take(2).all(|b| b.is_ascii_alphanumeric())
                    && field.bytes().all(|b| b >= b' ')
            };
            if let Some(field) = fields.iter().find(|field| !good(field)) {
                return Err(format!("'{field}' is not a read group field, such as ID:x"));
            }
            match groups.last_mut().filter(|_| !starts) {
                Some(group) => group.extend(fields),
                None => groups.push(fields),
            }
        }
        let group = |fields: Vec<String>| {
            let line = format!("@RG\t{}", fields.join("\t"));
            let ids: Vec<&str> = fields.iter().filter_map(|f| f.strip_prefix("ID:")).collect();
            match ids[..] {
                [id] if !id.is_empty() => Ok(ReadGroup { id: id.to_owned(), line }),
                _ => Err(format!("read group '{line}' must have exactly one ID field")),
            }
        };
        let groups: Vec<ReadGroup> = groups.into_iter().map(group).collect::<Result<_, _>>()?;
        let header = header(&groups, None).map_err(|error| error.to_string())?;
        match header_fault(&header) {
            None => Ok(groups),
            Some(fault) => {
                // Its line in a header that nobody has seen tells nothing.
                let fault = fault.strip_prefix("invalid header: line ").unwrap_or(&fault);
                let fault = fault.split_once(": ").map_or(fault, |(_, fault)| fault);
                Err(format!("can't write the read groups: {fault}"))
            }
        }
    }

    /// The line, without a line feed.
    pub fn line(&self) -> &str {
        &self.line
    }

    /// The field ID.
    pub fn id(&self) -> &str {
        &self.id
    }
}
