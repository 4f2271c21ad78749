//! A row for each read or pair of an input, in their order, in a temporary file: for what all of them decide together.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use biofast_fastq::{Inputs, Readable, Transform, Unit};
use biofast_io::Options;
use biofast_io::output::{Compression, Output};
use biofast_io::pipeline::Failure;

use crate::Error;
use crate::change::pending::taken_or_kept;
use crate::change::spill::read_or_end;

/// Rows of `N` bytes.
pub(super) struct UnitRows<const N: usize>(File);

impl<const N: usize> UnitRows<N> {
    /// Reads all units, up to `limit` of them. `row` makes the row of each, and counts in what `init` makes for each thread.
    pub(super) fn gather<S: Readable, C: Send>(
        inputs: Inputs<S>,
        (options, limit): (&Options, Option<u64>),
        folder: &Path,
        init: impl Fn() -> C + Sync,
        row: impl Fn(&mut C, Unit<'_>) -> [u8; N] + Sync,
        merge: impl Fn(&mut C, C),
    ) -> Result<(UnitRows<N>, C), Error> {
        let file = tempfile::tempfile_in(folder).map_err(Error::ScratchFile)?;
        let rows = Arc::new(Mutex::new((BufWriter::new(file), None)));
        let stream = Output::stream("rows", RowWriter(Arc::clone(&rows)), Compression::default());
        let mut outputs = [stream];
        let result = Transform::new(inputs).options(options).limit(limit).run(
            &mut outputs,
            init,
            |counts, unit, texts| {
                let row = row(counts, unit);
                if let Some(text) = texts.first_mut() {
                    text.extend_from_slice(&row);
                }
            },
            merge,
        );
        drop(outputs);
        let mut rows = rows.lock().unwrap_or_else(PoisonError::into_inner);
        let (file, problem) = &mut *rows;
        if let Some(problem) = problem.take() {
            return Err(Error::ScratchFile(problem));
        }
        let counts = match result {
            Ok(counts) => counts,
            Err(Failure::Input(error)) => return Err(error.into()),
            Err(Failure::Output(error)) => return Err(Error::ScratchFile(error.into())),
        };
        file.flush().map_err(Error::ScratchFile)?;
        let file = file.get_ref().try_clone().map_err(Error::ScratchFile)?;
        Ok((UnitRows(file), counts))
    }

    /// Calls `visit` with each row.
    pub(super) fn each(&mut self, visit: &mut dyn FnMut(&[u8; N])) -> io::Result<()> {
        self.0.seek(SeekFrom::Start(0))?;
        each_row(&mut self.0, visit)
    }
}

/// Calls `visit` with each row of a file.
pub(super) fn each_row<const N: usize>(
    file: impl Read,
    visit: &mut dyn FnMut(&[u8; N]),
) -> io::Result<()> {
    let mut file = BufReader::with_capacity(1 << 18, file);
    let mut bytes = [0; N];
    while read_or_end(&mut file, &mut bytes)? {
        visit(&bytes);
    }
    Ok(())
}

/// What is written of units in order.
struct RowWriter(Arc<Mutex<(BufWriter<File>, Option<io::Error>)>>);

impl Write for RowWriter {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let mut rows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (file, problem) = &mut *rows;
        let taken = file.write_all(text);
        taken_or_kept(taken, problem, text, "a temporary file can't be written")
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
