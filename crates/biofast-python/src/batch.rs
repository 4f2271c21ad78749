//! A batch of records as Arrow has it.

use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::types::GenericBinaryType;
use arrow_array::{Array, GenericByteArray, RecordBatch, StructArray};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::Schema;
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyTuple};

use crate::errors::internal;

/// A batch of records in columns: any library that knows the Arrow PyCapsule interface takes it without a copy, as
/// `pyarrow.record_batch(batch)` or `polars.DataFrame(batch)`.
#[pyclass(frozen, module = "biofast")]
pub(crate) struct Batch {
    pub(crate) batch: RecordBatch,
}

#[pymethods]
impl Batch {
    /// How many records.
    #[getter]
    fn num_rows(&self) -> usize {
        self.batch.num_rows()
    }

    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.batch.schema_ref().fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    fn __repr__(&self) -> String {
        format!(
            "<biofast.Batch of {} records: {}>",
            self.num_rows(),
            self.column_names().join(", ")
        )
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, self.batch.schema_ref())
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        // What is asked for is a wish; casting is left to who wishes.
        drop(requested_schema);
        let array = StructArray::from(self.batch.clone());
        let array = FFI_ArrowArray::new(&array.to_data());
        let array = PyCapsule::new_with_value(py, array, c"arrow_array")?;
        PyTuple::new(py, [schema_capsule(py, self.batch.schema_ref())?, array])
    }

    /// As a stream of Arrow IPC.
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let mut bytes = Vec::new();
        let written = StreamWriter::try_new(&mut bytes, self.batch.schema_ref())
            .and_then(|mut writer| writer.write(&self.batch).and_then(|()| writer.finish()));
        written.map_err(internal)?;
        let restore = py.get_type::<Batch>().getattr("_restore")?;
        Ok((restore, (PyBytes::new(py, &bytes),)))
    }

    #[staticmethod]
    fn _restore(bytes: &[u8]) -> PyResult<Batch> {
        let cut = || PyValueError::new_err("the pickle is cut");
        let mut batches = StreamReader::try_new(bytes, None).map_err(internal)?;
        let batch = batches.next().ok_or_else(cut)?.map_err(internal)?;
        Ok(Batch { batch })
    }

    /// The bytes of a binary or text column, one record after the other, and where they start and end as 32-bit numbers in the
    /// machine's order: what numpy needs for views.
    fn buffers<'py>(
        &self,
        py: Python<'py>,
        column: &str,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let array = self
            .batch
            .column_by_name(column)
            .ok_or_else(|| PyKeyError::new_err(format!("no column {column}")))?;
        let array = array
            .as_any()
            .downcast_ref::<GenericByteArray<GenericBinaryType<i32>>>()
            .ok_or_else(|| PyValueError::new_err(format!("column {column} isn't binary")))?;
        let offsets = array.value_offsets();
        let (start, end) =
            (offsets.first().copied().unwrap_or(0), offsets.last().copied().unwrap_or(0));
        let bytes = array.value_data().get(start as usize..end as usize).unwrap_or_default();
        let places: Vec<u8> = offsets.iter().flat_map(|at| (at - start).to_ne_bytes()).collect();
        Ok((PyBytes::new(py, bytes), PyBytes::new(py, &places)))
    }
}

/// A schema for others.
pub(crate) fn schema_capsule<'py>(
    py: Python<'py>,
    schema: &Arc<Schema>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema.as_ref()).map_err(internal)?;
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}
