//! Streams inflated piece by piece, each piece without what is before it: together they are the whole stream, whoever
//! wrote it, wherever the pieces start and on every instruction set.

use crate::common;

use biofast_deflate::{SpeculativeInflater, Status, StreamInflater, Symbols, Window};
use common::Random;
use proptest::prelude::*;

/// What came of inflating a stream in pieces.
#[derive(Default)]
struct Outcome {
    bytes: Vec<u8>,
    /// Pieces that were used.
    used: usize,
    /// Pieces whose start was none, or which had no window.
    refused: usize,
}

/// Inflates `stream`, of which a piece starts at every bit of `starts`: from the bit after that on where one is found.
fn inflate(
    (serial, inflater): &mut (StreamInflater, SpeculativeInflater),
    stream: &[u8],
    starts: &[usize],
    most: usize,
) -> Outcome {
    let bits = 8 * stream.len();
    let pieces: Vec<_> = starts
        .iter()
        .zip(starts.iter().skip(1).chain([&bits]))
        .filter_map(|(&start, &next)| {
            let start = inflater.find(stream, start..next)?;
            let mut symbols = Symbols::default();
            let end = inflater.inflate(stream, start, next, most, &mut symbols);
            assert!(end >= start && (symbols.is_empty() == (end == start) || end > start));
            Some((start, end, symbols))
        })
        .collect();
    let mut outcome = Outcome::default();
    let mut pieces = pieces.into_iter().peekable();
    let mut room = vec![0; 100_000];
    serial.reset();
    let mut byte = 0;
    loop {
        let target = pieces.peek().map_or(usize::MAX, |piece| piece.0);
        let until = target.saturating_sub(8 * byte);
        let progress = serial.inflate_until(&stream[byte..], &mut room, until);
        outcome.bytes.extend_from_slice(&room[..progress.made]);
        byte += progress.used;
        match progress.status {
            Status::Boundary { odd } => {
                let mut here = 8 * byte + odd;
                assert!(here >= target);
                let mut window = Window::new(serial.window());
                while let Some((start, end, symbols)) = pieces.next_if(|piece| piece.0 <= here) {
                    match &window {
                        Some(before) if start == here => {
                            let mut out = vec![0; symbols.len()];
                            let middle = out.len() / 3;
                            symbols.resolve(0..middle, before, &mut out[..middle]);
                            symbols.resolve(middle..symbols.len(), before, &mut out[middle..]);
                            outcome.bytes.extend(out);
                            let after = symbols.window_after(before);
                            window = Some(after);
                            here = end;
                            outcome.used += 1;
                        }
                        _ => outcome.refused += 1,
                    }
                }
                if let Some(window) = window {
                    byte = here / 8;
                    serial.resume(window.bytes(), here % 8);
                }
            }
            Status::Ended => {
                assert_eq!(byte, stream.len());
                return outcome;
            }
            Status::OutputFull => {}
            status => panic!("{status:?} at {byte}"),
        }
    }
}

fn inflaters() -> Vec<(String, (StreamInflater, SpeculativeInflater))> {
    biofast_kernels::available()
        .into_iter()
        .map(|isa| {
            let serial = StreamInflater::with_isa(isa).unwrap();
            (isa.to_string(), (serial, SpeculativeInflater::with_isa(isa).unwrap()))
        })
        .collect()
}

/// Bits at random distances, `mean` bytes on average.
fn starts(bits: usize, mean: usize, random: &mut Random) -> Vec<usize> {
    let mut all = Vec::new();
    let mut at = 0;
    while at < bits {
        all.push(at);
        at += 1 + random.below(16 * mean);
    }
    all
}

#[test]
fn pieces_of_any_writer_make_the_whole() {
    let mut random = Random(7);
    let mut inflaters = inflaters();
    let (mut used, mut refused) = (0, 0);
    for kind in 0..6 {
        for len in [40_000, 400_000] {
            let text = common::data(kind, len, &mut random);
            let mut streams: Vec<_> =
                [0, 1, 6, 12].iter().map(|&level| common::libdeflate(&text, level)).collect();
            streams.extend([0, 1, 6, 9].map(|level| common::zlib(&text, level, 1 << 20)));
            streams.push(common::zlib(&text, 6, 7000));
            for stream in streams {
                for mean in [stream.len() / 3 + 1, 2000] {
                    let k = random.below(inflaters.len());
                    let (what, both) = &mut inflaters[k];
                    let starts = starts(8 * stream.len(), mean, &mut random);
                    let most = [usize::MAX, 60_000][random.below(2)];
                    let found = inflate(both, &stream, &starts, most);
                    assert!(found.bytes == text, "{what}: {kind}, {len}, {mean}");
                    used += found.used;
                    refused += found.refused;
                }
            }
        }
    }
    println!("{used} pieces used, {refused} refused");
    assert!(used > 100 && refused > 50, "{used}, {refused}: the test is blind");
}

#[test]
fn every_instruction_set_finds_the_same_symbols() {
    let mut random = Random(8);
    let text = common::data(0, 900_000, &mut random);
    let stream = common::zlib(&text, 6, 1 << 20);
    let bits = 8 * stream.len();
    let mut all = inflaters();
    let mut expected = None;
    for (what, (_, inflater)) in &mut all {
        let start = inflater.find(&stream, bits / 3..bits).unwrap();
        let mut symbols = Symbols::default();
        let end = inflater.inflate(&stream, start, bits, usize::MAX, &mut symbols);
        // A window in which a byte tells its place, as far as it can.
        let windows = [0, 7].map(|shift| (0..32_768u32).map(|i| (i >> shift) as u8).collect());
        let texts = windows.map(|window: Vec<u8>| {
            let mut out = vec![0; symbols.len()];
            symbols.resolve(0..symbols.len(), &Window::new(&window).unwrap(), &mut out);
            out
        });
        assert!(texts[0] != texts[1], "nothing refers to the window: the test is blind");
        let found = (start, end, texts);
        assert!(expected.get_or_insert(found.clone()) == &found, "{what}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn damaged_pieces_do_no_harm(
        seed in 1u64..1 << 40, changes in prop::collection::vec((any::<u32>(), 0u8..8), 0..4)
    ) {
        let mut random = Random(seed);
        let text = common::data(random.below(6), 60_000, &mut random);
        let mut stream = common::stream(&text, &mut random);
        for (at, bit) in changes {
            let at = at as usize % stream.len();
            stream[at] ^= 1 << bit;
        }
        for (what, (_, mut inflater)) in inflaters() {
            let bits = 8 * stream.len();
            let mut symbols = Symbols::default();
            let mut at = random.below(bits);
            for _ in 0..5 {
                let Some(start) = inflater.find(&stream, at..bits) else { break };
                prop_assert!(start >= at && start < bits, "{what}");
                let until = start + random.below(bits);
                let end = inflater.inflate(&stream, start, until, 1 << 16, &mut symbols);
                prop_assert!(end >= start && end <= bits, "{what}");
                prop_assert!(symbols.len() <= 1 << 16);
                at = start + 1;
            }
        }
    }
}
