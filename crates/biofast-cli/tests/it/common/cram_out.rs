//! Records of all kinds for writers of CRAM, and what of them CRAM doesn't hold.

use biofast_testkit::random::Random;

/// How CRAM is written: the format, and the options.
pub(crate) const WAYS: [(&str, &str); 6] = [
    ("cram", "-T r.fa"),
    ("cram", "-T r.fa --embed-reference"),
    ("cram", "--no-reference"),
    ("cram,version=3.1", "-T r.fa"),
    ("cram,version=3.1", "-T r.fa --embed-reference"),
    ("cram,version=3.1", "--no-reference"),
];

/// References: the last one has other letters, at both ends N, and small ones.
fn references() -> [(&'static str, String); 3] {
    let mut random = Random(5);
    let mut of = |letters: &[u8], n: usize| -> String {
        (0..n).map(|_| letters[random.below(letters.len())] as char).collect()
    };
    let odd = format!("NNNN{}acgtacgtnn", of(b"ACGTRYN", 60));
    [("c1", of(b"ACGT", 400)), ("c2", of(b"ACGT", 150)), ("c3", odd)]
}

/// The references as FASTA.
pub(crate) fn fasta() -> String {
    let lines = |bases: &str| -> String {
        bases.as_bytes().chunks(60).map(|line| format!("{}\n", line.escape_ascii())).collect()
    };
    references().iter().map(|(name, bases)| format!(">{name}\n{}", lines(bases))).collect()
}

/// A stretch of the first reference; positions count from 1.
fn bases(at: usize, len: usize) -> String {
    references()[0].1[at - 1..at - 1 + len].to_owned()
}

/// Single reads on the first reference at 10: name, flags, CIGAR, sequence, and tags.
fn single() -> Vec<[String; 5]> {
    let s = bases(10, 30);
    let first = |n: usize| s[..n].to_owned();
    let rest = |n: usize| s[n..].to_owned();
    let all_tags = "XA:A:x\tXc:i:-5\tXC:i:200\tXs:i:-300\tXS:i:60000\tXi:i:-70000\tXI:i:4000000000\tXf:f:1.5\tXZ:Z:text\tXE:Z:\t\
                    XH:H:1AE301\tBc:B:c,-1,2\tBC:B:C,1,2\tBs:B:s,-300\tBS:B:S,60000\tBi:B:i,-70000\tBI:B:I,4000000000\tBf:B:f,1.5,2.5";
    let row = |name: &str, flags: u16, cigar: &str, sequence: String, tags: &str| {
        [name.to_owned(), flags.to_string(), cigar.to_owned(), sequence, tags.to_owned()]
    };
    let other = if s.starts_with('A') { 'C' } else { 'A' };
    let mismatch = format!("{other}{}", rest(1));
    let edits =
        format!("ACG{}TT{}G{}{}CA", bases(10, 10), bases(20, 5), bases(25, 3), bases(32, 6));
    vec![
        row("plain", 0, "30M", s.clone(), "NM:i:0\tMD:Z:30\tRG:Z:a"),
        row("no-md", 0, "30M", s.clone(), ""),
        row("wrong-nm", 0, "30M", s.clone(), "NM:i:5\tMD:Z:3A26"),
        row("two-nm", 0, "30M", s.clone(), "NM:i:300\tMD:Z:30\tNM:i:0"),
        row("eq-x", 0, "10=5X15=", format!("{}AAAAA{}", first(10), rest(15)), ""),
        row("neighbours", 0, "10M20M", s.clone(), ""),
        row("zero", 0, "10M0I20M", s.clone(), ""),
        row("iupac", 0, "30M", format!("RYSWKMBDHV{}", rest(10)), ""),
        row("equal-signs", 0, "30M", format!("====={}", rest(5)), ""),
        row("n", 0, "30M", format!("NN{}", rest(2)), "NM:i:2"),
        row("edits", 0, "5H3S10M2I5M1I3M4D6M2S1H", edits, "RG:Z:b b"),
        row("skip", 0, "10M100N10M5P5M", format!("{}{}", first(10), bases(120, 15)), ""),
        row("no-sequence", 0, "30M", "*".into(), "X0:i:1"),
        row("no-sequence-edits", 0, "5S20M3I2M", "*".into(), "MD:Z:22\tNM:i:3"),
        row("*", 0, "30M", s.clone(), ""),
        row(&"x".repeat(254), 0, "30M", s.clone(), ""),
        row("tags", 0, "30M", s.clone(), all_tags),
        row("tag-twice", 0, "30M", s.clone(), "XX:i:1\tXX:i:2"),
        row("unknown-group", 0, "30M", s.clone(), "RG:Z:unknown"),
        row("two-groups", 0, "30M", s.clone(), "RG:Z:a\tRG:Z:a"),
        row("flags", 0x300, "30M", s.clone(), ""),
        row("deletion-past-end", 0, "10M400D2M", format!("{}AC", first(10)), ""),
        row("clipped", 0, "30S", s.clone(), ""),
        row("two-clips", 0, "3S4S23M", s.clone(), ""),
        row(
            "lower-md",
            0,
            "30M",
            mismatch.clone(),
            &format!("MD:Z:0{}29", first(1).to_lowercase()),
        ),
        row("mismatch", 0, "30M", mismatch, &format!("MD:Z:0{}29\tNM:i:1", first(1))),
        row("one-base", 0, "1M", first(1), ""),
    ]
}

/// A name, and the places, flags and template lengths of two mates.
type Mates = (&'static str, [(&'static str, u32); 2], [u16; 2], [i32; 2]);

const PAIRS: [Mates; 17] = [
    ("p1", [("c1", 10), ("c1", 100)], [99, 147], [120, -120]),
    ("p2", [("c1", 100), ("c1", 10)], [83, 163], [-120, 120]),
    ("wrong-length", [("c1", 10), ("c1", 100)], [99, 147], [121, -121]),
    ("same-start", [("c1", 10), ("c1", 10)], [99, 147], [30, -30]),
    ("same-start-2", [("c1", 10), ("c1", 10)], [99, 147], [-30, 30]),
    ("same-start-0", [("c1", 10), ("c1", 10)], [99, 147], [0, 0]),
    ("references", [("c1", 10), ("c2", 10)], [97, 145], [0, 0]),
    ("mate-unmapped", [("c1", 10), ("c1", 10)], [73, 133], [0, 0]),
    ("mate-unmapped-5", [("c1", 10), ("c1", 10)], [73, 133], [5, -5]),
    ("both-unmapped", [("*", 0), ("*", 0)], [77, 141], [0, 0]),
    ("both-forward", [("c1", 10), ("c1", 100)], [67, 131], [120, -120]),
    ("outward", [("c1", 10), ("c1", 100)], [83, 163], [120, -120]),
    ("both-first", [("c1", 10), ("c1", 100)], [65, 65], [120, -120]),
    ("wrong-flags", [("c1", 10), ("c1", 100)], [67, 147], [120, -120]),
    ("twice", [("c1", 10), ("c1", 100)], [99, 147], [120, -120]),
    ("twice", [("c1", 12), ("c1", 100)], [99, 147], [118, -118]),
    ("secondary", [("c1", 10), ("c1", 100)], [355, 403], [120, -120]),
];

/// Records of all kinds, as SAM.
pub(crate) fn odd(order: &str) -> String {
    let mut sam = format!("@HD\tVN:1.6\tSO:{order}\n");
    for (name, bases) in references() {
        sam += &format!("@SQ\tSN:{name}\tLN:{}\n", bases.len());
    }
    sam += "@RG\tID:a\tSM:s\n@RG\tID:b b\tSM:t\n@CO\tcomment\n";
    let mut line = |fields: &[&str], tags: &str| {
        sam += &fields.join("\t");
        if !tags.is_empty() {
            sam += "\t";
            sam += tags;
        }
        sam += "\n";
    };
    for [name, flags, cigar, sequence, tags] in single() {
        let qualities = if sequence == "*" { "*".into() } else { "I".repeat(sequence.len()) };
        line(
            &[&name, &flags, "c1", "10", "60", &cigar, "*", "0", "0", &sequence, &qualities],
            &tags,
        );
    }
    let s = bases(10, 30);
    let i = "I".repeat(30);
    line(&["no-qualities", "0", "c1", "10", "255", "30M", "*", "0", "0", &s, "*"], "");
    for (name, flags, place, mapq, cigar) in [
        ("unmapped", "4", ("*", "0"), "0", "*"),
        ("unmapped-mapq", "4", ("*", "0"), "37", "*"),
        ("unmapped-placed", "4", ("c1", "50"), "0", "*"),
        ("unmapped-cigar", "4", ("c1", "50"), "9", "5M"),
    ] {
        line(&[name, flags, place.0, place.1, mapq, cigar, "*", "0", "0", "ACGTN", "IIIII"], "");
    }
    line(&["unmapped-empty", "4", "*", "0", "0", "*", "*", "0", "0", "*", "*"], "");
    let second = &references()[1].1;
    let past = format!("{}{}", &second[139..], "A".repeat(19));
    line(&["past-end", "0", "c2", "140", "60", "30M", "*", "0", "0", &past, &i], "");
    line(
        &["past-end-md", "0", "c2", "140", "60", "30M", "*", "0", "0", &past, &i],
        "MD:Z:11\tNM:i:0",
    );
    line(&["behind-end", "0", "c2", "200", "60", "30M", "*", "0", "0", &"A".repeat(30), &i], "");
    let third = references()[2].1.to_uppercase();
    line(&["n-n", "0", "c3", "1", "60", "30M", "*", "0", "0", &third[..30], &i], "");
    line(&["n-a", "0", "c3", "1", "60", "30M", "*", "0", "0", &"A".repeat(30), &i], "NM:i:25");
    line(
        &["lower-case", "0", "c3", "60", "60", "12M", "*", "0", "0", &third[59..71], &i[..12]],
        "",
    );
    for (name, places, flags, lens) in PAIRS {
        for (own, other) in [(0, 1), (1, 0)] {
            let ((reference, at), (of_mate, mate_at)) = (places[own], places[other]);
            let mate = if reference == of_mate && reference != "*" { "=" } else { of_mate };
            let is_mapped = flags[own] & 4 == 0;
            let (mapq, cigar) = if is_mapped { ("60", "30M") } else { ("0", "*") };
            let [flags, at, mate_at, len] =
                [i64::from(flags[own]), at.into(), mate_at.into(), lens[own].into()]
                    .map(|n| n.to_string());
            line(&[name, &flags, reference, &at, mapq, cigar, mate, &mate_at, &len, &s, &i], "");
        }
    }
    line(&["p1", "2147", "c1", "200", "60", "30M", "=", "100", "-71", &bases(200, 30), &i], "");
    line(&["orphan", "97", "c1", "10", "60", "30M", "c2", "33", "0", &s, &i], "");
    line(&["unpaired-with-mate", "0", "c1", "10", "60", "30M", "c2", "33", "7", &s, &i], "");
    sam
}
