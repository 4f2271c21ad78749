//! What inflating a gzip file in pieces costs on one thread, beside inflating it as one stream: finding starts of blocks,
//! inflating with an unknown window, and putting the window in. One member, whose header has a name or nothing.
//!
//! `cargo run --release -p biofast-experiments --example pieces -- FILE.gz [BYTES A PIECE]…`
#![allow(missing_docs)]

use std::time::Instant;

use biofast_deflate::{Crc32, SpeculativeInflater, Status, StreamInflater, Symbols, Window};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = std::fs::read(arguments.next().ok_or("which file?")?)?;
    let mut start = 10;
    if file.get(3) == Some(&8) {
        start += 1 + file[10..].iter().position(|&byte| byte == 0).ok_or("no header")?;
    }
    let stream = &file[start..];
    let mut lengths = arguments.map(|len| len.parse()).collect::<Result<Vec<usize>, _>>()?;
    if lengths.is_empty() {
        lengths = [1 << 18, 1 << 19, 1 << 20, 1 << 21, 1 << 22].into();
    }
    let rate = |bytes: usize, time: f64| bytes as f64 / time / 1e6;

    let mut inflater = StreamInflater::new();
    let mut room = vec![0; 589_824];
    for _ in 0..2 {
        let begin = Instant::now();
        inflater.reset();
        let (mut used, mut made, mut crc) = (0, 0, Crc32::new());
        loop {
            let progress = inflater.inflate(&stream[used..], &mut room);
            crc.update(&room[..progress.made]);
            used += progress.used;
            made += progress.made;
            match progress.status {
                Status::Ended => break,
                Status::OutputFull => {}
                status => return Err(format!("{status:?}").into()),
            }
        }
        let time = begin.elapsed().as_secs_f64();
        println!("one stream, with CRC-32: {time:.3} s, {:.0} MB/s", rate(made, time));
    }

    for len in lengths {
        let mut pieces = SpeculativeInflater::new();
        let mut symbols = Symbols::default();
        let window = Window::new(&[b'x'; 1 << 15]).ok_or("a window")?;
        let [mut find, mut inflate, mut resolve] = [0.0; 3];
        let (mut searched, mut made, mut right, mut all, mut markers) = (0, 0, 0, 0, 0);
        let mut end = None;
        for part in (len..stream.len().saturating_sub(len)).step_by(len) {
            let begin = Instant::now();
            let found = pieces.find(stream, 8 * part..8 * (part + len));
            find += begin.elapsed().as_secs_f64();
            let Some(found) = found else { continue };
            searched += found / 8 - part;
            right += usize::from(end.is_none_or(|end| end == found));
            all += 1;
            let begin = Instant::now();
            end = Some(pieces.inflate(stream, found, 8 * (part + len), 10 * len, &mut symbols));
            inflate += begin.elapsed().as_secs_f64();
            made += symbols.len();
            let begin = Instant::now();
            let mut at = 0;
            while at < symbols.len() {
                let n = room.len().min(symbols.len() - at);
                symbols.resolve(at..at + n, &window, &mut room[..n]);
                at += n;
                let mut crc = Crc32::new();
                crc.update(&room[..n]);
                std::hint::black_box(crc.sum());
                markers += room[..n].iter().filter(|&&byte| byte == b'x').count();
            }
            resolve += begin.elapsed().as_secs_f64();
        }
        let total = find + inflate + resolve;
        println!(
            "{len}: {right} of {all} starts right; found at {:.0} MB/s in {find:.3} s; inflated at {:.0} MB/s in {inflate:.3} s; \
             {:.1} % markers put in at {:.0} MB/s in {resolve:.3} s; {total:.3} s, {:.0} MB/s",
            rate(searched, find),
            rate(made, inflate),
            100.0 * markers as f64 / made as f64,
            rate(made, resolve),
            rate(made, total)
        );
    }
    Ok(())
}
