//! What the cases of `alignments` share with those beside peers.

use biofast_testkit::bam::{header, record, records};

pub(crate) const REFERENCES: [(&str, u32); 3] = [("chr1", 1000), ("chr2:HLA", 50), ("chrUn", 7)];

pub(crate) fn data(n: usize) -> Vec<u8> {
    let mut out = header(&REFERENCES);
    let mut records = records(n, REFERENCES.len() as i32);
    // Sorted by coordinate: those without a reference come last.
    records.sort_by_key(|r| r.references[0] as u32);
    records.iter().for_each(|r| out.extend(record(r)));
    out
}

/// All commands whose output must equal samtools', without the file's name.
pub(crate) const COMMANDS: [&[&str]; 4] =
    [&["flagstat"], &["flagstat", "-O", "json"], &["flagstat", "-O", "tsv"], &["idxstats"]];

/// The records of [`data`] as SAM text.
pub(crate) fn sam(n: usize) -> String {
    let mut out = "@HD\tVN:1.6\n".to_owned();
    for (name, length) in REFERENCES {
        out += &format!("@SQ\tSN:{name}\tLN:{length}\n");
    }
    let mut records = records(n, REFERENCES.len() as i32);
    records.sort_by_key(|r| r.references[0] as u32);
    for r in records {
        let [own, mate] = r.references.map(|id| match REFERENCES.get(id as usize) {
            Some((name, _)) => (*name, 10),
            None => ("*", 0),
        });
        let (cigar, bases, quals) = match r.len {
            0 => ("5M".into(), "*".into(), "*".into()),
            n => (format!("{n}M"), "A".repeat(n), "?".repeat(n)),
        };
        out += &format!(
            "{}\t{}\t{}\t{}\t{}\t{cigar}\t{}\t{}\t0\t{bases}\t{quals}\n",
            r.name, r.flags, own.0, own.1, r.mapq, mate.0, mate.1
        );
    }
    out
}

pub(crate) const HEADER: &str = "@HD\tVN:1.6\n@SQ\tSN:c\tLN:100\n";

/// SAM that breaks a rule and loses nothing.
pub(crate) struct Odd {
    pub(crate) name: &'static str,
    pub(crate) text: String,
    /// What is printed of it.
    pub(crate) expected: String,
    /// A part of the warning.
    pub(crate) needed: &'static str,
}

pub(crate) fn odd_files() -> Vec<Odd> {
    let line = |tags: &str| format!("r\t0\tc\t5\t9\t4M\t*\t0\t0\tACGT\tIIII{tags}\n");
    let plain = line("\tNM:i:1");
    let rows = [
        ("tabs", HEADER, line("\tNM:i:1\t\t"), line("\tNM:i:1"), "tabs at the end of the line"),
        ("no tags", HEADER, line("\t"), line(""), "tabs at the end of the line"),
        (
            "joined",
            HEADER,
            line("\tNM:i:1 XX:B:c,1,2  MD:Z:4 a"),
            line("\tNM:i:1\tXX:B:c,1,2\tMD:Z:4 a"),
            "spaces between or after tags",
        ),
        ("a space", HEADER, line("\tNM:i:1 \tXX:A:a"), line("\tNM:i:1\tXX:A:a"), "spaces between"),
        (
            "zeros",
            HEADER,
            "r\t0\tc\t00000000000005\t0009\t4M\t=\t07\t-000000000000020\tACGT\tIIII\n".into(),
            "r\t0\tc\t5\t9\t4M\t=\t7\t-20\tACGT\tIIII\n".into(),
            "leading zeros in a number",
        ),
        (
            "reference",
            HEADER,
            "r\t0\td\t5\t9\t4M\t*\t0\t0\tACGT\tIIII\n".into(),
            "r\t4\t*\t5\t9\t4M\t*\t0\t0\tACGT\tIIII\n".into(),
            "(RNAME) not in the header",
        ),
        (
            "mate",
            HEADER,
            "r\t1\tc\t5\t9\t4M\td\t7\t0\tACGT\tIIII\n".into(),
            "r\t1\tc\t5\t9\t4M\t*\t7\t0\tACGT\tIIII\n".into(),
            "(RNEXT) not in the header",
        ),
        ("type", HEADER, line("\tNM:I:1"), line("\tNM:i:1"), "of type I"),
        ("form", HEADER, line("\tXF:f:10."), line("\tXF:f:10"), "in a form that"),
        ("range", HEADER, line("\tXF:f:1e-50"), line("\tXF:f:0"), "beyond single precision"),
        (
            "long",
            "@HD\tVN:1.6\n@SQ\tSN:c\tLN:10000000000\n",
            plain.clone(),
            plain.clone(),
            "more than 2,147,483,647 bases",
        ),
    ];
    let file = |(name, header, odd, printed, needed): (_, &str, String, String, _)| Odd {
        name,
        text: format!("{header}{plain}{odd}{plain}{odd}"),
        expected: match name {
            "long" => format!("{header}{}", plain.repeat(4)),
            _ => format!("{header}{plain}{printed}{plain}{printed}"),
        },
        needed,
    };
    rows.into_iter().map(file).collect()
}
