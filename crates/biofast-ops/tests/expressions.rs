//! Filter expressions choose the records `samtools view -e` chooses, where samtools is installed.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use biofast_bam::{Fold, Input, InputOptions};
use biofast_io::{Options, Source};
use biofast_ops::filter::expression::{Expression, ParseError};
use biofast_testkit::random::Random;
use biofast_testkit::sam::{self, SamShape};

/// The numbers of the records an expression chooses, and for how many it has no answer.
#[derive(Debug, Default, PartialEq, Eq)]
struct Choice {
    kept: BTreeSet<usize>,
    errors: usize,
}

/// Names are the numbers of records.
fn number(name: &[u8]) -> usize {
    std::str::from_utf8(name).unwrap().parse().unwrap()
}

fn ours(sam: &str, text: &str) -> Result<Choice, ParseError> {
    let expression = Expression::parse(text)?;
    let options = Options { threads: 1, ..Options::default() };
    let opening = InputOptions { io: &options, reference: None, detail: Default::default() };
    let source = Source::from_reader("x", std::io::Cursor::new(sam.to_owned()));
    let input = Input::open(source, &opening).unwrap();
    let accept = |choice: &mut Choice, batch: biofast_bam::Batch<'_>| {
        for record in batch {
            match expression.matches(&record, batch.header()) {
                Ok(true) => drop(choice.kept.insert(number(record.name()))),
                Ok(false) => (),
                Err(_) => choice.errors += 1,
            }
        }
    };
    let merge = |all: &mut Choice, other: Choice| {
        all.kept.extend(other.kept);
        all.errors += other.errors;
    };
    let result = Fold::new(input.source).options(&options).run(Choice::default, accept, merge);
    Ok(result.map_err(|fault| fault.error).unwrap().1)
}

/// `None` if samtools doesn't live to tell.
fn theirs(path: &Path, text: &str) -> Option<Choice> {
    let output = Command::new("samtools").args(["view", "-e", text]).arg(path).output().unwrap();
    output.status.success().then_some(())?;
    let lines = output.stdout.split(|&b| b == b'\n').filter(|line| !line.is_empty());
    let kept = lines.map(|line| number(line.split(|&b| b == b'\t').next().unwrap())).collect();
    let said = String::from_utf8_lossy(&output.stderr);
    Some(Choice { kept, errors: said.matches("Couldn't process filter expression").count() })
}

fn one_of<'a>(random: &mut Random, words: &[&'a str]) -> &'a str {
    words[random.below(words.len())]
}

/// Records of all kinds with tags of all types.
fn records() -> String {
    let shape = SamShape { records: 80, sorted: false, longest: 60, oddities: true, seed: 77 };
    let mut random = Random(5);
    let mut out = String::new();
    let mut count = 0;
    for line in sam::text(&shape).lines() {
        if line.starts_with('@') {
            let _ = writeln!(out, "{line}");
            continue;
        }
        if count == 0 {
            out.push_str("@RG\tID:g1\tLB:lib1\n@RG\tID:g2\tSM:s\n@RG\tLB:lib 3\tID:g3\n");
        }
        let _ = write!(out, "{count}\t{}", line.split_once('\t').unwrap().1);
        count += 1;
        for (tag, values) in [
            ("RG:Z", &["g1", "g2", "g3", "g4"][..]),
            ("AS:i", &["0", "-3", "7", "70000"]),
            ("XF:f", &["0", "0.5", "-2.25", "1e9", "nan"]),
            ("XD:d", &["0.1", "3"]),
            ("XA:A", &["a", "Z", "5"]),
            ("XZ:Z", &["", "a.b", "x\"y", "A b", "0"]),
            ("XH:H", &["1AE3", ""]),
            ("XB:B", &["c,1,2"]),
        ] {
            if random.below(3) > 0 {
                let _ = write!(out, "\t{tag}:{}", one_of(&mut random, values));
            }
        }
        out.push('\n');
    }
    out
}

/// Makes up expressions. Arithmetic is in parentheses and some mixtures are left out, because
/// samtools remembers values it shouldn't: see `what_is_decided_otherwise`.
struct Maker {
    random: Random,
    /// Whether types are to be mixed up.
    careless: bool,
}

impl Maker {
    fn integer(&mut self, depth: usize) -> String {
        let names = [
            "endpos", "flag", "flag.paired", "flag.unmap", "flag.reverse", "flag.read2", "mapq",
            "flag.mreverse", "flag.proper_pair", "flag.munmap", "flag.read1", "flag.secondary",
            "flag.qcfail", "flag.dup", "flag.supplementary", "mpos", "mrefid", "ncigar", "pnext",
            "pos", "qlen", "refid", "rlen", "sclen", "tlen",
        ];
        match self.random.below(if depth == 0 { 5 } else { 9 }) {
            0 | 1 => one_of(&mut self.random, &names).into(),
            2 => one_of(&mut self.random, &["0", "1", "2", "7", "30", "0x1f", "010", "255"]).into(),
            3 => one_of(&mut self.random, &["150", "-1", "+4", "60", "1000"]).into(),
            4 => one_of(&mut self.random, &["[NM]", "[AS]", "[ZZ]", "length(qual)", "length(seq)"])
                .into(),
            5 => {
                let operator = one_of(&mut self.random, &["+", "-", "&", "|", "^", " & ", "*"]);
                format!("({}{operator}{})", self.integer(depth - 1), self.integer(depth - 1))
            }
            6 => format!("(default({},3) % {})", self.integer(depth - 1), 1 + self.random.below(9)),
            7 => format!("~({})", self.integer(depth - 1)),
            _ => format!("default({},{})", self.integer(depth - 1), self.integer(depth - 1)),
        }
    }

    fn number(&mut self, depth: usize) -> String {
        match self.random.below(if depth == 0 { 3 } else { 10 }) {
            0 => self.integer(depth),
            1 => one_of(&mut self.random, &["[XF]", "[XD]", "0.5", "1e2", ".25", "1.5E-1"]).into(),
            2 => one_of(&mut self.random, &["avg(qual)", "min(qual)", "max(qual)", "max(seq)"])
                .into(),
            3 => {
                let operator = one_of(&mut self.random, &[" + ", "-", "/", " * "]);
                format!("({}{operator}{})", self.number(depth - 1), self.number(depth - 1))
            }
            4 => {
                let name = one_of(&mut self.random, &["sqrt", "log", "exp"]);
                format!("{name}({})", self.number(depth - 1))
            }
            5 => format!("pow({}, {})", self.number(depth - 1), self.random.below(3)),
            6 => format!("-({})", self.number(depth - 1)),
            7 => format!("length({})", self.text()),
            8 => self.truth(depth - 1),
            _ => self.integer(depth),
        }
    }

    fn text(&mut self) -> String {
        let names = [
            "qname", "rname", "mrname", "rnext", "library", "cigar", "seq", "[RG]", "[XZ]", "[XA]",
            "[XH]", "[ZZ]", "\"g1\"", "\"5\"", "\"*\"", "\"\"", "\"chr1\"", "\"x\\\"y\"",
            "default([RG],\"none\")", "[MD]", "\"lib1\"",
        ];
        one_of(&mut self.random, &names).into()
    }

    fn pattern(&mut self) -> String {
        let names = ["qname", "rname", "cigar", "seq", "library", "default([XZ],\"a\")", "mrname"];
        let patterns = [
            "^chr", "5", "[0-9]S$", "^[0-9]+M$", "ACG|GGT", "N{2}", ".", "^$", "a\\\\.b",
            "[[:upper:]]$", "^(1|2)+?", "(A|C)(G|T)A", "[^0-9]", "[]x]", "lib *[13]", "H.*S",
            "\\\\<lib\\\\>", "\\*",
        ];
        let text = one_of(&mut self.random, &names);
        let operator = one_of(&mut self.random, &["=~", " =~ ", "!~", " !~ "]);
        format!("({text}{operator}\"{}\")", one_of(&mut self.random, &patterns))
    }

    fn truth(&mut self, depth: usize) -> String {
        let order = ["==", "!=", " < ", "<=", ">", " >= "];
        match self.random.below(if depth == 0 { 4 } else { 9 }) {
            0 => {
                let operator = one_of(&mut self.random, &order);
                format!("({}{operator}{})", self.text(), self.text())
            }
            1 => self.pattern(),
            2 => one_of(
                &mut self.random,
                &["[NM]", "![XF]", "exists([XZ])", "!exists([AS])", "!0.5"],
            )
            .into(),
            3 | 4 => {
                let depth = depth.saturating_sub(1);
                let operator = one_of(&mut self.random, &order);
                let (left, right) = (self.number(depth), self.number(depth));
                format!("({left} {operator} {right})")
            }
            5 | 6 => {
                let operator = one_of(&mut self.random, &["&&", " || ", "||", " && "]);
                format!("({}{operator}{})", self.truth(depth - 1), self.truth(depth - 1))
            }
            7 => format!("!{}", self.truth(depth - 1)),
            _ => format!("exists({})", self.number(depth - 1)),
        }
    }

    fn expression(&mut self) -> String {
        if self.careless {
            let wrong = match self.random.below(7) {
                0 => format!("({} + mapq)", self.text()),
                1 => format!("(flag & {})", self.text()),
                2 => format!("length({})", self.integer(1)),
                3 => format!("({} =~ \"5\")", self.integer(1)),
                4 => format!("-{}", self.text()),
                5 => format!("(flag == {})", self.text()),
                _ => format!("sqrt({})", self.text()),
            };
            return match self.random.below(3) {
                0 => wrong,
                1 => format!("{wrong} > 1"),
                _ => format!("{wrong} && {}", self.truth(1)),
            };
        }
        match self.random.below(8) {
            0 => self.number(3),
            1 => self.text(),
            2 => {
                // Precedence shows without parentheses.
                let mut chain = self.random.below(20).to_string();
                for _ in 0..2 + self.random.below(6) {
                    let all = ["+", "-", "*", "&", "|", "^", "<", ">=", "==", "!=", "&&", "||"];
                    let operator = one_of(&mut self.random, &all);
                    let value =
                        one_of(&mut self.random, &["1", "2", "6", "13", "mapq", "flag", "!mapq"]);
                    let _ = write!(chain, " {operator} {value}");
                }
                chain
            }
            _ => self.truth(3),
        }
    }
}

/// Expressions that agree and are worth asking every time.
const AGREED: [&str; 43] = [
    "mapq >= 30 && !flag.unmap && [NM] < 3",
    "[XZ]",
    "![XZ]",
    "[AS]",
    "!![AS]",
    "-[AS]",
    "+[AS]",
    "![XF]",
    "[XF] == [XF]",
    "[XF] != 0",
    "min([XZ])",
    "exists(min([XZ]))",
    "length([XZ])",
    "length([XZ]) == 0",
    "exp([ZZ])",
    "log(rname) < 0",
    "sqrt([RG])",
    "avg(seq)",
    "[XA] =~ \"a\"",
    "[XA] !~ \"a\"",
    "!([XA] =~ \"a\")",
    "[RG] =~ \"g[12]\"",
    "exists([ZZ] == 1)",
    "exists([ZZ] =~ \"a\")",
    "default([ZZ] == 1,2) == 2",
    "1 || 0 && 0",
    "2 > 1 > 0",
    "1 == 2 == 0",
    "6 & 3 == 2",
    "010 == 10",
    "- -5 == 5",
    "!-0.5",
    "nan",
    "!nan",
    "inf > 1",
    "infinity == INF",
    "5 % 0",
    "seq > \"A\" > 0",
    "qname != 5",
    "5 != qname",
    "\"\\q\" == \"\\\\q\"",
    "qname =~ \"a)\"",
    "[ZZ] && 1 || [NM]",
];

/// Texts that are expressions neither to samtools nor to us.
const REFUSED: [&str; 30] = [
    "", " ", "mapq >", "(mapq", "mapq)", "1 2", "foo", "flag.foo", "mapq = 30", "\"abc", "[NM",
    "[NMX]", "0x", "1e", "1x", "mapq & & 1", "mapq ? 1 : 2", "=~", "qname =~ \"(\"", "qname =~ 5",
    "mapq =~ \"5\"", "-qname", "~qname", "qname + 1", "avg(mapq)", "length(5)", "pow(2)", "sqrt 4",
    "default(1)", "qname =~ \"*a\"",
];

/// Whether our choice agrees with that of samtools; `text` shows what was asked.
fn check(text: &str, ours: Result<Choice, ParseError>, theirs: &Choice) -> Result<(), String> {
    let complaint = |what: &str| Err(format!("{text}\n  {what}"));
    match ours {
        Err(_) if theirs.errors > 0 && theirs.kept.is_empty() => Ok(()),
        Err(error) => complaint(&format!("refused: {error}; samtools keeps {:?}", theirs.kept)),
        // What doesn't decide isn't evaluated.
        Ok(ours) if ours.kept == theirs.kept => match ours.errors == theirs.errors {
            false if !text.contains("&&") => {
                complaint(&format!("{} errors, samtools {}", ours.errors, theirs.errors))
            }
            _ => Ok(()),
        },
        Ok(ours) => complaint(&format!(
            "{} kept, samtools {}; {:?}",
            ours.kept.len(),
            theirs.kept.len(),
            ours.kept.symmetric_difference(&theirs.kept).take(5).collect::<Vec<_>>()
        )),
    }
}

/// The records as text and as a file in a folder.
fn prepared() -> (String, tempfile::TempDir) {
    let version = Command::new("samtools").arg("--version").stderr(Stdio::null()).output();
    let version = version.expect("samtools is not installed").stdout;
    assert!(version.starts_with(b"samtools 1.16"), "{}", version.escape_ascii());
    let folder = tempfile::tempdir().unwrap();
    let sam = records();
    std::fs::write(folder.path().join("in.sam"), &sam).unwrap();
    (sam, folder)
}

#[test]
#[ignore = "needs samtools 1.16"]
fn generated_expressions_choose_what_samtools_chooses() {
    let (sam, folder) = prepared();
    let path = folder.path().join("in.sam");
    let mut maker = Maker { random: Random(20_260), careless: false };
    let mut texts: Vec<String> = AGREED.map(str::to_owned).into();
    texts.extend((0..500).map(|_| maker.expression()));
    maker.careless = true;
    texts.extend((0..120).map(|_| maker.expression()));
    let (mut wrong, mut some, mut failed) = (Vec::new(), 0, 0);
    for text in &texts {
        let theirs = theirs(&path, text).unwrap();
        some += usize::from(!theirs.kept.is_empty() && theirs.kept.len() < 80);
        failed += usize::from(theirs.errors > 0);
        wrong.extend(check(text, ours(&sam, text), &theirs).err());
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), texts.len(), wrong.join("\n"));
    eprintln!("{} expressions: {some} choose some, {failed} fail on some", texts.len());
    assert!(some > 200 && failed > 60, "{some} {failed}");
}

#[test]
#[ignore = "needs samtools 1.16"]
fn what_samtools_refuses_is_refused() {
    let (sam, folder) = prepared();
    for text in REFUSED {
        assert!(ours(&sam, text).is_err(), "{text}");
        // A bad pattern crashes samtools at times.
        let theirs = theirs(&folder.path().join("in.sam"), text);
        assert!(theirs.is_none_or(|theirs| theirs.errors > 0), "{text}");
    }
}

/// What docs/expressions.md lists as different: a text, and how many records we keep; `None` if
/// we refuse it.
const OTHERWISE: [(&str, Option<usize>); 15] = [
    // samtools computes with the remainder of an undefined number, or crashes.
    ("[ZZ] % 5", Some(0)),
    ("5 % 0.5", Some(0)),
    // It remembers the text a number was made of.
    ("\"5\" == length(\"5\")", Some(0)),
    ("!(1 + length(qname) + [ZZ])", Some(80)),
    // It counts patterns as they are used, and a pattern isn't where its text is absent.
    ("[RG] =~ \"none\" || qname =~ \"g\"", Some(0)),
    ("\"g1\" =~ [RG]", Some(14)),
    // It evaluates what doesn't decide.
    ("mapq >= 0 || [RG] + 1", Some(80)),
    ("--mapq == mapq", Some(80)),
    ("default(1 , 2) + length (\"a\") == 2\n", Some(80)),
    ("hclen >= 0", Some(80)),
    ("exists([XB]) || !exists([XB])", Some(80)),
    ("qname =~ \"\\d\"", None),
    ("qname =~ \"(.)\\1\"", None),
    ("0x1p4 == 16", None),
    ("[ZZ] + qname", None),
];

#[test]
#[ignore = "needs samtools 1.16"]
fn what_is_decided_otherwise() {
    let (sam, folder) = prepared();
    for (text, expected) in OTHERWISE {
        let ours = ours(&sam, text).ok();
        assert_eq!(
            ours.as_ref().map(|ours| (ours.kept.len(), ours.errors)),
            expected.map(|n| (n, 0)),
            "{text}"
        );
        let theirs = theirs(&folder.path().join("in.sam"), text);
        assert_ne!(ours, theirs, "{text}");
    }
}
