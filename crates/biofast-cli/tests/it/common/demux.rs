//! What the cases of `demux` share with those beside peers.

use std::path::Path;

use biofast_testkit::container::{bgzf, gunzip};
use biofast_testkit::random::Random;

use super::{Folder, files_below, silent};

pub(crate) const SAMPLES: [(&str, &str); 5] = [
    ("s1", "AACCGGTTACGTACGT"),
    ("s2", "AACCGGTTTTTTGGGG"),
    ("s3", "GGTTAACCACGTACGT"),
    ("s4", "CATCATCATGATTACA"),
    ("s5", "CATCATCTTGATTATA"),
];

/// The sheet of fqtk.
pub(crate) fn sheet(samples: &[(&str, &str)]) -> String {
    let rows = samples.iter().map(|(id, barcode)| format!("{id}\t{barcode}\n"));
    format!("sample_id\tbarcode\n{}", rows.collect::<String>())
}

/// The files R1, I1, I2 and R2 of a run: barcodes of the samples with errors and without, and of none.
pub(crate) fn run(seed: u64, n: usize, samples: &[(&str, &str)]) -> [String; 4] {
    let mut numbers = Random(seed);
    let mut files = [const { String::new() }; 4];
    for number in 0..n {
        let mut barcode = match numbers.below(10) {
            0 => (0..16).map(|_| b"ACGTN"[numbers.below(5)]).collect(),
            _ => samples[numbers.below(samples.len())].1.as_bytes().to_vec(),
        };
        for _ in 0..[0, 0, 0, 1, 1, 2, 3][numbers.below(7)] {
            let at = numbers.below(16);
            barcode[at] = b"ACGTN"[numbers.below(5)];
        }
        let barcode = String::from_utf8(barcode).unwrap();
        let mut bases = |len: usize| -> String {
            (0..len).map(|_| char::from(b"ACGTN"[numbers.below(5)])).collect()
        };
        let (r1, r2) = (bases(20 + number % 30), bases(25 + number % 17));
        let parts = [r1.as_str(), &barcode[..8], &barcode[8..], r2.as_str()];
        for ((file, part), mate) in files.iter_mut().zip(parts).zip([1, 1, 2, 2]) {
            let index = ["", "0", "NNNNNNNN"][number % 3];
            let quality: String =
                (0..part.len()).map(|at| char::from(b'#' + (at * 7 + number) as u8 % 40)).collect();
            *file +=
                &format!("@M1:7:FC:1:1101:{number}:9 {mate}:N:0:{index}\n{part}\n+\n{quality}\n");
        }
    }
    files
}

/// The text of every file in a folder that ends so, by name.
pub(crate) fn contents(folder: &Path, ending: &str) -> Vec<(String, String)> {
    let text = |(name, bytes): (String, Vec<u8>)| {
        let bytes = if ending.ends_with("gz") { gunzip(&bytes).unwrap() } else { bytes };
        (name, String::from_utf8(bytes).unwrap())
    };
    let all = files_below(folder).into_iter();
    all.filter(|(name, _)| name.ends_with(ending)).map(text).collect()
}

pub(crate) fn demux(args: &[&str]) {
    silent(&[&["demux", "--quiet"], args].concat());
}

pub(crate) fn written(folder: &Folder, names: [&str; 4], texts: &[String; 4]) -> [String; 4] {
    let mut paths = names.map(str::to_owned);
    for (path, text) in paths.iter_mut().zip(texts) {
        *path = match path.ends_with(".gz") {
            true => folder.file(path, bgzf(text.as_bytes(), 3_000)),
            false => folder.file(path, text),
        };
    }
    paths
}
