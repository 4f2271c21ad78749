//! Columns of alignments.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, DictionaryArray, Int32Array, Int64Array, ListArray, RecordBatch, RecordBatchOptions,
    StringArray, StructArray, UInt8Array, UInt16Array, UInt32Array,
};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef};
use biofast_bam::{self as bam, Detail, Header, InputOptions, Query, Record, Selection};
use biofast_io::{Options, Source};
use biofast_ops::filter::expression::Expression;

use super::column::Bytes;
use super::stream::{Delivery, Hand, Reading};
use super::tags::Tag;
use crate::errors::ReadFailure;
use crate::source::place;

/// The columns there are, beside optional fields.
pub(crate) const NAMES: [&str; 13] = [
    "name", "flag", "reference", "start", "end", "mapping_quality", "cigar", "cigarstring",
    "mate_reference", "mate_start", "template_length", "sequence", "qualities",
];
/// Those that are made if none are named.
pub(crate) const DEFAULT: [&str; 12] = [
    "name", "flag", "reference", "start", "end", "mapping_quality", "cigar", "mate_reference",
    "mate_start", "template_length", "sequence", "qualities",
];

#[derive(Clone, Copy)]
enum AlignmentColumn {
    Name,
    Flag,
    Reference,
    Start,
    End,
    MappingQuality,
    Cigar,
    CigarString,
    MateReference,
    MateStart,
    TemplateLength,
    Sequence,
    Qualities,
    Tag(Tag),
}

/// Which columns of which records are made.
pub(crate) struct AlignmentProjection {
    columns: Vec<AlignmentColumn>,
    schema: SchemaRef,
    filter: Option<Expression>,
    /// The names of references, once the header is known: all batches share them.
    references: OnceLock<ArrayRef>,
}

impl AlignmentProjection {
    /// The columns of these names, of records for which the expression holds.
    pub(crate) fn new(
        names: Option<Vec<String>>,
        filter: Option<&str>,
    ) -> Result<AlignmentProjection, ReadFailure> {
        let names = names.unwrap_or_else(|| DEFAULT.map(str::to_owned).to_vec());
        let mut columns = Vec::new();
        let mut fields = Vec::new();
        let named = || DataType::Dictionary(DataType::Int32.into(), DataType::Utf8.into());
        for name in &names {
            let (column, kind, may_lack) = match name.as_str() {
                "name" => (AlignmentColumn::Name, DataType::Utf8, true),
                "flag" => (AlignmentColumn::Flag, DataType::UInt16, false),
                "reference" => (AlignmentColumn::Reference, named(), true),
                "start" => (AlignmentColumn::Start, DataType::Int64, true),
                "end" => (AlignmentColumn::End, DataType::Int64, true),
                "mapping_quality" => (AlignmentColumn::MappingQuality, DataType::UInt8, false),
                "cigar" => {
                    let item = Field::new("item", DataType::Struct(operation()), false);
                    (AlignmentColumn::Cigar, DataType::List(item.into()), false)
                }
                "cigarstring" => (AlignmentColumn::CigarString, DataType::Utf8, true),
                "mate_reference" => (AlignmentColumn::MateReference, named(), true),
                "mate_start" => (AlignmentColumn::MateStart, DataType::Int64, true),
                "template_length" => (AlignmentColumn::TemplateLength, DataType::Int32, false),
                "sequence" => (AlignmentColumn::Sequence, DataType::Binary, true),
                "qualities" => (AlignmentColumn::Qualities, DataType::Binary, true),
                _ => match Tag::parse(name) {
                    Some(tag) => {
                        let tag = tag?;
                        (AlignmentColumn::Tag(tag), tag.data_type(), true)
                    }
                    None => {
                        let text = format!(
                            "no column {name} of alignments; there are {}, and optional fields such as NM or XY:i",
                            NAMES.join(", ")
                        );
                        return Err(ReadFailure::Usage(text));
                    }
                },
            };
            columns.push(column);
            fields.push(Field::new(name, kind, may_lack));
        }
        let filter = filter.map(Expression::parse).transpose();
        let filter = filter.map_err(|error| ReadFailure::Usage(format!("filter: {error}")))?;
        let schema = Arc::new(Schema::new(fields));
        Ok(AlignmentProjection { columns, schema, filter, references: OnceLock::new() })
    }

    pub(crate) fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// The columns of a batch of the input called `name`, as far as its records are what was asked for.
    fn batch(&self, batch: bam::Batch<'_>, name: &str) -> Made<RecordBatch> {
        let mut records: Vec<(u64, Record<'_>)> = Vec::with_capacity(batch.len());
        let mut trouble =
            self.each(batch, name, |number, record| records.push((number, record))).err();
        loop {
            match self.columns(&records, batch.header(), name) {
                Ok(made) => return ((made.num_rows() > 0).then_some(made), trouble),
                Err(ReadFailure::Record { at, text }) if at.record.is_some() => {
                    // Another column may end even earlier.
                    records.retain(|(number, _)| Some(*number) < at.record);
                    trouble = Some(ReadFailure::Record { at, text });
                }
                Err(other) => return (None, Some(other)),
            }
        }
    }

    fn columns(
        &self,
        records: &[(u64, Record<'_>)],
        header: &Header,
        name: &str,
    ) -> Result<RecordBatch, ReadFailure> {
        let fault =
            |number: u64, text: String| ReadFailure::Record { at: place(name, number), text };
        let made: Result<Vec<ArrayRef>, ReadFailure> =
            self.columns.iter().map(|column| self.make(*column, records, header, &fault)).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(records.len()));
        RecordBatch::try_new_with_options(self.schema(), made?, &options)
            .map_err(|error| ReadFailure::Usage(error.to_string()))
    }

    /// The records that are wanted, with their numbers from 1.
    pub(crate) fn each<'a>(
        &self,
        batch: bam::Batch<'a>,
        name: &str,
        mut accept: impl FnMut(u64, Record<'a>),
    ) -> Result<(), ReadFailure> {
        for (number, record) in (batch.first_record() + 1..).zip(batch.iter()) {
            let holds = match &self.filter {
                Some(filter) => filter.matches(&record, batch.header()).map_err(|error| {
                    ReadFailure::Record { at: place(name, number), text: error.to_string() }
                })?,
                None => true,
            };
            if holds {
                accept(number, record);
            }
        }
        Ok(())
    }

    fn make(
        &self,
        column: AlignmentColumn,
        records: &[(u64, Record<'_>)],
        header: &Header,
        fault: &impl Fn(u64, String) -> ReadFailure,
    ) -> Result<ArrayRef, ReadFailure> {
        let all = || records.iter().map(|(_, record)| record);
        let place = |value: i64, there: bool| there.then_some(value);
        Ok(match column {
            AlignmentColumn::Name => {
                let total = all().map(|record| record.name().len()).sum();
                let mut names = Bytes::with_capacity(records.len(), total);
                for record in all() {
                    match record.name() {
                        b"" | b"*" => names.push_none(),
                        name => names.push(name)?,
                    }
                }
                names.text("name")?
            }
            AlignmentColumn::Flag => {
                Arc::new(UInt16Array::from_iter_values(all().map(Record::flags)))
            }
            AlignmentColumn::MappingQuality => {
                Arc::new(UInt8Array::from_iter_values(all().map(Record::mapping_quality)))
            }
            AlignmentColumn::TemplateLength => {
                Arc::new(Int32Array::from_iter_values(all().map(Record::template_len)))
            }
            AlignmentColumn::Reference => self.named(all().map(Record::reference_id), header)?,
            AlignmentColumn::MateReference => {
                self.named(all().map(Record::mate_reference_id), header)?
            }
            AlignmentColumn::Start => Arc::new(Int64Array::from_iter(all().map(|record| {
                let start = i64::from(record.position());
                place(start, start >= 0)
            }))),
            AlignmentColumn::MateStart => Arc::new(Int64Array::from_iter(all().map(|record| {
                let start = i64::from(record.mate_position());
                place(start, start >= 0)
            }))),
            AlignmentColumn::End => Arc::new(Int64Array::from_iter(all().map(|record| {
                let aligned = record.position() >= 0
                    && record.flags() & bam::flag::UNMAPPED == 0
                    && !record.cigar().is_empty();
                place(record.alignment_end(), aligned)
            }))),
            AlignmentColumn::Cigar => cigars(all())?,
            AlignmentColumn::CigarString => {
                use std::io::Write;
                let mut texts = Bytes::with_capacity(records.len(), 6 * records.len());
                for record in all() {
                    let cigar = record.cigar();
                    match cigar.is_empty() {
                        true => texts.push_none(),
                        // Memory takes everything.
                        false => texts.push_with(|text| drop(write!(text, "{cigar}")))?,
                    }
                }
                texts.text("CIGAR")?
            }
            AlignmentColumn::Sequence => {
                let total = all().map(Record::sequence_len).sum();
                let mut bases = Bytes::with_capacity(records.len(), total);
                for record in all() {
                    match record.sequence_len() {
                        0 => bases.push_none(),
                        _ => bases.push_with(|bases| record.sequence().append_to(bases))?,
                    }
                }
                bases.binary()?
            }
            AlignmentColumn::Qualities => {
                let total = all().map(Record::sequence_len).sum();
                let mut qualities = Bytes::with_capacity(records.len(), total);
                for record in all() {
                    match record.qualities().as_slice() {
                        [] | [0xff, ..] => qualities.push_none(),
                        scores => qualities.push_with(|text| {
                            text.extend(scores.iter().map(|score| score.saturating_add(33)));
                        })?,
                    }
                }
                qualities.binary()?
            }
            AlignmentColumn::Tag(tag) => tag.make(records, fault)?,
        })
    }

    /// References by number, as names of a dictionary.
    fn named(
        &self,
        ids: impl Iterator<Item = i32>,
        header: &Header,
    ) -> Result<ArrayRef, ReadFailure> {
        let names = self.references.get_or_init(|| {
            let names = header.references().iter();
            let names =
                names.map(|reference| String::from_utf8_lossy(&reference.name).into_owned());
            Arc::new(StringArray::from_iter_values(names))
        });
        let ids = Int32Array::from_iter(ids.map(|id| (id >= 0).then_some(id)));
        let array = DictionaryArray::<Int32Type>::try_new(ids, Arc::clone(names));
        Ok(Arc::new(array.map_err(|error| ReadFailure::Usage(error.to_string()))?))
    }
}

/// An operation of a CIGAR: its number as BAM has it (0 is M) and its length.
fn operation() -> Fields {
    Fields::from(vec![
        Field::new("op", DataType::UInt8, false),
        Field::new("length", DataType::UInt32, false),
    ])
}

fn cigars<'r, 'a: 'r>(
    records: impl Iterator<Item = &'r Record<'a>> + Clone,
) -> Result<ArrayRef, ReadFailure> {
    let total = records.clone().map(|record| record.cigar().len()).sum();
    let (mut ops, mut lengths) = (Vec::with_capacity(total), Vec::with_capacity(total));
    let mut ends = vec![0_i32];
    for record in records {
        for word in record.cigar().words() {
            ops.push((word & 15) as u8);
            lengths.push(word >> 4);
        }
        let end = i32::try_from(ops.len());
        ends.push(
            end.map_err(|_| ReadFailure::Usage("too many CIGAR operations in one batch".into()))?,
        );
    }
    let values: Vec<ArrayRef> =
        vec![Arc::new(UInt8Array::from(ops)), Arc::new(UInt32Array::from(lengths))];
    let items = StructArray::try_new(operation(), values, None);
    let items = items.map_err(|error| ReadFailure::Usage(error.to_string()))?;
    let field = Field::new("item", DataType::Struct(operation()), false);
    let ends = OffsetBuffer::new(ScalarBuffer::from(ends));
    let lists = ListArray::try_new(field.into(), ends, Arc::new(items), None);
    Ok(Arc::new(lists.map_err(|error| ReadFailure::Usage(error.to_string()))?))
}

/// The records that are wanted of an input; through its index, where regions are named and it is a file.
pub(crate) fn query(
    source: Source,
    path: Option<&Path>,
    reading: &Reading,
    options: &Options,
) -> Delivery<Query> {
    let opening =
        InputOptions { io: options, reference: reading.reference.clone(), detail: Detail::Full };
    if reading.regions.is_empty() {
        return Ok(Query::from(bam::Input::open(source, &opening)?.source));
    }
    let mut selection = Selection::new();
    for region in &reading.regions {
        selection.add(region.as_str());
    }
    Ok(match path {
        Some(path) => {
            drop(source);
            Query::open(path, &selection, &opening)?
        }
        None => Query::scan(bam::Input::open(source, &opening)?.source, &selection),
    })
}

/// Reads the records of an input that are wanted, and hands their batches on.
pub(crate) fn read(
    source: Source,
    path: Option<&Path>,
    reading: &Reading,
    options: &Options,
    wanted: &AlignmentProjection,
    hand: &Hand<RecordBatch>,
) -> Delivery<()> {
    let name = source.name().to_owned();
    let query = query(source, path, reading, options)?;
    each_batch(query, options, hand, |batch| wanted.batch(batch, &name))
}

/// What was made of a batch, and what ended it early.
pub(crate) type Made<T> = (Option<T>, Option<ReadFailure>);

/// Makes something of every batch on several threads, and hands it on in order.
pub(crate) fn each_batch<T: Send>(
    query: Query,
    options: &Options,
    hand: &Hand<T>,
    make: impl Fn(bam::Batch<'_>) -> Made<T> + Sync,
) -> Delivery<()> {
    let mut refused = None;
    let result = bam::Fold::new(query).options(options).ordered(
        || (),
        |(), batch, made: &mut Vec<Delivery<T>>| {
            // Of a chunk there may be several batches, if records of regions are apart.
            if !made.last().is_some_and(Result::is_err) {
                let (thing, trouble) = make(batch);
                made.extend(thing.map(Ok).into_iter().chain(trouble.map(Err)));
            }
        },
        |(), ()| (),
        |made| {
            for one in made.drain(..) {
                match one {
                    Ok(thing) => {
                        if !hand.deliver(thing) {
                            return ControlFlow::Break(());
                        }
                    }
                    Err(trouble) => {
                        refused = Some(trouble);
                        return ControlFlow::Break(());
                    }
                }
            }
            ControlFlow::Continue(())
        },
    );
    match refused {
        Some(trouble) => Err(trouble),
        None => result.map(drop).map_err(|fault| fault.error.into()),
    }
}
