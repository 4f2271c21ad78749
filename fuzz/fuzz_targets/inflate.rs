//! Our inflate on any stream: the verdict and the bytes of libdeflate, on every instruction set and number of lanes, and
//! as a stream in pieces of any size.
#![no_main]

use biofast_deflate::{Block, FaultKind, Inflater, Status, StreamInflater};
use libfuzzer_sys::fuzz_target;

fn ours(inflater: &mut Inflater, stream: &[u8], len: usize) -> Result<Vec<u8>, FaultKind> {
    let mut out = vec![0xa5; len];
    inflater
        .inflate_blocks([Block { input: stream, output: &mut out }])
        .map_err(|fault| fault.kind)?;
    Ok(out)
}

/// The bytes, how many of input were taken, and how it ended.
fn in_pieces(
    inflater: &mut StreamInflater,
    stream: &[u8],
    most_in: usize,
    most_out: usize,
) -> (Vec<u8>, usize, Status) {
    inflater.reset();
    let (mut out, mut at, mut room) = (Vec::new(), 0, vec![0; most_out]);
    loop {
        let piece = stream[at..stream.len().min(at + most_in)].to_vec();
        let progress = inflater.inflate(&piece, &mut room);
        at += progress.used;
        out.extend_from_slice(&room[..progress.made]);
        match progress.status {
            _ if out.len() >= 1 << 20 => {
                // Enough of a bomb.
                out.truncate(1 << 20);
                return (out, 0, Status::OutputFull);
            }
            Status::OutputFull => {}
            Status::NeedsInput if at < stream.len() => {}
            status => return (out, at, status),
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((&[low, high, split], stream)) = data.split_first_chunk::<3>() else { return };
    let claimed = usize::from(u16::from_le_bytes([low, high]));
    let mut out = vec![0; 1 << 16];
    let mut decompressor = libdeflater::Decompressor::new();
    let found = decompressor.deflate_decompress(stream, &mut out).ok();
    // Where the oracle finds an end, that is the interesting length.
    let len = if split & 1 == 0 { found.unwrap_or(claimed) } else { claimed };
    let mut exact = vec![0; len];
    let theirs = decompressor.deflate_decompress(stream, &mut exact).is_ok_and(|n| n == len);
    let mut first: Option<Result<Vec<u8>, FaultKind>> = None;
    for isa in biofast_kernels::available() {
        let Some(mut inflater) = Inflater::with_isa(isa) else { continue };
        let result = ours(&mut inflater, stream, len);
        match &result {
            Ok(bytes) => assert!(theirs && *bytes == exact, "{isa:?}: accepted, or other bytes"),
            // libdeflate doesn't say whether input is left over.
            Err(FaultKind::TrailingBytes { .. }) => {}
            Err(kind) => assert!(!theirs, "{isa:?}: refused as {kind:?}"),
        }
        // Four lanes at once: neighbours don't change a verdict.
        let at = usize::from(split) % (stream.len() + 1);
        let mut outs = [vec![0u8; len], vec![0; len / 2], vec![0; len], vec![0; 7]];
        let inputs = [stream, &stream[..at], stream, &stream[at..]];
        let blocks = inputs.iter().zip(&mut outs).map(|(input, output)| Block { input, output });
        let lanes = inflater.inflate_blocks(blocks);
        if let Err(kind) = &result {
            assert_eq!(
                lanes.map_err(|fault| (fault.index, fault.kind)),
                Err((0, *kind)),
                "{isa:?}"
            );
        } else if lanes.is_err_and(|fault| fault.index == 0) {
            panic!("{isa:?}: refused among others");
        }
        let expected = first.get_or_insert_with(|| result.clone());
        assert_eq!(&result, expected, "{isa:?}");
    }

    let mut first = None;
    for isa in biofast_kernels::available() {
        let Some(mut inflater) = StreamInflater::with_isa(isa) else { continue };
        let whole = in_pieces(&mut inflater, stream, stream.len().max(1), 1 << 16);
        match whole.2 {
            // What libdeflate had room for.
            Status::Ended if whole.0.len() <= out.len() => {
                assert_eq!(found, Some(whole.0.len()), "{isa:?}: accepted");
                assert!(out.starts_with(&whole.0), "{isa:?}: other bytes");
            }
            Status::Ended | Status::OutputFull => assert_eq!(found, None, "{isa:?}: longer"),
            status => assert_eq!(found, None, "{isa:?}: refused as {status:?}"),
        }
        let most = (1 + usize::from(split & 15), 1 + (claimed & 0x3ff));
        assert_eq!(in_pieces(&mut inflater, stream, most.0, most.1), whole, "{isa:?}: in pieces");
        assert_eq!(&whole, first.get_or_insert_with(|| whole.clone()), "{isa:?}");
    }
});
