//! How long data become with an entropy coder, without coding them.
//!
//! In whole numbers: the choice that is made by it must be the same on every machine.

/// How many stretches of the data are looked at, and how long they are.
const SAMPLES: usize = 16;
const SAMPLE: usize = 4 << 10;

/// Binary places of logarithms.
const PLACES: u32 = 16;

/// Logarithms of 1 to 2 in steps of 1/256.
const LOGARITHMS: [u32; 257] = {
    let mut logarithms = [0; 257];
    let mut step = 0;
    while step < 256 {
        // Squared, a number between 1 and 2 says the next binary place.
        let (mut x, mut place) = ((256 + step as u64) << 23, 0);
        while place < PLACES {
            x = (x * x) >> 31;
            logarithms[step] <<= 1;
            if x >> 32 != 0 {
                logarithms[step] |= 1;
                x >>= 1;
            }
            place += 1;
        }
        step += 1;
    }
    logarithms[256] = 1 << PLACES;
    logarithms
};

/// The logarithm to the base 2 of a number from 1 on.
#[inline]
fn log2(n: u32) -> u64 {
    let whole = n.ilog2();
    let digits = n << (31 - whole);
    let (step, rest) = (((digits >> 23) & 0xff) as usize, (digits >> 7) & 0xffff);
    let (low, high) = (LOGARITHMS[step], LOGARITHMS[step + 1]);
    u64::from(whole << PLACES) + u64::from(low) + ((u64::from(high - low) * u64::from(rest)) >> 16)
}

/// The bits of symbols that occur so often.
fn bits(counts: &[u32]) -> u64 {
    let total: u32 = counts.iter().sum();
    let each = counts.iter().filter(|&&n| n > 0).map(|&n| u64::from(n) * log2(n)).sum::<u64>();
    if total == 0 { 0 } else { (u64::from(total) * log2(total) - each) >> PLACES }
}

/// Counts of bytes, and of bytes behind each byte.
pub(super) struct Counts {
    single: [u32; 256],
    pairs: Vec<[u32; 256]>,
}

/// Bytes of data that are coded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimate {
    /// Each byte by how often it occurs.
    pub(super) order_0: usize,
    /// Each byte by how often it occurs behind the one before.
    pub(super) order_1: usize,
    /// Different bytes among those looked at.
    pub(super) symbols: usize,
    /// How many of 100 bytes are the same as the one before.
    pub(super) repeated: usize,
}

impl Counts {
    pub(super) fn new() -> Counts {
        Counts { single: [0; 256], pairs: vec![[0; 256]; 256] }
    }

    /// An estimate by [`SAMPLES`] stretches of the data, or by all of them if they aren't longer.
    pub(super) fn estimate(&mut self, data: &[u8]) -> Estimate {
        self.single.fill(0);
        let step = data.len().div_ceil(SAMPLES).max(SAMPLE);
        let samples = || data.chunks(step).map(|part| &part[..part.len().min(SAMPLE)]);
        let counted: usize = samples().map(<[u8]>::len).sum();
        samples().flatten().for_each(|&byte| self.single[usize::from(byte)] += 1);
        let bound = self.single.iter().rposition(|&n| n > 0).map_or(0, |byte| byte + 1);
        // The first byte of a stretch has none before it: the coder begins with 0.
        self.pairs[0].fill(0);
        for byte in (0..bound).filter(|&byte| self.single[byte] > 0) {
            self.pairs[byte].fill(0);
        }
        for sample in samples() {
            let mut last = 0;
            for &byte in sample {
                self.pairs[last][usize::from(byte)] += 1;
                last = usize::from(byte);
            }
        }
        let scaled = |bits: u64| (bits / 8 * data.len() as u64 / counted.max(1) as u64) as usize;
        // Tables take some two bytes a symbol.
        let table = |counts: &[u32]| 2 * counts.iter().filter(|&&n| n > 0).count() + 2;
        let contexts = (0..bound.max(1)).filter(|&byte| byte == 0 || self.single[byte] > 0);
        let (mut order_1, mut tables, mut repeated) = (0, 25, 0);
        for context in contexts {
            let counts = &self.pairs[context][..bound];
            repeated += counts.get(context).map_or(0, |&n| n as usize);
            order_1 += bits(counts);
            tables += table(counts);
        }
        Estimate {
            order_0: scaled(bits(&self.single)) + table(&self.single) + 25,
            order_1: scaled(order_1) + tables,
            symbols: self.single.iter().filter(|&&n| n > 0).count(),
            repeated: 100 * repeated / counted.max(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_those_of_real_numbers() {
        for n in (1..5000).chain((0..32).map(|bit| 1 << bit)).chain([u32::MAX, 3 << 29]) {
            let expected = f64::from(n).log2();
            assert!((log2(n) as f64 / 65536.0 - expected).abs() < 1e-4, "{n}");
        }
    }

    #[test]
    fn estimates_are_near_what_coders_make() {
        let mut state = 1_u32;
        let mut next = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        let data: Vec<u8> = (0..100_000).map(|_| (next(6) * next(7)) as u8).collect();
        let estimate = Counts::new().estimate(&data);
        for (order, estimated) in [
            (biofast_codecs::Order::Zero, estimate.order_0),
            (biofast_codecs::Order::One, estimate.order_1),
        ] {
            let mut coded = Vec::new();
            biofast_codecs::rans4x8::encode(&data, order, &mut coded);
            assert!(coded.len().abs_diff(estimated) < estimated / 50, "{order:?} {estimated}");
        }
    }
}
