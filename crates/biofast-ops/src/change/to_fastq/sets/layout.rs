//! What each read of a set is made of.

use biofast_bam::{Error, Header, Op, Record, Value};
use biofast_io::Shown;

use crate::change::to_fastq::format::{FastqFormat, append_bases};

/// How the line of a header starts that says what a read is made of.
const OF_READ: &str = "10x_bam_to_fastq:";
/// And the one that says what the files of the reads are called.
const OF_NAMES: &str = "10x_bam_to_fastq_seqnames:";
/// The reads of a set in the order of [`SetLayout`].
pub(super) const READS: [&str; 4] = ["R1", "R2", "I1", "I2"];

/// What the reads of a set are made of: first and second read, and up to two index reads.
///
/// ```
/// use biofast_ops::to_fastq::SetLayout;
///
/// let layout = SetLayout::parse(["R1(CR:CY,UR:UY)", "R2(SEQ:QUAL)"])?;
/// assert_eq!(layout.names().collect::<Vec<_>>(), ["R1", "R2"]);
/// // Both reads are made of one record: there are no pairs.
/// assert!(!layout.is_paired());
/// assert!(SetLayout::parse(["R1(CR)"]).is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetLayout {
    /// Empty: there is no such read.
    reads: [Vec<ReadSegment>; READS.len()],
    /// What files of these reads are called.
    names: [String; READS.len()],
    /// The number of the read in its description.
    numbers: [u8; READS.len()],
}

/// Where bases come from, and their qualities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadSegment {
    /// The sequence of the record.
    Sequence,
    /// Two tags.
    Tags([u8; 2], [u8; 2]),
    /// So many bases that nobody kept.
    Lost(usize),
}

/// Why a read can't be restored.
pub(super) type Lack = String;

impl SetLayout {
    /// The layout that a header gives; `None` if it gives none.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn of_header(header: &Header) -> Result<Option<SetLayout>, String> {
        let lines = header.text().split(|&byte| byte == b'\n');
        let texts = lines.filter_map(|line| std::str::from_utf8(line.strip_prefix(b"@CO\t")?).ok());
        let texts = texts.map(|text| text.trim_end_matches('\r'));
        let texts: Vec<&str> = texts.filter(|text| text.starts_with("10x_bam_to_fastq")).collect();
        if texts.is_empty() {
            return Ok(None);
        }
        let mut layout = SetLayout::parse(texts)?;
        // Headers of single-cell 3' v1 leave out that their reads have these names.
        let [r1, _, i1, i2] = &layout.reads;
        if r1[..] == [ReadSegment::Sequence]
            && i1[..] == [ReadSegment::Tags(*b"CR", *b"CY")]
            && i2[..] == [ReadSegment::Tags(*b"BC", *b"QT")]
        {
            layout.names = ["R1", "R3", "R2", "I1"].map(str::to_owned);
        }
        Ok(Some(layout))
    }

    /// The layout of files that don't give theirs, by the name of what made them: `gemcode` for Long Ranger 1.0 to 1.3,
    /// `lr20` for 2.0, `cr11` for Cell Ranger 1.0 and 1.1.
    pub fn of_pipeline(name: &str) -> Option<SetLayout> {
        use ReadSegment::{Lost, Sequence, Tags};
        let index = vec![Tags(*b"BC", *b"QT")];
        let (reads, names, numbers) = match name {
            "gemcode" => (
                [vec![Sequence], vec![Sequence], index, vec![Tags(*b"RX", *b"QX")]],
                ["R1", "R3", "I1", "R2"],
                [1, 4, 2, 3],
            ),
            "lr20" => (
                [vec![Tags(*b"RX", *b"QX"), Lost(7), Sequence], vec![Sequence], index, Vec::new()],
                READS,
                [1, 3, 2, 0],
            ),
            "cr11" => (
                [vec![Sequence], vec![Tags(*b"UR", *b"UQ")], vec![Tags(*b"CR", *b"CQ")], index],
                ["R1", "R3", "R2", "I1"],
                [1, 4, 3, 2],
            ),
            _ => return None,
        };
        Some(SetLayout { reads, names: names.map(str::to_owned), numbers })
    }

    /// The layout of these texts: `R1(CR:CY,UR:UY)` for each read, and maybe `seqnames:R1,R3,I1,R2`. The start that they
    /// have in a header may be there.
    ///
    /// # Errors
    /// Says what is wrong.
    pub fn parse<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<SetLayout, String> {
        let mut layout = SetLayout {
            reads: Default::default(),
            names: READS.map(str::to_owned),
            numbers: [1, 3, 2, 4],
        };
        for text in texts {
            let names = text.strip_prefix(OF_NAMES).or_else(|| text.strip_prefix("seqnames:"));
            if let Some(names) = names {
                let names: Vec<String> = names.split(',').map(str::to_owned).collect();
                let is_plain = |name: &String| {
                    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
                };
                layout.names = <[String; READS.len()]>::try_from(names)
                    .ok()
                    .filter(|names| names.iter().all(is_plain))
                    .ok_or_else(|| format!("'{text}' doesn't name four reads"))?;
                continue;
            }
            let (read, segments) = of_read(text.strip_prefix(OF_READ).unwrap_or(text))
                .ok_or_else(|| format!("'{text}' isn't a read such as R1(CR:CY,UR:UY)"))?;
            let known = &mut layout.reads[read];
            // Merged files repeat their lines.
            if !known.is_empty() && *known != segments {
                return Err(format!("there are two layouts of {}", READS[read]));
            }
            *known = segments;
        }
        match layout.reads.iter().take(2).position(Vec::is_empty) {
            Some(read) => Err(format!("nothing says what {} is made of", READS[read])),
            None => Ok(layout),
        }
    }

    /// Whether first and second reads are records of their own.
    pub fn is_paired(&self) -> bool {
        self.reads[..2].iter().all(|segments| segments.contains(&ReadSegment::Sequence))
    }

    /// What the files of the reads are called that there are.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.reads().map(|read| &*self.names[read])
    }

    /// What the files of a read are called.
    pub(super) fn name(&self, read: usize) -> &str {
        &self.names[read]
    }

    /// The reads that there are.
    pub(super) fn reads(&self) -> impl Iterator<Item = usize> {
        (0..READS.len()).filter(|&read| !self.reads[read].is_empty())
    }

    /// Appends a read of a record in four lines, or returns why it can't be restored. What was appended is then to be
    /// removed. `is_short` is set if the tags at its end are missing.
    pub(super) fn write(
        &self,
        read: usize,
        record: &Record<'_>,
        format: &FastqFormat,
        is_short: &mut bool,
        out: &mut Vec<u8>,
    ) -> Result<Result<(), Lack>, Error> {
        let segments = &self.reads[read];
        out.push(b'@');
        out.extend_from_slice(record.check_name()?);
        out.extend_from_slice(&[b' ', b'0' + self.numbers[read]]);
        out.extend_from_slice(b":N:0:0\n");
        for (number, segment) in segments.iter().enumerate() {
            // What was trimmed from the end of a read is only there where something was.
            let may_lack = number > 0 && number + 1 == segments.len();
            match *segment {
                ReadSegment::Sequence if record.sequence_len() == 0 => {
                    return Ok(Err("no bases".into()));
                }
                ReadSegment::Sequence
                    if record.cigar().iter().any(|(op, _)| op == Op::HardClip) =>
                {
                    return Ok(Err("hard-clipped, so bases are missing".into()));
                }
                ReadSegment::Sequence => append_bases(record, out),
                ReadSegment::Lost(len) => out.resize(out.len() + len, b'N'),
                ReadSegment::Tags(bases, qualities) => {
                    let lacks = |what: &str, tag: [u8; 2]| {
                        Ok(Err(format!("{what} in the tag {}", Shown(&tag))))
                    };
                    match (text_of(record, bases)?, text_of(record, qualities)?) {
                        (None, None) if may_lack => *is_short = true,
                        (None, _) => return lacks("no text", bases),
                        (_, None) => return lacks("no text", qualities),
                        (Some(one), Some(two)) if one.len() != two.len() => {
                            let (one, two) = (one.len(), two.len());
                            return lacks(&format!("{one} bases but {two} qualities"), bases);
                        }
                        (Some(one), Some(_)) => out.extend_from_slice(one),
                    }
                }
            }
        }
        out.extend_from_slice(b"\n+\n");
        for segment in segments {
            match *segment {
                ReadSegment::Sequence => format.append_qualities(record, out)?,
                ReadSegment::Lost(len) => out.resize(out.len() + len, b'J'),
                ReadSegment::Tags(_, qualities) => {
                    if let Some(text) = text_of(record, qualities)? {
                        out.extend_from_slice(text);
                    }
                }
            }
        }
        out.push(b'\n');
        Ok(Ok(()))
    }
}

/// A read and what it is made of.
fn of_read(text: &str) -> Option<(usize, Vec<ReadSegment>)> {
    let (name, list) = text.strip_suffix(')')?.split_once('(')?;
    let read = READS.iter().position(|read| *read == name)?;
    let segment = |text: &str| {
        if text == "SEQ:QUAL" {
            return Some(ReadSegment::Sequence);
        }
        let (bases, qualities) = text.split_once(':')?;
        let tag = |text: &str| {
            let tag: [u8; 2] = text.as_bytes().try_into().ok()?;
            tag.iter().all(u8::is_ascii_alphanumeric).then_some(tag)
        };
        Some(ReadSegment::Tags(tag(bases)?, tag(qualities)?))
    };
    Some((read, list.split(',').map(segment).collect::<Option<_>>()?))
}

/// The text of a tag, which may be a single character.
pub(super) fn text_of<'a>(record: &Record<'a>, name: [u8; 2]) -> Result<Option<&'a [u8]>, Error> {
    Ok(match record.tag(&name)? {
        Some(Value::Text(text)) => Some(text),
        Some(Value::Character(_)) => {
            record.tags().find(|tag| tag.name == name).map(|tag| tag.value)
        }
        _ => None,
    }
    .filter(|text| text.iter().all(u8::is_ascii_graphic)))
}
