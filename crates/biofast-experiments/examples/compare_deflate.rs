//! Deflates FASTQ files in blocks of 65,280 bytes: ours and libdeflate's level 1 in turn, every 16 blocks another order. What
//! is declined, or follows something that isn't FASTQ, is deflated by level 1, in our time (such blocks count as declined). Prints sizes and speeds relative to level 1 (medians of the rounds),
//! and how fast our decoder and libdeflate read what was made, relative to level 1's. Every block is read back by both.
//!
//! `cargo run --release -p biofast-experiments --example compare_deflate -- FILE... [isa=avx2] [effort=fast] [read=no] [rounds=5] [mb=12] [levels=6]`
#![allow(clippy::unwrap_used, missing_docs)]

use std::io::Read as _;

use biofast_deflate::{Block, Effort, FastqDeflater, Inflater};
use libdeflater::{CompressionLvl, Compressor, Decompressor};

const BLOCK: usize = 65_280;
/// Blocks between turns.
const GROUP: usize = 16;

/// Seconds that this thread has run for: others on the machine don't count.
#[cfg(unix)]
fn now() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

#[cfg(not(unix))]
fn now() -> f64 {
    static START: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed().as_secs_f64()
}

fn read(file: &str, most: usize) -> Vec<u8> {
    let bytes = std::fs::read(file).unwrap();
    let mut text = Vec::new();
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let reader = flate2::read::MultiGzDecoder::new(&bytes[..]);
        reader.take(most as u64).read_to_end(&mut text).unwrap();
    } else {
        text = bytes;
    }
    text.truncate(most);
    text
}

/// An encoder, and what it did.
struct Encoder {
    name: String,
    own: Option<FastqDeflater>,
    codec: Compressor,
    /// Seconds of each round.
    times: Vec<f64>,
    inflating: [Vec<f64>; 2],
    size: usize,
    declined: usize,
    streams: Vec<Vec<u8>>,
}

impl Encoder {
    fn new(name: String, own: Option<FastqDeflater>, level: i32) -> Self {
        let codec = Compressor::new(CompressionLvl::new(level).unwrap());
        let (times, inflating, streams) = (Vec::new(), Default::default(), Vec::new());
        Self { name, own, codec, times, inflating, size: 0, declined: 0, streams }
    }

    fn deflate(&mut self, text: &[u8], out: &mut Vec<u8>) {
        out.clear();
        let done = self.own.as_mut().map_or(0, |own| own.deflate_start(text, out));
        let (made, rest) = (out.len(), &text[done..]);
        if rest.is_empty() {
            return;
        }
        self.declined += 1;
        out.resize(made + self.codec.deflate_compress_bound(rest.len()), 0);
        let n = self.codec.deflate_compress(rest, &mut out[made..]).unwrap();
        out.truncate(made + n);
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

fn main() {
    let (mut files, mut rounds, mut mb, mut levels) = (Vec::new(), 5, 12, Vec::new());
    let mut isas = vec![biofast_kernels::active()];
    let mut efforts = vec![("fast", Effort::Fast), ("small", Effort::Small)];
    let mut reading = true;
    for argument in std::env::args().skip(1) {
        match argument.split_once('=') {
            Some(("rounds", v)) => rounds = v.parse().unwrap(),
            Some(("effort", v)) => efforts.retain(|(name, _)| *name == v),
            Some(("read", v)) => reading = v != "no",
            Some(("mb", v)) => mb = v.parse().unwrap(),
            Some(("isa", v)) => isas = v.split(',').map(|n| n.parse().unwrap()).collect(),
            Some(("levels", v)) => levels = v.split(',').map(|n| n.parse().unwrap()).collect(),
            _ => files.push(argument),
        }
    }
    println!(
        "file                                 encoder     size  speed  (rounds)    read: own  libdeflate  declined"
    );
    let mut summary: Vec<(String, Vec<f64>, Vec<f64>)> = Vec::new();
    for file in files {
        let text = read(&file, mb * 1_000_000);
        let blocks: Vec<&[u8]> = text.chunks(BLOCK).collect();
        let mut encoders = vec![Encoder::new("level 1".into(), None, 1)];
        for &isa in &isas {
            for (what, effort) in efforts.iter().copied() {
                let own = FastqDeflater::with_isa(effort, isa).expect("the CPU has it");
                encoders.push(Encoder::new(format!("{what} {isa}"), Some(own), 1));
            }
        }
        let others =
            levels.iter().map(|&level| Encoder::new(format!("level {level}"), None, level));
        encoders.extend(others);
        let mut out = Vec::with_capacity(2 * BLOCK);
        for round in 0..=rounds {
            let mut times = vec![0.0; encoders.len()];
            for (g, group) in blocks.chunks(GROUP).enumerate() {
                for turn in 0..encoders.len() {
                    let i = (turn + round + g) % encoders.len();
                    let encoder = &mut encoders[i];
                    let start = now();
                    for block in group {
                        encoder.deflate(block, &mut out);
                        if round == 0 {
                            encoder.size += out.len();
                            encoder.streams.push(out.clone());
                        }
                    }
                    times[i] += now() - start;
                }
            }
            // The first round warms up.
            if round > 0 {
                encoders.iter_mut().zip(times).for_each(|(encoder, time)| encoder.times.push(time));
            }
        }
        inflate(&mut encoders, &blocks, if reading { rounds } else { 0 });
        let short = file.rsplit('/').next().unwrap_or(&file);
        let (first, _) = encoders.split_first().unwrap();
        for encoder in &encoders {
            let ratios = |ours: &[f64], theirs: &[f64]| -> Vec<f64> {
                ours.iter().zip(theirs).map(|(ours, theirs)| theirs / ours).collect()
            };
            let speeds = ratios(&encoder.times, &first.times);
            let [own, other] =
                [0, 1].map(|i| median(&ratios(&encoder.inflating[i], &first.inflating[i])));
            let size = encoder.size as f64 / first.size as f64;
            let least = speeds.iter().copied().fold(f64::INFINITY, f64::min);
            let most = speeds.iter().copied().fold(0.0, f64::max);
            let declined = if encoder.own.is_some() { encoder.declined / (rounds + 1) } else { 0 };
            println!(
                "{short:36} {:10} {size:.4} {:6.2} ({least:.2}–{most:.2})  {own:8.2} {other:8.2}  {declined:5} of {}",
                encoder.name,
                median(&speeds),
                blocks.len(),
            );
            let (sizes, all) = match summary.iter_mut().find(|(name, ..)| *name == encoder.name) {
                Some((_, sizes, all)) => (sizes, all),
                None => {
                    summary.push((encoder.name.clone(), Vec::new(), Vec::new()));
                    let (_, sizes, all) = summary.last_mut().unwrap();
                    (sizes, all)
                }
            };
            sizes.push(size);
            all.push(median(&speeds));
        }
    }
    for (name, sizes, speeds) in summary {
        println!(
            "median of files: {name:10} size {:.4} speed {:.2}",
            median(&sizes),
            median(&speeds)
        );
    }
}

/// Reads back what was made: four blocks at a time by our decoder, one by one by libdeflate.
fn inflate(encoders: &mut [Encoder], blocks: &[&[u8]], rounds: usize) {
    let (mut own, mut other) = (Inflater::new(), Decompressor::new());
    let mut room = vec![0; GROUP * BLOCK];
    for round in 0..=rounds {
        for turn in 0..encoders.len() {
            let i = (turn + round) % encoders.len();
            let mut times = [0.0; 2];
            for (streams, blocks) in encoders[i].streams.chunks(GROUP).zip(blocks.chunks(GROUP)) {
                let start = now();
                let mut rest = &mut room[..];
                own.inflate_blocks(streams.iter().zip(blocks).map(|(input, block)| {
                    let (output, more) = std::mem::take(&mut rest).split_at_mut(block.len());
                    rest = more;
                    Block { input, output }
                }))
                .unwrap();
                times[0] += now() - start;
                let same = |room: &[u8]| {
                    let mut at = 0;
                    blocks.iter().all(|block| {
                        at += block.len();
                        room[at - block.len()..at] == **block
                    })
                };
                assert!(round > 0 || same(&room), "our own decoder");
                let start = now();
                let mut rest = &mut room[..];
                for (input, block) in streams.iter().zip(blocks) {
                    let (output, more) = std::mem::take(&mut rest).split_at_mut(block.len());
                    rest = more;
                    other.deflate_decompress(input, output).unwrap();
                }
                times[1] += now() - start;
                assert!(round > 0 || same(&room), "libdeflate");
            }
            if round > 0 {
                let all = encoders[i].inflating.iter_mut().zip(times);
                all.for_each(|(all, time)| all.push(time));
            }
        }
    }
}
