//! Columns of optional fields.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::{Float32Builder, Float64Builder, Int64Builder, ListBuilder};
use arrow_schema::{DataType, Field};
use biofast_bam::{Array, Record, Value};

use super::column::Bytes;
use crate::errors::ReadFailure;

/// The type of a field, as a column has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `i`: 64-bit integers.
    Int,
    /// `f`: 64-bit floats, as the records' own are a part of them.
    Float,
    /// `Z`, `A` and `H`: text.
    Text,
    /// `B` of integers: lists.
    Ints,
    /// `Bf`: lists of floats.
    Floats,
}

/// A field of records.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tag {
    name: [u8; 2],
    kind: Kind,
}

/// Fields whose type the SAM specification's list of tags (SAMtags, January 2024) fixes, by type.
const STANDARD: [(Kind, &str); 4] = [
    (Kind::Int, "AM AS CM CP DP FI H0 H1 H2 HI IH MQ MN NH NM OP PQ SM TC UQ"),
    (
        Kind::Text,
        "BC BQ BZ CB CC CO CR CS CT CY E2 FS LB MC MD MI MM OA OC OQ OX PG PT PU Q2 QT QX R2 RG RX SA TS U2",
    ),
    (Kind::Ints, "FZ ML"),
    (Kind::Floats, ""),
];

impl Tag {
    /// A column's name as a field: `NM`, where the specification fixes its type, or `XF:f`. None if it isn't the name of one.
    pub(crate) fn parse(column: &str) -> Option<Result<Tag, ReadFailure>> {
        let (name, kind) = match column.split_once(':') {
            Some((name, kind)) => (name, Some(kind)),
            None => (column, None),
        };
        let name: [u8; 2] = name.as_bytes().try_into().ok()?;
        if !name[0].is_ascii_alphabetic() || !name[1].is_ascii_alphanumeric() {
            return None;
        }
        let text = std::str::from_utf8(&name).ok()?;
        let kind = match kind {
            Some("i") => Kind::Int,
            Some("f") => Kind::Float,
            Some("Z" | "A" | "H") => Kind::Text,
            Some("B") => Kind::Ints,
            Some("Bf") => Kind::Floats,
            Some(other) => {
                let text = format!("no type {other} of optional fields: i, f, Z, A, H, B or Bf");
                return Some(Err(ReadFailure::Usage(text)));
            }
            None => {
                let known =
                    STANDARD.iter().find(|(_, names)| names.split(' ').any(|known| known == text));
                let Some((kind, _)) = known else {
                    let text = format!(
                        "the type of {text} isn't fixed: say which, as {text}:i, {text}:f, {text}:Z, {text}:B or {text}:Bf"
                    );
                    return Some(Err(ReadFailure::Usage(text)));
                };
                *kind
            }
        };
        Some(Ok(Tag { name, kind }))
    }

    pub(crate) fn data_type(&self) -> DataType {
        let list = |kind| DataType::List(Arc::new(Field::new("item", kind, true)));
        match self.kind {
            Kind::Int => DataType::Int64,
            Kind::Float => DataType::Float64,
            Kind::Text => DataType::Utf8,
            Kind::Ints => list(DataType::Int64),
            Kind::Floats => list(DataType::Float32),
        }
    }

    /// The column of these records.
    pub(crate) fn make<'a>(
        &self,
        records: &[(u64, Record<'a>)],
        fault: impl Fn(u64, String) -> ReadFailure,
    ) -> Result<ArrayRef, ReadFailure> {
        let wrong = |number: u64| {
            let name = String::from_utf8_lossy(&self.name).into_owned();
            fault(number, format!("the optional field {name} isn't of the type that was asked for"))
        };
        let values = records.iter().map(|(number, record)| {
            let value =
                record.tag(&self.name).map_err(|error| fault(*number, error.kind().to_string()));
            value.map(|value| (*number, value))
        });
        Ok(match self.kind {
            Kind::Int => {
                let mut column = Int64Builder::with_capacity(records.len());
                for value in values {
                    let (number, value) = value?;
                    let int = value.map(|value| value.as_int().ok_or_else(|| wrong(number)));
                    column.append_option(int.transpose()?);
                }
                Arc::new(column.finish())
            }
            Kind::Float => {
                let mut column = Float64Builder::with_capacity(records.len());
                for value in values {
                    let (number, value) = value?;
                    let float = value.map(|value| value.as_float().ok_or_else(|| wrong(number)));
                    column.append_option(float.transpose()?);
                }
                Arc::new(column.finish())
            }
            Kind::Text => {
                let mut column = Bytes::with_capacity(records.len(), 8 * records.len());
                for value in values {
                    match value? {
                        (_, None) => column.push_none(),
                        (_, Some(Value::Character(letter))) => column.push(&[letter])?,
                        (_, Some(Value::Text(text) | Value::Hex(text))) => column.push(text)?,
                        (number, Some(_)) => return Err(wrong(number)),
                    }
                }
                column.text("field")?
            }
            Kind::Ints => {
                let mut column = ListBuilder::new(Int64Builder::new());
                for value in values {
                    let (number, value) = value?;
                    let ints = match value {
                        None => None,
                        Some(value) => Some(
                            value
                                .as_array()
                                .and_then(|array| array.as_ints())
                                .ok_or_else(|| wrong(number))?,
                        ),
                    };
                    match ints {
                        None => column.append_null(),
                        Some(ints) => {
                            column.values().append_slice(&ints);
                            column.append(true);
                        }
                    }
                }
                Arc::new(column.finish())
            }
            Kind::Floats => {
                let mut column = ListBuilder::new(Float32Builder::new());
                for value in values {
                    match value? {
                        (_, None) => column.append_null(),
                        (_, Some(Value::Array(Array::F32(floats)))) => {
                            floats.iter().for_each(|float| column.values().append_value(float));
                            column.append(true);
                        }
                        (number, Some(_)) => return Err(wrong(number)),
                    }
                }
                Arc::new(column.finish())
            }
        })
    }
}
