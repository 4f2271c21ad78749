//! Deflates files block by block and compares with libdeflate.
#![allow(missing_docs, clippy::unwrap_used)]
use std::time::Instant;

use biofast_deflate::{Effort, FastqDeflater};
use libdeflater::{CompressionLvl, Compressor, Decompressor};

fn main() {
    let reps: usize = std::env::var("REPS").map_or(5, |n| n.parse().unwrap());
    let modes = std::env::var("MODES").unwrap_or("L1,fast,small".into());
    for path in std::env::args().skip(1) {
        let mut text = std::fs::read(&path).unwrap();
        text.truncate(40_000_000);
        let mut rows: Vec<(String, usize, usize, Vec<f64>)> =
            modes.split(',').map(|m| (m.to_owned(), 0, 0, vec![])).collect();
        let mut out = Vec::with_capacity(70_000);
        let mut other = vec![0; 100_000];
        let mut libs: Vec<_> = rows
            .iter()
            .map(|r| {
                let level = r.0.strip_prefix('L').map_or(1, |l| l.parse().unwrap());
                Compressor::new(CompressionLvl::new(level).unwrap())
            })
            .collect();
        let mut ours: Vec<_> = rows
            .iter()
            .map(|r| FastqDeflater::new(if r.0 == "small" { Effort::Small } else { Effort::Fast }))
            .collect();
        for rep in 0..=reps {
            for row in &mut rows {
                (row.1, row.2) = (0, 0);
                row.3.push(0.0);
            }
            for part in text.chunks(65_280 * 16) {
                for ((mode, size, declined, times), (c, ours)) in
                    rows.iter_mut().zip(libs.iter_mut().zip(&mut ours))
                {
                    let start = Instant::now();
                    for block in part.chunks(65_280) {
                        out.clear();
                        if mode.starts_with('L') {
                            *size += c.deflate_compress(block, &mut other).unwrap() + 26;
                        } else if ours.deflate(block, &mut out) {
                            *size += out.len() + 26;
                        } else {
                            *declined += 1;
                            *size += c.deflate_compress(block, &mut other).unwrap() + 26;
                        }
                        if rep == 0 && !out.is_empty() {
                            let mut back = vec![0; 65_536];
                            let k =
                                Decompressor::new().deflate_decompress(&out, &mut back).unwrap();
                            assert!(back[..k] == *block);
                        }
                    }
                    *times.last_mut().unwrap() += start.elapsed().as_secs_f64();
                }
            }
            if rep == 0 {
                rows.iter_mut().for_each(|r| r.3.clear());
            }
        }
        println!("{path}: {} bytes", text.len());
        let median = |times: &[f64]| {
            let mut times = times.to_vec();
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        };
        let (base, base_time) = (rows[0].1 as f64, median(&rows[0].3));
        for (mode, size, declined, times) in &rows {
            let t = median(times);
            println!(
                "{mode:8} {size:>10} size {:.4} {:7.1} MB/s  speed {:.2}  declined {declined}",
                *size as f64 / base,
                text.len() as f64 / t / 1e6,
                base_time / t
            );
        }
    }
}
