//! Made reads of all that trimmers look at: short fragments with adapters behind them, identifiers before them, bad ends, N, runs of G
//! and of other bases.

use biofast_testkit::random::Random;
use biofast_testkit::reference::reverse_complement;

/// Adapters of first and second reads.
pub(crate) const ADAPTERS: [&str; 2] =
    ["AGATCGGAAGAGCACACGTCTGAACTCCAGTCA", "AGATCGGAAGAGCGTCGTGTAGGGAAAGAGTGT"];

/// How many random sets of options are tried, and from which seed: `BIOFAST_SETS` and `BIOFAST_SEED` ask for others.
pub(crate) fn sets(seed: u64) -> (usize, Random) {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    (number("BIOFAST_SETS").unwrap_or(300) as usize, Random(number("BIOFAST_SEED").unwrap_or(seed)))
}

/// Options of one run, as both programs have them.
#[derive(Default)]
pub(crate) struct Options {
    pub(crate) ours: Vec<String>,
    pub(crate) theirs: Vec<String>,
}

impl Options {
    pub(crate) fn add(&mut self, ours: &str, theirs: &str) {
        self.ours.extend(ours.split_whitespace().map(str::to_owned));
        self.theirs.extend(theirs.split_whitespace().map(str::to_owned));
    }

    /// An option of the same value.
    pub(crate) fn same(&mut self, ours: &str, theirs: &str, value: impl std::fmt::Display) {
        self.add(&format!("{ours} {value}"), &format!("{theirs} {value}"));
    }
}

pub(crate) fn bases(random: &mut Random, n: usize) -> Vec<u8> {
    (0..n).map(|_| b"ACGT"[random.below(4)]).collect()
}

/// What is before a fragment on each strand, its ends included: primers, identifiers.
pub(crate) struct Made {
    pub(crate) before: [String; 2],
    /// The longest read of each mate.
    pub(crate) longest: [usize; 2],
    /// How names begin.
    pub(crate) machine: &'static str,
    /// Names end in the mate's number.
    pub(crate) numbered: bool,
}

impl Made {
    /// `n` pairs.
    pub(crate) fn pairs(&self, random: &mut Random, n: usize) -> [String; 2] {
        let mut out = [String::new(), String::new()];
        for i in 0..n {
            let len = match random.below(4) {
                0 => random.below(30),
                1 => 20 + random.below(70),
                _ => 30 + random.below(250),
            };
            let mut fragment = bases(random, len);
            if random.chance(8) {
                let n = 1 + random.below(6);
                let unit = bases(random, n);
                fragment = unit.iter().copied().cycle().take(len).collect();
            }
            let umi = [random.below(3), random.below(3)].map(|n| if n == 0 { 0 } else { 8 });
            let umi = umi.map(|n| bases(random, n));
            let mut whole = self.before[0].as_bytes().to_vec();
            whole.extend_from_slice(&umi[0]);
            whole.extend_from_slice(&fragment);
            whole.extend_from_slice(&reverse_complement(&umi[1]));
            whole.extend_from_slice(&reverse_complement(self.before[1].as_bytes()));
            let index = [6, 8].map(|n| String::from_utf8(bases(random, n)).unwrap());
            for (mate, strand) in
                [whole.clone(), reverse_complement(&whole)].into_iter().enumerate()
            {
                let (sequence, qualities) = self.read(random, strand, mate);
                let slash = if self.numbered { format!("/{}", mate + 1) } else { String::new() };
                let name = format!("{}:{i}{slash}", self.machine);
                let [one, two] = &index;
                out[mate] +=
                    &format!("@{name} {}:N:0:{one}+{two}\n{sequence}\n+\n{qualities}\n", mate + 1);
            }
        }
        out
    }

    fn read(&self, random: &mut Random, strand: Vec<u8>, mate: usize) -> (String, String) {
        let mut read = strand;
        if random.chance(93) {
            let cut = if random.chance(80) { 0 } else { random.below(4) };
            read.extend_from_slice(&ADAPTERS[mate].as_bytes()[cut..]);
        }
        let tail = [b"A", b"C", b"G", b"T", b"N"][random.below(5)][0];
        let tail_is_run = random.chance(50);
        let longest = self.longest[mate] - if random.chance(15) { random.below(30) } else { 0 };
        while read.len() < longest {
            let base = b"ACGT"[random.below(4)];
            read.push(if tail_is_run && random.chance(93) { tail } else { base });
        }
        read.truncate(longest);
        if random.chance(12) {
            let len = random.below(40).min(read.len());
            let start = read.len() - len;
            let run = b"GGGAN"[random.below(5)];
            for base in &mut read[start..] {
                if random.chance(94) {
                    *base = run;
                }
            }
        }
        let good = [0, 2, 8, 40][random.below(4)];
        let bad_end = if random.chance(40) { random.below(60) } else { 0 };
        let bad_front = if random.chance(10) { random.below(20) } else { 0 };
        let len = read.len();
        let mut qualities = String::new();
        for (at, base) in read.iter_mut().enumerate() {
            let chance = if at + bad_end >= len || at < bad_front { 70 } else { good };
            let low = random.chance(chance);
            let letters = if low { &b"#+/04"[..] } else { b"5?EIF" };
            qualities.push(char::from(letters[random.below(5)]));
            if random.chance(if low { 8 } else { 1 }) {
                *base = b"ACGTN"[random.below(5)];
            }
        }
        (String::from_utf8(read).unwrap(), qualities)
    }
}
