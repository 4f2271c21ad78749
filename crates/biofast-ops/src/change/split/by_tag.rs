//! Alignments to a file for each value of a tag.

use std::collections::HashMap;
use std::ops::ControlFlow;

use biofast_bam::{Error, Fold, Header, Query, Record};
use biofast_io::{Options, Shown};

/// The values of a tag in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TagValues {
    /// Each value, in the order in which they first occur: text, or a whole number as digits.
    pub values: Vec<Vec<u8>>,
    /// Records without the tag, or with something else in it, and the first of them: its number, from 0, and its name.
    pub unassigned: Option<(u64, (u64, String))>,
    /// Whether there are more values than were asked for. The others then aren't complete.
    pub are_too_many: bool,
}

/// What a worker has found.
#[derive(Default)]
struct FoundValues {
    /// Where each value first occurs.
    values: HashMap<Vec<u8>, u64>,
    records: u64,
    first: Option<(u64, String)>,
}

impl TagValues {
    /// Reads all records of a file for the values of this tag, and ends early when there are more than `most`.
    ///
    /// ```
    /// use biofast_io::{Options, Source};
    /// use biofast_bam::{Detail, Input, InputOptions};
    /// use biofast_ops::split::TagValues;
    ///
    /// let sam = b"a\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\tCB:Z:AC\nb\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\tCB:i:7\nc\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n";
    /// let options = Options::default();
    /// let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
    /// let input = Input::open(Source::from_reader("example", &sam[..]), &opened)?;
    /// let (_, found) = TagValues::find(input.source, &options, *b"CB", 10)?;
    /// assert_eq!(found.values, [&b"AC"[..], b"7"]);
    /// assert_eq!(found.unassigned, Some((1, (2, "c".into()))));
    /// # Ok::<(), biofast_bam::Error>(())
    /// ```
    ///
    /// # Errors
    /// The first fault of the file.
    pub fn find(
        input: impl Into<Query>,
        options: &Options,
        tag: [u8; 2],
        most: usize,
    ) -> Result<(Header, TagValues), Error> {
        let result = Fold::new(input).options(options).run(
            || (FoundValues::default(), Vec::new()),
            |(found, text): &mut (FoundValues, Vec<u8>), batch| {
                for (number, record) in batch.numbered() {
                    if !value_of(&record, tag, text)? {
                        found.records += 1;
                        let name = || (number, Shown(record.name()).to_string());
                        found.first.get_or_insert_with(name);
                        continue;
                    }
                    if !found.values.contains_key(&text[..]) {
                        found.values.insert(text.clone(), number);
                    }
                }
                Ok::<_, Error>(match found.values.len() > most {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                })
            },
            |(mine, _), (theirs, _)| {
                for (value, number) in theirs.values {
                    let first = mine.values.entry(value).or_insert(number);
                    *first = number.min(*first);
                }
                mine.records += theirs.records;
                let first = mine.first.take().into_iter().chain(theirs.first);
                mine.first = first.min_by_key(|(number, _)| *number);
            },
        );
        let (header, (found, _)) = result.map_err(|fault| fault.error)?;
        let are_too_many = found.values.len() > most;
        let mut values: Vec<(Vec<u8>, u64)> = found.values.into_iter().collect();
        values.sort_unstable_by_key(|(_, number)| *number);
        let values = values.into_iter().map(|(value, _)| value).collect();
        let unassigned = found.first.map(|first| (found.records, first));
        Ok((header, TagValues { values, unassigned, are_too_many }))
    }
}

/// Says to which output a record goes.
#[derive(Clone, Debug)]
pub struct TagSplit {
    tag: [u8; 2],
    outputs: HashMap<Vec<u8>, usize>,
    rest: Option<usize>,
}

impl TagSplit {
    /// Records with the N-th value go to the N-th output, and all others to the one behind them if there is one.
    pub fn new(tag: [u8; 2], values: &[Vec<u8>], has_rest: bool) -> TagSplit {
        let outputs = values.iter().cloned().zip(0..).collect();
        TagSplit { tag, outputs, rest: has_rest.then_some(values.len()) }
    }

    /// The output of a record; none if there is none for it. `text` is for its value.
    ///
    /// # Errors
    /// If its tags can't be read.
    #[inline]
    pub fn output_of(
        &self,
        record: &Record<'_>,
        text: &mut Vec<u8>,
    ) -> Result<Option<usize>, Error> {
        let found = match value_of(record, self.tag, text)? {
            true => self.outputs.get(&text[..]).copied(),
            false => None,
        };
        Ok(found.or(self.rest))
    }
}

/// Puts the value of a record into `text`; `false` if it has none that stands in a name.
fn value_of(record: &Record<'_>, tag: [u8; 2], text: &mut Vec<u8>) -> Result<bool, Error> {
    text.clear();
    let Some(value) = record.tag(&tag)? else { return Ok(false) };
    if let Some(own) = value.as_text() {
        text.extend_from_slice(own);
    } else if let Some(number) = value.as_int() {
        text.extend_from_slice(number.to_string().as_bytes());
    } else {
        return Ok(false);
    }
    Ok(true)
}
