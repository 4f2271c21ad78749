//! 036: records of three pieces written one piece a call, vectored, copied together and in batches; as they are, and
//! with a payload that is compressed on the way.

use std::fs::File;

use libdeflater::{CompressionLvl, Compressor};
use sha2::{Digest as _, Sha256};

use super::prelude::*;
use crate::datasets::to_hex;
use crate::systems::vectored::{Record, Way, write_records};

pub(super) struct VectoredWrites;

/// Of every record: as long as those of a BGZF block.
const HEADER: [u8; 18] = *b"eighteen byte head";
const TRAILER: [u8; 8] = *b"trailer.";
/// Of text that a call writes.
const TEXT: usize = 8 << 20;

impl Entry for VectoredWrites {
    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let quick = lab.scale == Scale::Quick;
        let text = std::fs::read(lab.file(if quick { "small" } else { "large" }, Format::Fastq)?)?;
        let text = text[..text.len().min(TEXT)].to_vec();
        let size = cell.number("payload")?;
        let level = match cell.get("compression") {
            "none" => None,
            level => Some(level.parse().ok().context("a level is no number")?),
        };
        let mut work = Work {
            way: way(cell.get("method"))?,
            text,
            size,
            codec: match level {
                Some(level) => {
                    Some(Compressor::new(CompressionLvl::new(level).ok().context("no such level")?))
                }
                None => None,
            },
            compressed: Vec::new(),
            ends: Vec::new(),
            buffer: Vec::new(),
            path: lab.scratch.join(format!("out-{}", cell.to_argument())),
        };
        let mut last = 0;
        Ok(Box::new(move |calls| {
            if calls == 0 {
                let written = std::fs::read(&work.path)?;
                let answer = to_hex(&Sha256::digest(&written)[..8]);
                return Ok(Outcome::new(answer, work.text.len()).with("system_calls", last as f64));
            }
            for _ in 0..calls {
                last = work.run()?;
            }
            Ok(Outcome::deferred())
        }))
    }
}

fn way(name: &str) -> Result<Way> {
    Ok(match name {
        "three" => Way::Separate,
        "writev" => Way::Vectored,
        "copy" => Way::Copied,
        "batch" => Way::Batched,
        "buffer" => Way::Buffered,
        other => bail!("no method is called {other:?}"),
    })
}

/// What a call does, with the memory it keeps.
struct Work {
    way: Way,
    text: Vec<u8>,
    size: usize,
    codec: Option<Compressor>,
    compressed: Vec<u8>,
    ends: Vec<usize>,
    buffer: Vec<u8>,
    path: PathBuf,
}

impl Work {
    /// Writes the file anew and returns the number of calls that took.
    fn run(&mut self) -> Result<u64> {
        let payloads: Vec<&[u8]> = match &mut self.codec {
            None => self.text.chunks(self.size).collect(),
            Some(codec) => {
                self.compressed
                    .resize(codec.deflate_compress_bound(self.size) + self.text.len(), 0);
                self.ends.clear();
                let mut end = 0;
                for piece in self.text.chunks(self.size) {
                    let room = codec.deflate_compress_bound(piece.len());
                    if self.compressed.len() < end + room {
                        self.compressed.resize(end + room, 0);
                    }
                    end += codec.deflate_compress(piece, &mut self.compressed[end..])?;
                    self.ends.push(end);
                }
                let starts = std::iter::once(&0).chain(&self.ends);
                starts.zip(&self.ends).map(|(&from, &to)| &self.compressed[from..to]).collect()
            }
        };
        let records: Vec<Record<'_>> = payloads
            .into_iter()
            .map(|payload| -> Record<'_> { [&HEADER, payload, &TRAILER] })
            .collect();
        let out = File::create(&self.path)
            .with_context(|| format!("cannot create {}", self.path.display()))?;
        Ok(write_records(out, self.way, &records, &mut self.buffer)?)
    }
}
