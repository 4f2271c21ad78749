//! What the cases of `fastqc` share with those beside peers.

use std::collections::BTreeMap;
use std::fmt::Write;

use biofast_testkit::templates::TemplateRandom;

/// Modules by name: the verdict, and the rows with the head.
pub(crate) type Modules = BTreeMap<String, (String, Vec<Vec<String>>)>;

pub(crate) fn modules(text: &str) -> Modules {
    let mut modules = Modules::new();
    for part in text.split(">>END_MODULE\n").filter(|part| part.contains(">>")) {
        let mut lines = part.lines().skip_while(|line| !line.starts_with(">>"));
        let (name, verdict) = lines.next().unwrap()[2..].split_once('\t').unwrap();
        let rows = lines.map(|line| line.split('\t').map(str::to_owned).collect()).collect();
        modules.insert(name.to_owned(), (verdict.to_owned(), rows));
    }
    modules
}

/// Reads of a library with what is looked for: tiles in the names, repeats, adapters, primers with a mismatch, lower case.
pub(crate) fn library(n: usize, len: usize, tiles: usize, inserts: usize) -> String {
    const PRIMERS: [&str; 6] = [
        "AGATCGGAAGAGCACACGTCTGAACTCCAGTCACCGATGTATCTCGTATGCCGTCTTCTGCTTG",
        "CTGTCTCTTATACACATCTCCGAGCCCACGAGAC",
        "AATGATACGGCGACCACCGAGATCTACACTCTTTCCCTACACGACGCTCTTCCGATCT",
        "CAAGCAGAAGACGGCATACGAGATCGTGATGTGACTGGAGTTCCTTGGCACCCGAGAATTCCA",
        "TGGAATTCTCGGGTGCCAAGG",
        "AAGCAGTGGTATCAACGCAGAGTACTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTT",
    ];
    let mut numbers = TemplateRandom((n * 31 + len) as u64);
    let mut random = |below: usize| numbers.below(below);
    let mut text = String::new();
    for i in 0..n {
        // Few inserts are frequent, most are rare.
        let mut insert = random(inserts) * random(inserts) / inserts;
        let primer = PRIMERS[random(PRIMERS.len())];
        let mut read = String::new();
        if random(12) > 0 {
            for _ in 0..random(len + 1) {
                insert = (insert * 1_103_515_245 + 12_345) & 0x7fff_ffff;
                read.push(['A', 'C', 'G', 'T'][insert >> 16 & 3]);
            }
        }
        read += primer;
        read += &"ACCGT".repeat(len);
        read.truncate(if random(3) == 0 { len - random(len / 2) } else { len });
        if i % 7 == 0 {
            read.replace_range(5..6, ["a", "T", "N"][random(3)]);
        }
        let tile = 1101 + random(tiles);
        // Lower towards the end, in some tiles more so.
        let drop = |at: usize| (at * 12 / len + tile % 5 * at * 3 / len) as u8;
        let qualities: String = (0..read.len()).map(|at| (b'I' - drop(at)) as char).collect();
        let name = match tiles {
            1 => format!("HWUSI-EAS:6:{}:941:1973#0/1", 1 + i % 100),
            2 => format!("SRR1.{i} {i} length={len}"),
            _ => format!("M0:7:FC:1:{tile}:{i}:5 1:N:0:ACGT"),
        };
        let _ = writeln!(text, "@{name}\n{read}\n+\n{qualities}");
    }
    text
}
