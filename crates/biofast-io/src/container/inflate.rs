//! The decoder and the checksum of one DEFLATE stream that comes in parts: `biofast-deflate`'s, or zlib-rs and
//! libdeflate's where `BIOFAST_INFLATE=libdeflate` asks for other code.

use biofast_deflate::{FaultKind, Progress, Status, StreamInflater};
use flate2::{Decompress, FlushDecompress};
use libdeflater::Crc;

use super::codec::{self, Codec};

/// Inflates a stream and adds up its CRC-32.
pub(crate) struct Inflate {
    decoder: InflateBackend,
    /// libdeflate's, whatever decodes: the fastest there is on every length (twice ours on AVX2).
    crc: Crc,
}

enum InflateBackend {
    Own(StreamInflater),
    Zlib(Decompress),
}

impl Inflate {
    pub(crate) fn new() -> Inflate {
        Inflate::with(codec::for_streams())
    }

    /// One that can [resume](Self::can_resume), whatever is asked for.
    pub(crate) fn resumable() -> Inflate {
        Inflate::with(Codec::Own)
    }

    fn with(codec: Codec) -> Inflate {
        let decoder = match codec {
            Codec::Own => InflateBackend::Own(StreamInflater::new()),
            Codec::Libdeflate => InflateBackend::Zlib(Decompress::new(false)),
        };
        Inflate { decoder, crc: Crc::new() }
    }

    /// Makes ready for another stream.
    pub(crate) fn reset(&mut self) {
        match &mut self.decoder {
            InflateBackend::Own(inflater) => inflater.reset(),
            InflateBackend::Zlib(codec) => codec.reset(false),
        }
        self.crc = Crc::new();
    }

    /// The checksum of all bytes of the stream so far.
    pub(crate) fn crc32(&self) -> u32 {
        self.crc.sum()
    }

    /// The checksum of the bytes since the start of the stream or the last call, in which the next ones aren't.
    pub(crate) fn take_crc32(&mut self) -> u32 {
        std::mem::replace(&mut self.crc, Crc::new()).sum()
    }

    /// Whether it can stop at the starts of blocks and go on from there.
    pub(crate) fn can_resume(&self) -> bool {
        matches!(self.decoder, InflateBackend::Own(_))
    }

    /// The last bytes of the stream so far, if it [can resume](Self::can_resume).
    pub(crate) fn window(&self) -> &[u8] {
        match &self.decoder {
            InflateBackend::Own(inflater) => inflater.window(),
            InflateBackend::Zlib(_) => &[],
        }
    }

    /// Goes on from the start of another block of the stream, if it [can](Self::can_resume).
    pub(crate) fn resume(&mut self, window: &[u8], odd: usize) {
        if let InflateBackend::Own(inflater) = &mut self.decoder {
            inflater.resume(window, odd);
        }
    }

    /// Inflates `input`, which goes on where the last call stopped taking, into `out`. No input is the end of it. Stops at the
    /// first start of a block at this bit of the input or behind it, if it [can resume](Self::can_resume).
    pub(crate) fn inflate(&mut self, input: &[u8], out: &mut [u8], until: usize) -> Progress {
        let progress = match &mut self.decoder {
            InflateBackend::Own(inflater) => inflater.inflate_until(input, out, until),
            InflateBackend::Zlib(codec) => inflate_by_zlib(codec, input, out),
        };
        self.crc.update(&out[..progress.made]);
        progress
    }
}

fn inflate_by_zlib(codec: &mut Decompress, input: &[u8], out: &mut [u8]) -> Progress {
    let (in_before, out_before) = (codec.total_in(), codec.total_out());
    let result = codec.decompress(input, out, FlushDecompress::None);
    let used = (codec.total_in() - in_before) as usize;
    let made = (codec.total_out() - out_before) as usize;
    let status = match result {
        Ok(flate2::Status::StreamEnd) => Status::Ended,
        // What it says of a fault depends on the sizes of the parts.
        Err(_) => Status::Faulty(FaultKind::Code),
        Ok(_) if used == 0 && made == 0 && !input.is_empty() => Status::Faulty(FaultKind::Code),
        Ok(_) if made == out.len() => Status::OutputFull,
        Ok(_) => Status::NeedsInput,
    };
    Progress { used, made, status }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn both_decoders_give_the_same() {
        let text: Vec<u8> = (0..90_000usize).map(|i| (i * i / 97 % 60) as u8).collect();
        let level = flate2::Compression::new(6);
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), level);
        encoder.write_all(&text).expect("into memory");
        let whole = encoder.finish().expect("into memory");
        let mut damaged = whole.clone();
        damaged[40] ^= 8;
        for stream in [&whole[..], &whole[..whole.len() / 2], &damaged] {
            let found = [Codec::Own, Codec::Libdeflate].map(|codec| {
                let mut inflate = Inflate::with(codec);
                let (mut out, mut at) = (Vec::new(), 0);
                loop {
                    let mut part = [0; 3000];
                    let end = stream.len().min(at + 1000);
                    let Progress { used, made, status } =
                        inflate.inflate(&stream[at..end], &mut part, usize::MAX);
                    at += used;
                    out.extend_from_slice(&part[..made]);
                    match status {
                        Status::Ended => break (out, inflate.crc32(), "ended"),
                        Status::Faulty(_) => break (out, inflate.crc32(), "faulty"),
                        Status::NeedsInput if at == stream.len() && made == 0 => {
                            break (out, inflate.crc32(), "cut");
                        }
                        _ => {}
                    }
                }
            });
            assert!(found[0] == found[1], "{} and {}", found[0].2, found[1].2);
            assert_eq!(found[0].1, libdeflater::crc32(&found[0].0));
        }
    }
}
