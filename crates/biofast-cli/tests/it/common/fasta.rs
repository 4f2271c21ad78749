//! What the cases of `fasta` share with those beside peers.

use std::collections::BTreeMap;

use biofast_testkit::random::Random;

use super::ok;

/// Genes of many lengths, wrapped at several widths.
pub(crate) fn genes(n: usize, width: usize) -> String {
    let mut random = Random(7);
    let mut out = String::new();
    for i in 0..n {
        let len = random.below(400);
        let bases: Vec<u8> = (0..len).map(|_| b"ACGTNacgt-"[random.below(10)]).collect();
        out += &format!(">gene{i} of {n}\n");
        for line in bases.chunks(width) {
            out += &format!("{}\n", std::str::from_utf8(line).unwrap());
        }
    }
    out
}

/// Files of genes, RNA and proteins, by name.
pub(crate) fn several() -> [(&'static str, String); 5] {
    [
        ("genes.fa", genes(300, 60)),
        ("one_line.fna", genes(50, 1000)),
        ("crlf.fa", genes(40, 13).replace('\n', "\r\n")),
        ("rna.fasta", ">a\nACGU\nAC\n>b\nGG\n>c\nGGG\n".into()),
        ("protein.faa", ">a\nMKVLLAEFQ*\n>b\nMEEPQSDPSVEL\n".into()),
    ]
}

/// The records of a FASTA text, sequences in one line.
pub(crate) fn joined(text: &str) -> Vec<(String, String)> {
    let records = text.split('>').skip(1).map(|record| record.split_once('\n').unwrap());
    records.map(|(name, lines)| (name.to_owned(), lines.replace('\n', ""))).collect()
}

/// Sequences in lines of any length, some of which come again.
pub(crate) fn doubles() -> String {
    let mut random = Random(5);
    let mut fasta = String::new();
    let mut known: Vec<String> = Vec::new();
    for number in 0..400 {
        let sequence = match known.len() {
            n @ 1.. if random.below(3) == 0 => known[random.below(n)].clone(),
            _ => {
                (0..50 + random.below(90)).map(|_| ['A', 'C', 'G', 'T'][random.below(4)]).collect()
            }
        };
        // Lines of any length are the same sequence.
        let width = 20 + random.below(60);
        fasta.push_str(&format!(">s{number} x\n"));
        for line in sequence.as_bytes().chunks(width) {
            fasta.push_str(std::str::from_utf8(line).unwrap());
            fasta.push('\n');
        }
        known.push(sequence);
    }
    fasta
}

/// The figures of a file as `stats -T` names them.
pub(crate) fn figures(path: &str) -> BTreeMap<String, String> {
    let run = ok(&["stats", "-T", "-q", path]);
    let rows: Vec<Vec<&str>> = run.stdout.lines().map(|line| line.split('\t').collect()).collect();
    let row = rows[0].iter().zip(&rows[1]);
    row.map(|(name, figure)| ((*name).to_owned(), (*figure).to_owned())).collect()
}
