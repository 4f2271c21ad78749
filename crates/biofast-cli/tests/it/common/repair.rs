//! What the cases of `repair` share with those beside peers.

use biofast_testkit::container::gunzip;
use biofast_testkit::random::Random;

use super::reads;

pub(crate) fn records(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    lines.chunks(4).map(<[&str]>::concat).collect()
}

pub(crate) fn content(path: &std::path::Path) -> String {
    let bytes = std::fs::read(path).unwrap();
    let is_plain = !bytes.starts_with(&[0x1f, 0x8b]);
    String::from_utf8(if is_plain { bytes } else { gunzip(&bytes).unwrap() }).unwrap()
}

pub(crate) fn shuffle(random: &mut Random, records: &mut [String]) {
    for at in (1..records.len()).rev() {
        records.swap(at, random.below(at + 1));
    }
}

/// Mates of which some are missing: first reads in order, second ones as the argument says.
pub(crate) fn files(n: usize, shuffled: bool) -> [Vec<String>; 2] {
    let mut random = Random(n as u64);
    let all = records(&reads("r", n));
    let mut files = [0, 1].map(|mate| -> Vec<String> {
        let kept = all.iter().filter(|_| random.below(6) > 0);
        kept.map(|record| record.replacen(" x", &format!(" {}:N:0:ACGT", mate + 1), 1)).collect()
    });
    if shuffled {
        let [one, two] = &mut files;
        shuffle(&mut random, one);
        shuffle(&mut random, two);
    }
    files
}
