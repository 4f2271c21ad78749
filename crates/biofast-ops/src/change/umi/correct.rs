//! UMIs that are corrected to the ones a kit has, like fgbio's CorrectUmis and `fgumi correct` (0.9).

use std::collections::BTreeSet;

use biofast_bam::{self as bam, Error, Header, Query, Record};
use biofast_io::Options;
use biofast_io::output::Output;

use crate::change::demux::{LONGEST_BARCODE, MatchRules, Matcher};
use crate::change::edit::{Rewrite, RewrittenFormat, by_name, made};
use crate::change::grep::reverse_complement;
use crate::tags::set_text;

/// How UMIs are corrected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UmiCorrectionRules {
    /// The tag of the UMI. Parts between dashes are UMIs of their own.
    pub umi_tag: [u8; 2],
    /// The tag that keeps what a corrected UMI was.
    pub original_tag: Option<[u8; 2]>,
    /// How near a UMI must be to one of the list. N counts as a mismatch.
    pub matching: MatchRules,
    /// Whether UMIs are of the other strand than those of the list.
    pub reverse_complement: bool,
}

impl Default for UmiCorrectionRules {
    /// `RX`, with `OX` for what it was; up to two mismatches, and two more to any other UMI.
    fn default() -> UmiCorrectionRules {
        UmiCorrectionRules {
            umi_tag: *b"RX",
            original_tag: Some(*b"OX"),
            matching: MatchRules { max_mismatches: 2, min_delta: 2, max_no_calls: None },
            reverse_complement: false,
        }
    }
}

/// Why UMIs can't be corrected to a list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UmiListError {
    /// There are none.
    #[error("no UMIs")]
    Empty,
    /// A UMI has other letters.
    #[error("{0} is not a UMI: it has letters other than A, C, G and T")]
    Letter(String),
    /// A UMI has more bases than can be compared.
    #[error("{0} is longer than {LONGEST_BARCODE} bases")]
    TooLong(String),
    /// UMIs differ in length.
    #[error("{0} and {1} have different lengths")]
    Lengths(String, String),
}

/// What was read and corrected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UmiCorrectionCounts {
    /// Records read.
    pub records: u64,
    /// Records whose UMIs are of the list, or were corrected to it.
    pub kept: u64,
    /// Records of which a UMI was corrected.
    pub corrected: u64,
    /// Records without the tag.
    pub without_umi: u64,
    /// Records with a UMI of another length than those of the list.
    pub other_length: u64,
    /// Records with a UMI that is near to none of the list, or as near to several.
    pub unmatched: u64,
    /// Such UMIs; a record may have two.
    pub unmatched_umis: u64,
    /// UMIs with no, one, two and more mismatches, by their number in the list.
    pub matches: Vec<[u64; 4]>,
}

impl UmiCorrectionCounts {
    fn add(&mut self, other: &UmiCorrectionCounts) {
        self.records += other.records;
        self.kept += other.kept;
        self.corrected += other.corrected;
        self.without_umi += other.without_umi;
        self.other_length += other.other_length;
        self.unmatched += other.unmatched;
        self.unmatched_umis += other.unmatched_umis;
        for (sums, counts) in self.matches.iter_mut().zip(&other.matches) {
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
    }
}

/// Corrects UMIs.
///
/// ```
/// use biofast_bam::{Input, InputOptions, Query};
/// use biofast_io::output::{Output, commit};
/// use biofast_io::{Options, Source};
/// use biofast_ops::edit::{Rewrite, RewrittenFormat};
/// use biofast_ops::umi::{UmiCorrectionRules, UmiCorrector};
///
/// # let folder = std::env::temp_dir().join(format!("biofast-doc-correct-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("corrected.sam");
/// let sam = b"x\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\tRX:Z:AAAC\n";
/// let options = Options::default();
/// let source = Source::from_reader("example", &sam[..]);
/// let query = Query::from(Input::open(source, &InputOptions::new(&options))?.source);
/// let (header, query) = query.peek_header()?;
/// let corrector = UmiCorrector::new(&header, ["AAAA", "CCCC"], UmiCorrectionRules::default())?;
/// let mut outputs = vec![Output::create_with(&path, Default::default())?];
/// let counts = corrector.write(query, &options, &RewrittenFormat::sam(&header), &mut outputs)?;
/// commit(outputs, false)?;
/// assert_eq!((counts.kept, counts.corrected), (1, 1));
/// assert!(std::fs::read_to_string(&path)?.ends_with("RX:Z:AAAA\tOX:Z:AAAC\n"));
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct UmiCorrector {
    header: Header,
    rules: UmiCorrectionRules,
    /// In order.
    umis: Vec<String>,
    matcher: Matcher,
    keeps_others: bool,
}

impl UmiCorrector {
    /// For records under this header, with a list of UMIs, in any order and case.
    ///
    /// # Errors
    /// If the list is empty, or its UMIs differ in length, are too long or have other letters than bases.
    pub fn new(
        header: &Header,
        umis: impl IntoIterator<Item = impl AsRef<str>>,
        rules: UmiCorrectionRules,
    ) -> Result<UmiCorrector, UmiListError> {
        let umis: BTreeSet<String> =
            umis.into_iter().map(|umi| umi.as_ref().to_ascii_uppercase()).collect();
        let umis: Vec<String> = umis.into_iter().collect();
        let first = umis.first().ok_or(UmiListError::Empty)?;
        let is_base = |letter: u8| matches!(letter, b'A' | b'C' | b'G' | b'T');
        for umi in &umis {
            if !umi.bytes().all(is_base) || umi.is_empty() {
                return Err(UmiListError::Letter(umi.clone()));
            }
            if umi.len() > LONGEST_BARCODE {
                return Err(UmiListError::TooLong(umi.clone()));
            }
            if umi.len() != first.len() {
                return Err(UmiListError::Lengths(first.clone(), umi.clone()));
            }
        }
        let matcher = Matcher::of_indexes(&umis, rules.matching).ok_or(UmiListError::Empty)?;
        Ok(UmiCorrector { header: header.clone(), rules, umis, matcher, keeps_others: false })
    }

    /// Writes records whose UMIs can't be corrected, unchanged, to the last output.
    #[must_use]
    pub fn keep_others(mut self, keeps_others: bool) -> UmiCorrector {
        self.keeps_others = keeps_others;
        self
    }

    /// The UMIs of the list, each once, in order.
    pub fn umis(&self) -> &[String] {
        &self.umis
    }

    /// UMIs of the list that aren't found even without a mismatch, as another one is too near.
    pub fn indistinct(&self) -> impl Iterator<Item = &str> {
        let is_lost = |(at, umi): &(usize, &String)| self.matcher.find(umi.as_bytes()) != Some(*at);
        self.umis.iter().enumerate().filter(is_lost).map(|(_, umi)| umi.as_str())
    }

    /// Records of one name have one UMI, or the mates of a pair could end in different files.
    fn correct_template(
        &self,
        worker: &mut UmiCorrectionWorker,
        records: &[Record<'_>],
        put: &mut impl FnMut(&Record<'_>, bool) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut umi = None;
        for (at, record) in records.iter().enumerate() {
            let tag = record.tags().find(|tag| tag.name == self.rules.umi_tag);
            let found = match tag {
                None => None,
                Some(tag) => match tag.as_text() {
                    Some(text) => Some(text),
                    None => return Err(record.ungroupable("its UMI is not of type Z")),
                },
            };
            if at > 0 && found != umi {
                return Err(record.ungroupable("it has another UMI than a record of its name"));
            }
            umi = found;
        }
        let number = records.len() as u64;
        let UmiCorrectionWorker { counts, corrected, turned, room } = worker;
        counts.records += number;
        let passes = match umi {
            None => {
                counts.without_umi += number;
                None
            }
            Some(umi) => self.correct(umi, number, counts, corrected, turned),
        };
        let Some(mismatches) = passes else {
            if self.keeps_others {
                records.iter().try_for_each(|record| put(record, false))?;
            }
            return Ok(());
        };
        counts.kept += number;
        counts.corrected += if mismatches { number } else { 0 };
        if !mismatches && !self.rules.reverse_complement {
            return records.iter().try_for_each(|record| put(record, true));
        }
        for record in records {
            room.clear();
            room.extend_from_slice(record.as_bytes());
            set_text(self.rules.umi_tag, corrected, room);
            if let (true, Some(tag), Some(umi)) = (mismatches, self.rules.original_tag, umi) {
                set_text(tag, umi, room);
            }
            put(&made(record, room)?, true)?;
        }
        Ok(())
    }

    /// Makes what a UMI should be; whether it has mismatches. `None` if one of its parts can't be corrected.
    fn correct(
        &self,
        umi: &[u8],
        number: u64,
        counts: &mut UmiCorrectionCounts,
        corrected: &mut Vec<u8>,
        turned: &mut Vec<u8>,
    ) -> Option<bool> {
        let len = self.matcher.barcode_len();
        if umi.split(|b| *b == b'-').any(|part| part.len() != len) {
            counts.other_length += number;
            return None;
        }
        corrected.clear();
        let (mut is_lost, mut has_mismatches) = (false, false);
        let mut add = |part: &[u8]| {
            let Some(found) = self.matcher.find(part) else {
                is_lost = true;
                counts.unmatched_umis += number;
                return;
            };
            let expected = self.umis[found].as_bytes();
            let pairs = part.iter().zip(expected);
            let mismatches = pairs.filter(|(read, base)| !read.eq_ignore_ascii_case(base)).count();
            has_mismatches |= mismatches > 0;
            counts.matches[found][mismatches.min(3)] += number;
            if !corrected.is_empty() {
                corrected.push(b'-');
            }
            corrected.extend_from_slice(expected);
        };
        match self.rules.reverse_complement {
            false => umi.split(|b| *b == b'-').for_each(&mut add),
            true => umi.rsplit(|b| *b == b'-').for_each(|part| {
                reverse_complement(part, turned);
                add(turned);
            }),
        }
        if is_lost {
            counts.unmatched += number;
            return None;
        }
        Some(has_mismatches)
    }
}

/// What a worker has.
#[derive(Default)]
struct UmiCorrectionWorker {
    counts: UmiCorrectionCounts,
    corrected: Vec<u8>,
    turned: Vec<u8>,
    room: Vec<u8>,
}

impl Rewrite for UmiCorrector {
    type Counts = UmiCorrectionCounts;

    fn header(&self) -> &Header {
        &self.header
    }

    fn write(
        &self,
        query: impl Into<Query>,
        options: &Options,
        format: &RewrittenFormat,
        outputs: &mut [Output],
    ) -> Result<UmiCorrectionCounts, crate::Error> {
        let transform = bam::Transform::new(query).options(options).keep_names_together(true);
        let last = outputs.len() - 1;
        let (_, worker) = transform.run_copying(
            outputs,
            || UmiCorrectionWorker {
                counts: UmiCorrectionCounts {
                    matches: vec![[0; 4]; self.umis.len()],
                    ..UmiCorrectionCounts::default()
                },
                ..UmiCorrectionWorker::default()
            },
            |worker, batch, texts, copies| {
                let mut put = |record: &Record<'_>, is_kept| match is_kept {
                    true => format.put(record, batch, &mut texts[0], copies),
                    false => format.put(record, batch, &mut texts[last], &mut []),
                };
                by_name(batch, true, |records| self.correct_template(worker, records, &mut put))
            },
            |worker, other| worker.counts.add(&other.counts),
        )?;
        Ok(worker.counts)
    }
}
