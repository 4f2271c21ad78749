//! Columns of bytes while they grow.

use std::sync::Arc;

use arrow_array::types::{ByteArrayType, GenericBinaryType, GenericStringType};
use arrow_array::{ArrayRef, GenericByteArray};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};

use crate::errors::ReadFailure;

/// Values of any length, one behind the other.
pub(crate) struct Bytes {
    ends: Vec<i32>,
    bytes: Vec<u8>,
    /// Which are there; empty as long as all are.
    there: Vec<bool>,
}

impl Bytes {
    /// Room for so many values and bytes.
    pub(crate) fn with_capacity(values: usize, bytes: usize) -> Bytes {
        let mut ends = Vec::with_capacity(values + 1);
        ends.push(0);
        Bytes { ends, bytes: Vec::with_capacity(bytes), there: Vec::new() }
    }

    /// Adds a value.
    #[inline]
    pub(crate) fn push(&mut self, value: &[u8]) -> Result<(), ReadFailure> {
        self.push_with(|bytes| bytes.extend_from_slice(value))
    }

    /// Adds what `write` appends.
    #[inline]
    pub(crate) fn push_with(
        &mut self,
        write: impl FnOnce(&mut Vec<u8>),
    ) -> Result<(), ReadFailure> {
        write(&mut self.bytes);
        let end = i32::try_from(self.bytes.len()).map_err(|_| {
            ReadFailure::Usage(
                "more than 2 GiB in one batch: records as long as that can't be scanned".into(),
            )
        })?;
        self.ends.push(end);
        if !self.there.is_empty() {
            self.there.push(true);
        }
        Ok(())
    }

    /// Adds that there is no value.
    pub(crate) fn push_none(&mut self) {
        if self.there.is_empty() {
            self.there.resize(self.ends.len() - 1, true);
        }
        self.there.push(false);
        self.ends.push(self.ends.last().copied().unwrap_or(0));
    }

    /// The column, of bytes.
    pub(crate) fn binary(self) -> Result<ArrayRef, ReadFailure> {
        self.finish::<GenericBinaryType<i32>>("")
    }

    /// The column, of text.
    pub(crate) fn text(self, what: &str) -> Result<ArrayRef, ReadFailure> {
        self.finish::<GenericStringType<i32>>(what)
    }

    fn finish<T: ByteArrayType<Offset = i32>>(self, what: &str) -> Result<ArrayRef, ReadFailure> {
        let nulls = (!self.there.is_empty()).then(|| NullBuffer::from(self.there));
        let ends = OffsetBuffer::new(ScalarBuffer::from(self.ends));
        let array = GenericByteArray::<T>::try_new(ends, Buffer::from_vec(self.bytes), nulls);
        // Lengths fit by construction: only the letters may not.
        let text = || format!("a {what} of these records isn't UTF-8: leave the column out");
        Ok(Arc::new(array.map_err(|_| ReadFailure::Usage(text()))?))
    }
}
