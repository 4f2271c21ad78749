//! 061: qualities encoded and decoded by the rANS codecs of CRAM blocks, by number of states, order and instruction set.

use std::hint::black_box;

use biofast_codecs::nx16::{self, Options};
use biofast_codecs::{Error, Order, rans4x8};
use biofast_kernels::Isa;

use super::kernel;
use super::prelude::*;
use super::real_sets;
use crate::files;

/// The qualities of 10,000 reads of 150 bases, as many as a slice of CRAM has, and how many such blocks are coded.
const BLOCK: usize = 1_500_000;
const BLOCKS: usize = 4;

pub(super) struct CramRans;

impl Entry for CramRans {
    fn applies(&self, cell: &Cell) -> bool {
        let is_wide = cell.get("codec") == "32x16" && cell.get("job") == "decode";
        // Only decoding with 32 states has loops for AVX-512; all else is what it is with AVX2.
        (is_wide || cell.get("isa") != "avx512")
            && kernel::kernels(cell.get("isa")).is_some()
            && real_sets::is_here(cell.get("data"))
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let (codec, is_decoding) = (Codec::of(cell)?, cell.get("job") == "decode");
        let isa = cell.get("isa").parse().map_err(|_| anyhow!("no such instruction set"))?;
        let qualities = qualities(cell.get("data"), lab)?;
        let (mut blocks, mut size) = (Vec::new(), 0);
        for block in qualities.chunks(BLOCK) {
            let [stream, plain] = [isa, Isa::Scalar].map(|isa| codec.encode(isa, block));
            ensure!(stream == plain, "the stream depends on the instruction set");
            ensure!(codec.decode(isa, &stream, block.len())? == block, "other qualities");
            size += stream.len();
            blocks.push((if is_decoding { stream } else { block.to_vec() }, block.len()));
        }
        let (bytes, last_len) = (qualities.len(), blocks.last().context("no qualities")?.1);
        let mut last = Vec::new();
        Ok(Box::new(move |calls| {
            if calls > 0 {
                repeat(calls, || {
                    blocks.iter().try_for_each(|(block, len)| {
                        last = match is_decoding {
                            true => codec.decode(isa, black_box(block), *len)?,
                            false => codec.encode(isa, black_box(block)),
                        };
                        Ok::<(), Error>(())
                    })
                })?;
                return Ok(Outcome::deferred());
            }
            let last = std::mem::take(&mut last);
            let last = if is_decoding { last } else { codec.decode(isa, &last, last_len)? };
            Ok(Outcome::hashed(last, bytes)
                .with("size", size as f64)
                .with("size_to_input", size as f64 / bytes as f64))
        }))
    }
}

/// The first qualities of a set, without the offset of FASTQ, as CRAM has them.
fn qualities(data: &str, lab: &Lab) -> Result<Vec<u8>> {
    let most = if lab.scale == Scale::Quick { BLOCK / 10 } else { BLOCKS * BLOCK };
    let mut found = match data {
        "hiseq" if lab.scale == Scale::Quick => lab.reads("medium")?.qualities.clone(),
        "hiseq" => lab.reads("large")?.qualities.clone(),
        "binned" => lab.reads("novaseq_100k")?.qualities.clone(),
        real => {
            // A name may be longer than the bases and the qualities.
            let text = files::read_text(&real_sets::path(real)?, 8 * most as u64)?;
            let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
            lines.chunks_exact(4).flat_map(|record| record[3]).copied().collect()
        }
    };
    found.truncate(most);
    found.iter_mut().for_each(|quality| *quality = quality.wrapping_sub(b'!'));
    Ok(found)
}

enum Codec {
    FourByEight(Order),
    Nx16(Options),
}

impl Codec {
    fn of(cell: &Cell) -> Result<Codec> {
        let order = match cell.get("model") {
            "order-0" => Order::Zero,
            "order-1" => Order::One,
            other => bail!("no model is called {other:?}"),
        };
        let nx16 = |wide| Options { order, wide, pack: false, rle: false, stripe: None };
        Ok(match cell.get("codec") {
            "4x8" => Codec::FourByEight(order),
            "4x16" => Codec::Nx16(nx16(false)),
            "32x16" => Codec::Nx16(nx16(true)),
            other => bail!("no codec is called {other:?}"),
        })
    }

    fn encode(&self, isa: Isa, block: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(block.len());
        match self {
            Codec::FourByEight(order) => rans4x8::encode_by(isa, block, *order, &mut out),
            Codec::Nx16(options) => {
                nx16::encode_by(isa, block, options, &mut out);
            }
        }
        out
    }

    fn decode(&self, isa: Isa, stream: &[u8], len: usize) -> Result<Vec<u8>, Error> {
        match self {
            Codec::FourByEight(_) => rans4x8::decode_by(isa, stream, len),
            Codec::Nx16(_) => nx16::decode_by(isa, stream, len),
        }
    }
}
