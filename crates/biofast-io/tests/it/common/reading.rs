//! All bytes of an input, read by one thread or by several. The fuzz targets include this file.

use std::io::Read;
use std::ops::ControlFlow;

use biofast_io::pipeline::{End, Framer, fold_ordered};
use biofast_io::{Chunk, Error, Options, Reader, Source};

/// Takes all bytes as they come.
struct Bytes;

impl Framer for Bytes {
    type Frame = ();
    type Error = Error;

    fn scan(_: &mut (), _: &[u8]) {}

    fn frame(&mut self, _: &mut Chunk, _: &mut (), _: End) -> Result<(), Error> {
        Ok(())
    }
}

/// Bytes, and what comes behind them.
pub(crate) type Found = (Vec<u8>, Option<String>);

/// As one thread reads it.
pub(crate) fn read(source: Source, options: &Options) -> Found {
    let mut out = Vec::new();
    let result = Reader::new(source, options)
        .map_err(std::io::Error::from)
        .and_then(|mut reader| reader.read_to_end(&mut out));
    (out, result.err().map(|error| error.to_string()))
}

/// As the pipeline reads it.
pub(crate) fn read_by_all_threads(source: Source, options: &Options) -> Found {
    let mut out = Vec::new();
    let result = fold_ordered(
        source,
        options,
        Bytes,
        || (),
        |(), chunk, (), bytes: &mut Vec<u8>| {
            bytes.clear();
            bytes.extend_from_slice(chunk.bytes());
        },
        |(), ()| (),
        |bytes| {
            out.extend_from_slice(bytes);
            ControlFlow::Continue(())
        },
    );
    (out, result.err().map(|fault| fault.error.to_string()))
}

/// Gives its bytes a few at a time: the last number.
pub(crate) struct Dripping(pub(crate) Vec<u8>, pub(crate) usize, pub(crate) usize);

impl Read for Dripping {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let n = self.2.min(out.len()).min(self.0.len() - self.1);
        out[..n].copy_from_slice(&self.0[self.1..self.1 + n]);
        self.1 += n;
        Ok(n)
    }
}
