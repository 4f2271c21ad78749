//! The encoder.

use crate::error::Error;
use crate::fqzcomp::context::{CONTEXTS, ReadSoFar};
use crate::fqzcomp::params::AllParams;
use crate::fqzcomp::read::Read;
use crate::fqzcomp::shape::{Facts, SHAPES};
use crate::input::put_uint7;
use crate::range::{Models, RangeEncoder};

/// Where one read in so many has the qualities of the one before, that is told.
const REPEATS: usize = 500;

/// Contexts are chosen by one read in so many.
const TRIED: usize = 4;

/// Symbols instead of qualities where so few occur, with gaps between them.
const MAPPED: usize = 8;

pub(super) fn encode(qualities: &[u8], reads: &[Read], out: &mut Vec<u8>) -> Result<(), Error> {
    let mut sum = 0usize;
    for read in reads {
        if read.len == 0 {
            return Err(Error::Invalid("a read without qualities"));
        }
        sum = sum.saturating_add(read.len);
    }
    if sum != qualities.len() || sum > i32::MAX as usize {
        return Err(Error::Invalid("reads of other lengths than the qualities"));
    }
    // As they were sequenced.
    let can_reverse = reads.iter().any(|read| read.is_reverse);
    let mut symbols = qualities.to_vec();
    if can_reverse {
        let mut rest = &mut symbols[..];
        for read in reads {
            let (here, after) = rest.split_at_mut(read.len);
            if read.is_reverse {
                here.reverse();
            }
            rest = after;
        }
    }
    let mut occurs = [false; 256];
    symbols.iter().for_each(|&symbol| occurs[usize::from(symbol)] = true);
    let occurring: Vec<u8> = (0..=255).filter(|&symbol| occurs[usize::from(symbol)]).collect();
    let max = occurring.last().copied().unwrap_or(0);
    let mut facts = Facts {
        can_repeat: count_repeats(&symbols, reads) * REPEATS > reads.len(),
        has_fixed_len: reads.windows(2).all(|pair| pair[0].len == pair[1].len),
        can_reverse,
        max_symbol: max,
        map: None,
    };
    if occurring.len() <= MAPPED && 2 * occurring.len() < usize::from(max) {
        let mut codes = [0; 256];
        (0..).zip(&occurring).for_each(|(code, &symbol)| codes[usize::from(symbol)] = code);
        symbols.iter_mut().for_each(|symbol| *symbol = codes[usize::from(*symbol)]);
        facts.max_symbol = occurring.len() as u8;
        facts.map = Some(occurring);
    }
    // Tried on the first of them.
    let few = &reads[..reads.len().div_ceil(TRIED)];
    let len = few.iter().map(|read| read.len).sum();
    let sets = SHAPES.map(|shape| shape.params(&facts));
    let [first, others @ ..] = sets.map(|all| {
        let mut trial = Vec::new();
        put_reads(&symbols[..len], few, &all, &mut trial);
        (trial.len(), all)
    });
    let best = |best: (usize, AllParams), next: (usize, AllParams)| {
        if next.0 < best.0 { next } else { best }
    };
    let (_, all) = others.into_iter().fold(first, best);
    put_uint7(out, qualities.len() as u32);
    all.put(out);
    put_reads(&symbols, reads, &all, out);
    Ok(())
}

/// How many reads have the symbols of the one before.
fn count_repeats(symbols: &[u8], reads: &[Read]) -> usize {
    let (mut count, mut before, mut rest) = (0, &[][..], symbols);
    for read in reads {
        let (here, after) = rest.split_at(read.len);
        count += usize::from(here == before);
        (before, rest) = (here, after);
    }
    count
}

/// Encodes symbols behind the parameters.
fn put_reads(symbols: &[u8], reads: &[Read], all: &AllParams, out: &mut Vec<u8>) {
    let set = &all.sets[0];
    let averages =
        if set.has_selector { Some(Averages::new(symbols, reads, all.max_selector)) } else { None };
    let mut qualities = Models::new(CONTEXTS, all.symbols());
    let mut lengths = Models::new(4, 256);
    let [mut reversed, mut repeated] = [(); 2].map(|()| Models::new(1, 2));
    let mut selectors = Models::new(1, 1 + usize::from(all.max_selector));
    let mut coder = RangeEncoder::new(out);
    let (mut before, mut rest) = (&[][..], symbols);
    for (number, read) in reads.iter().enumerate() {
        let (here, after) = rest.split_at(read.len);
        let mut selector = 0;
        if let Some(averages) = &averages {
            selector = averages.selector(here);
            selectors.encode(0, selector, &mut coder);
        }
        if number == 0 || !set.has_fixed_len {
            let bytes = (read.len as u32).to_le_bytes();
            (0..).zip(bytes).for_each(|(at, byte)| lengths.encode(at, byte, &mut coder));
        }
        if all.can_reverse {
            reversed.encode(0, read.is_reverse.into(), &mut coder);
        }
        let is_repeated = set.can_repeat && here == before;
        if set.can_repeat {
            repeated.encode(0, is_repeated.into(), &mut coder);
        }
        if !is_repeated {
            let mut so_far = ReadSoFar::new(read.len, selector);
            let mut context = set.start as usize;
            for &symbol in here {
                qualities.encode(context, symbol, &mut coder);
                context = so_far.add(set, symbol);
            }
        }
        (before, rest) = (here, after);
    }
    coder.finish();
}

/// Bounds between classes of reads by their average symbol.
struct Averages {
    bounds: Vec<u32>,
}

impl Averages {
    /// Classes up to `max`, with about as many reads each.
    fn new(symbols: &[u8], reads: &[Read], max: u8) -> Averages {
        let mut rest = symbols;
        let mut averages: Vec<u32> = reads
            .iter()
            .map(|read| {
                let (here, after) = rest.split_at(read.len);
                rest = after;
                Self::average(here)
            })
            .collect();
        averages.sort_unstable();
        let classes = usize::from(max) + 1;
        let bounds = (1..classes)
            .filter_map(|n| averages.get(averages.len() * n / classes).copied())
            .collect();
        Averages { bounds }
    }

    /// In 64ths.
    fn average(symbols: &[u8]) -> u32 {
        let sum: u64 = symbols.iter().map(|&symbol| u64::from(symbol)).sum();
        (sum * 64 / symbols.len().max(1) as u64) as u32
    }

    fn selector(&self, symbols: &[u8]) -> u8 {
        let average = Self::average(symbols);
        self.bounds.iter().filter(|&&bound| average >= bound).count() as u8
    }
}
