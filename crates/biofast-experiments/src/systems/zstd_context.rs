//! zstd with a compression context that is made for each call or used again, told the size of the input or not: what
//! entry 042 counts page faults of. The output is the caller's buffer, so that the context alone differs. Beside them two ways of
//! the zstd crate that look as harmless in a program: `copy_encode`, which makes a context for each call and isn't told the
//! size, and a `bulk::Compressor` that is kept, which does neither.

use anyhow::{Result, anyhow, ensure};
use zstd::zstd_safe::zstd_sys::ZSTD_EndDirective;
use zstd::zstd_safe::{CCtx, CParameter, InBuffer, OutBuffer, ResetDirective, compress_bound};

/// How contexts are used.
pub(crate) struct Compressor {
    level: i32,
    way: Way,
}

enum Way {
    /// A context of one's own, which is told the size or not; none: a new one for each call.
    Own { pledged: bool, kept: Option<CCtx<'static>> },
    /// `zstd::stream::copy_encode`.
    CopyEncode,
    /// `zstd::bulk::Compressor`, kept.
    Bulk(zstd::bulk::Compressor<'static>),
}

impl Compressor {
    pub(crate) fn new(level: i32, pledged: bool, reuse: bool) -> Self {
        Compressor { level, way: Way::Own { pledged, kept: reuse.then(CCtx::create) } }
    }

    pub(crate) fn copy_encode(level: i32) -> Self {
        Compressor { level, way: Way::CopyEncode }
    }

    pub(crate) fn bulk(level: i32) -> Result<Self> {
        Ok(Compressor { level, way: Way::Bulk(zstd::bulk::Compressor::new(level)?) })
    }

    /// Compresses to one frame, which is all of `out` afterwards; returns the size of the context, if it is known.
    pub(crate) fn compress(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<Option<usize>> {
        match &mut self.way {
            Way::Own { pledged, kept } => {
                let size = match kept {
                    Some(context) => run(context, self.level, *pledged, input, out),
                    None => run(&mut CCtx::create(), self.level, *pledged, input, out),
                };
                size.map(Some)
            }
            Way::CopyEncode => {
                out.clear();
                zstd::stream::copy_encode(input, out, self.level)?;
                Ok(None)
            }
            Way::Bulk(compressor) => {
                *out = compressor.compress(input)?;
                Ok(None)
            }
        }
    }
}

fn run(
    context: &mut CCtx<'_>,
    level: i32,
    pledged: bool,
    input: &[u8],
    out: &mut Vec<u8>,
) -> Result<usize> {
    let named = |code| anyhow!("zstd: {}", zstd::zstd_safe::get_error_name(code));
    context.reset(ResetDirective::SessionOnly).map_err(named)?;
    context.set_parameter(CParameter::CompressionLevel(level)).map_err(named)?;
    context.set_pledged_src_size(pledged.then_some(input.len() as u64)).map_err(named)?;
    out.clear();
    out.reserve(compress_bound(input.len()));
    let mut to = OutBuffer::around(out);
    let mut from = InBuffer::around(input);
    // As a writer does it: first what there is, then the end. With the end at once zstd would know the size.
    while from.pos() < input.len() {
        let directive = ZSTD_EndDirective::ZSTD_e_continue;
        context.compress_stream2(&mut to, &mut from, directive).map_err(named)?;
    }
    let end = ZSTD_EndDirective::ZSTD_e_end;
    let left = context.compress_stream2(&mut to, &mut from, end).map_err(named)?;
    ensure!(left == 0, "zstd: the output has no room for {left} bytes");
    Ok(context.sizeof())
}
