//! zstd with a compression context that is made for each call or used again, told the size of the input or not: what
//! entry 042 counts page faults of. The output is the caller's buffer, so that the context alone differs.

use anyhow::{Result, anyhow, ensure};
use zstd::zstd_safe::zstd_sys::ZSTD_EndDirective;
use zstd::zstd_safe::{CCtx, CParameter, InBuffer, OutBuffer, ResetDirective, compress_bound};

/// How contexts are used.
pub(crate) struct Compressor {
    level: i32,
    /// Says the size of the input before it comes.
    pledged: bool,
    /// None: a new one for each call.
    kept: Option<CCtx<'static>>,
}

impl Compressor {
    pub(crate) fn new(level: i32, pledged: bool, reuse: bool) -> Self {
        Compressor { level, pledged, kept: reuse.then(CCtx::create) }
    }

    /// Compresses to one frame, which is all of `out` afterwards; returns the size of the context.
    pub(crate) fn compress(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<usize> {
        match &mut self.kept {
            Some(context) => run(context, self.level, self.pledged, input, out),
            None => run(&mut CCtx::create(), self.level, self.pledged, input, out),
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

#[cfg(test)]
mod tests {
    use super::super::segments::Segments;
    use super::*;

    #[test]
    fn every_kind_of_context_gives_the_input_back() {
        let segments = Segments::new(1);
        let mut sizes = Vec::new();
        for pledged in [false, true] {
            for reuse in [false, true] {
                let mut compressor = Compressor::new(9, pledged, reuse);
                let mut out = Vec::new();
                for input in [segments.reference(0), b"", segments.segment(0)] {
                    let size = compressor.compress(input, &mut out).expect("compresses");
                    let back = zstd::stream::decode_all(&out[..]).expect("decompresses");
                    assert_eq!(back, input);
                    sizes.push((pledged, size));
                }
                // Whether the frame says its size is what the pledge is about.
                let said = zstd::zstd_safe::get_frame_content_size(&out).expect("a frame");
                let len = segments.segment(0).len() as u64;
                assert_eq!(said, pledged.then_some(len));
            }
        }
        let most = |pledged| sizes.iter().filter(|s| s.0 == pledged).map(|s| s.1).max();
        assert!(most(false) > most(true).map(|size| 4 * size), "{sizes:?}");
    }
}
