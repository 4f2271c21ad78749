//! Columns of reads.

use std::ops::ControlFlow;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use biofast_fastq::fasta::Sequences;
use biofast_fastq::{Fold, Record};
use biofast_io::{Options, Source};

use super::column::Bytes;
use super::stream::{Delivery, Hand};
use crate::errors::ReadFailure;

/// The columns there are.
pub(crate) const NAMES: [&str; 6] =
    ["name", "description", "definition", "sequence", "qualities", "length"];
/// Those that are made if none are named.
pub(crate) const DEFAULT: [&str; 4] = ["name", "description", "sequence", "qualities"];

#[derive(Clone, Copy)]
enum ReadColumn {
    Name,
    Description,
    Definition,
    Sequence,
    Qualities,
    Length,
}

/// Which columns are made.
pub(crate) struct ReadProjection {
    columns: Vec<ReadColumn>,
    schema: SchemaRef,
}

impl ReadProjection {
    /// The columns of these names.
    pub(crate) fn new(names: Option<Vec<String>>) -> Result<ReadProjection, ReadFailure> {
        let names = names.unwrap_or_else(|| DEFAULT.map(str::to_owned).to_vec());
        let mut columns = Vec::new();
        let mut fields = Vec::new();
        for name in &names {
            let (column, kind, may_lack) = match name.as_str() {
                "name" => (ReadColumn::Name, DataType::Utf8, false),
                "description" => (ReadColumn::Description, DataType::Utf8, false),
                "definition" => (ReadColumn::Definition, DataType::Utf8, false),
                "sequence" => (ReadColumn::Sequence, DataType::Binary, false),
                "qualities" => (ReadColumn::Qualities, DataType::Binary, true),
                "length" => (ReadColumn::Length, DataType::Int64, false),
                _ => {
                    let text = format!("no column {name} of reads; there are {}", NAMES.join(", "));
                    return Err(ReadFailure::Usage(text));
                }
            };
            columns.push(column);
            fields.push(Field::new(name, kind, may_lack));
        }
        Ok(ReadProjection { columns, schema: Arc::new(Schema::new(fields)) })
    }

    pub(crate) fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// The columns of a batch.
    pub(crate) fn batch<'a>(
        &self,
        records: impl ExactSizeIterator<Item = Record<'a>> + Clone,
    ) -> Result<RecordBatch, ReadFailure> {
        let made: Result<Vec<ArrayRef>, ReadFailure> =
            self.columns.iter().map(|column| make(*column, records.clone())).collect();
        let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(records.len()));
        RecordBatch::try_new_with_options(self.schema(), made?, &options)
            .map_err(|error| ReadFailure::Usage(error.to_string()))
    }
}

fn make<'a>(
    column: ReadColumn,
    records: impl ExactSizeIterator<Item = Record<'a>> + Clone,
) -> Result<ArrayRef, ReadFailure> {
    let bytes = |of: fn(&Record<'a>) -> &'a [u8]| -> Result<Bytes, ReadFailure> {
        let total = records.clone().map(|record| of(&record).len()).sum();
        let mut values = Bytes::with_capacity(records.len(), total);
        for record in records.clone() {
            values.push(of(&record))?;
        }
        Ok(values)
    };
    match column {
        ReadColumn::Name => bytes(Record::name)?.text("name"),
        ReadColumn::Description => bytes(Record::description)?.text("description"),
        ReadColumn::Definition => bytes(Record::definition)?.text("header"),
        ReadColumn::Sequence => bytes(Record::sequence)?.binary(),
        ReadColumn::Qualities => {
            let total = records.clone().map(|record| record.qualities().len()).sum();
            let mut values = Bytes::with_capacity(records.len(), total);
            for record in records {
                match record.has_qualities() {
                    true => values.push(record.qualities())?,
                    false => values.push_none(),
                }
            }
            values.binary()
        }
        ReadColumn::Length => {
            let lengths = records.map(|record| record.sequence().len() as i64);
            Ok(Arc::new(Int64Array::from_iter_values(lengths)))
        }
    }
}

/// Reads all of an input, FASTQ or FASTA, and hands its batches on.
pub(crate) fn read(
    source: Source,
    options: &Options,
    wanted: &ReadProjection,
    hand: &Hand<RecordBatch>,
) -> Delivery<()> {
    let result = Fold::new(Sequences(source)).options(options).ordered(
        || (),
        |(), batch, made: &mut Option<RecordBatch>| -> Delivery<()> {
            if !batch.is_empty() {
                *made = Some(wanted.batch(batch.iter())?);
            }
            Ok(())
        },
        |(), ()| (),
        |made| {
            let wants = made.take().is_none_or(|batch| hand.deliver(batch));
            if wants { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        },
    );
    result.map_err(|fault| fault.error)
}
