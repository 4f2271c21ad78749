//! `biofast import` brings back what `biofast fastq` wrote.

use std::collections::BTreeSet;

use biofast_testkit::templates::{header, templates};

use crate::common::{self, Folder, biofast, command, fails, ok, reads, text};

/// Name, part, bases, qualities and read group of a primary record, as sequenced.
fn essence(line: &str) -> Option<(String, u16, String, String, String)> {
    let fields: Vec<&str> = line.split('\t').collect();
    let flags: u16 = fields[1].parse().unwrap();
    if flags & 0x900 != 0 {
        return None;
    }
    let (mut bases, mut qualities) = (fields[9].to_owned(), fields[10].to_owned());
    if qualities == "*" {
        qualities = "B".repeat(bases.len());
    }
    if flags & 0x10 != 0 {
        let complement = |c| match c {
            'A' => 'T',
            'C' => 'G',
            'G' => 'C',
            'T' => 'A',
            'R' => 'Y',
            'Y' => 'R',
            other => other,
        };
        bases = bases.chars().rev().map(complement).collect();
        qualities = qualities.chars().rev().collect();
    }
    let group = fields[11..].iter().find(|field| field.starts_with("RG:"))?;
    Some((fields[0].to_owned(), flags & 0xc1, bases, qualities, (*group).to_owned()))
}

#[test]
fn nothing_is_lost_between_alignments_and_back() {
    let folder = Folder::new();
    let all = templates(8, 700).concat();
    let expected: BTreeSet<_> = all.iter().filter_map(|line| essence(line.trim_end())).collect();
    assert!(expected.len() > 1000);
    for order in ["SO:unsorted\tGO:query", "SO:coordinate"] {
        let sam = folder.file("a.sam", header(order) + &all.concat());
        let fastq = text(&folder.path("all.fq.gz"));
        let bam = text(&folder.path("back.bam"));
        let args = ["fastq", "-N", "-T", "RG", "-o", &fastq, "-0", &fastq, &sam];
        ok(&args);
        let args = ["import", "-T", "RG", "-r", "ID:g1", "-r", "ID:g2", "-o", &bam, &fastq];
        ok(&args);
        let back = biofast(&["view", &bam]).stdout;
        let found: BTreeSet<_> = back.lines().filter_map(essence).collect();
        assert_eq!(back.lines().count(), expected.len());
        assert!(found == expected, "{order}");
        assert!(biofast(&["view", "-H", &bam]).stdout.contains("@RG\tID:g1\n@RG\tID:g2\n"));
    }
}

#[test]
fn threads_and_chunks_do_not_show() {
    let folder = Folder::new();
    let (one, two) = (folder.file("1.fq", reads("r", 900)), folder.file("2.fq", reads("r", 900)));
    let run = |extra: &[&str]| {
        let output =
            command(&[&["import", "--no-PG", &one, &two], extra].concat()).output().unwrap();
        assert!(output.status.success());
        output.stdout
    };
    let expected = run(&["-@", "1"]);
    for threads in ["2", "3", "4"] {
        for chunk in ["500", "20000"] {
            assert!(run(&["-@", threads, "--chunk-size", chunk]) == expected, "{threads} {chunk}");
        }
    }
}

#[test]
fn what_goes_wrong_leaves_no_file() {
    let folder = Folder::new();
    let good = folder.file("good.fq", reads("r", 50));
    let out = text(&folder.path("out.bam"));
    let long = format!("@{}\nA\n+\nI\n", "n".repeat(255));
    for (other, message) in [
        (reads("r", 49), "r49"),
        (reads("s", 50), "s0"),
        (reads("r", 50).replacen("@r9 x\n", "@r9 x\n-", 1), "record 10"),
        (reads("r", 50)[..900].to_owned(), "2.fq"),
    ] {
        let other = folder.file("2.fq", other);
        fails(&["import", &good, &other, "-o", &out], &[message]);
        assert!(!folder.path("out.bam").exists());
    }
    for (content, message) in [
        ("@a\nA-C\n+\nIII\n", "'a' as BAM: BAM can't store '-' (base 2"),
        ("@a\nA\n+\nI\n@b\nACGU\n+\nIIII\n", "record 2: can't store read 'b' as BAM"),
        (
            "@a\nACGU\n+\nIIII\n",
            "BAM can't store 'U' (base 4 of the sequence) and would turn it into N; write RNA with T",
        ),
        ("@a\nxCG\n+\nIII\n", "can't store 'x' (base 1"),
        (&*long, "1 to 254"),
        ("@a XX:i:x\nA\n+\nI\n", "an integer"),
    ] {
        let path = folder.file("bad.fq", content);
        fails(&["import", "-T", "*", &path, "-o", &out], &[message, "bad.fq"]);
        assert!(!folder.path("out.bam").exists());
    }
    // Each letter that has a code is stored, in any case; each other one is named.
    for byte in 33..127u8 {
        let text = format!("@r\nAC{}G\n+\nIIII\n", byte as char);
        let run =
            biofast(&["import", "--no-PG", "--strict", &folder.file("b.fq", text), "-o", &out]);
        if b"ACMGRSVTWYHKDBN".contains(&byte.to_ascii_uppercase()) {
            assert_eq!(run.code, 0, "{}: {}", byte as char, run.stderr);
            let sequence = format!("AC{}G", byte.to_ascii_uppercase() as char);
            assert!(biofast(&["view", &out]).stdout.contains(&sequence));
            std::fs::remove_file(&out).unwrap();
        } else {
            assert_eq!(run.code, 2, "{}: {}", byte as char, run.stderr);
            assert!(run.stderr.contains(&format!("{}", byte as char)), "{}", run.stderr);
            assert!(!folder.path("out.bam").exists());
        }
    }
    let dots = folder.file("dots.fq", "@a\nA..C\n+\nIIII\n@b\n.\n+\n!\n");
    let json = text(&folder.path("x.json"));
    let run = ok(&["import", &dots, "-o", &out, "--summary", &json]);
    assert!(run.stderr.contains("warning: 3 '.' bases are stored as N"), "{}", run.stderr);
    assert!(std::fs::read_to_string(&json).unwrap().contains("\"dots_as_n\": 3"));

    fails(&["import", "-r", "SM:x", &good, "-o", &out], &["must have exactly one ID field"]);
    fails(&["import", "--interleaved", &good, "-o", &out], &["r1"]);
}

#[test]
fn pairs_are_counted_by_names_where_one_file_has_them() {
    let folder = Folder::new();
    let read = |name: &str| format!("@{name}\nACGT\n+\nIIII\n");
    for (names, note) in [
        ("a/1 a/2 b/1 b/2", "4 reads: 2 pairs"),
        ("a/1 b/1 a/2 b/2 c", "5 reads: 2 pairs"),
        ("a b", "2 reads: 0 pairs"),
        ("a/1 b/2", "2 reads: 1 first and 1 second, not all paired"),
        ("a/1 a/2 b/1", "3 reads: 2 first and 1 second, not all paired"),
    ] {
        let input = folder.file("x.fq", names.split(' ').map(read).collect::<String>());
        let out = text(&folder.path("o.bam"));
        let run = biofast(&["import", &input, "-o", &out]);
        assert!(run.code == 0 && run.stderr.contains(note), "{names}: {}", run.stderr);
    }
}

/// What `check` finds in a file.
fn faults(path: &str) -> String {
    let run = biofast(&["check", path]);
    format!("{} {}", run.code, run.stdout)
}

#[test]
fn what_check_would_fault_is_an_error_that_names_read_and_character() {
    let folder = Folder::new();
    let out = text(&folder.path("out.bam"));
    let long = "n".repeat(255);
    for (name, said) in [
        (&b"@r"[..], "can't store read '@r' as BAM: character 1 of its name is '@'"),
        (b"r@x/1", "character 2 of its name is '@'"),
        (b"caf\xe9", r"character 4 of its name is '\xe9'"),
        ("café".as_bytes(), r"character 4 of its name is '\xc3'"),
        (long.as_bytes(), "names in BAM have 1 to 254 characters"),
    ] {
        let reads = [b"@good\nAC\n+\nII\n@", name, b"\nACGT\n+\nIIII\n"].concat();
        let reads = folder.file("r.fq", &reads);
        let run = fails(&["import", &reads, "-o", &out], &["r.fq: record 2: "]);
        assert!(run.stderr.contains(said), "{said}: {}", run.stderr);
        assert!(!folder.path("out.bam").exists());
    }
    let reads = folder.file("r.fq", "@r\nACGT\n+\nIIII\n");
    for (groups, said) in [
        (&["ID:x", "ID:x"][..], "a second @RG of the same name (ID): '@RG\\tID:x'"),
        (&["ID:x", "SM:a", "SM:b"], "expected each field once in a line"),
        (&["ID:x", "SM:"], "expected a value in every field"),
        (&["ID:caf\u{e9}"], "expected printable ASCII characters"),
        (&["ID:x", "PI:no"], "insert size"),
        (&["@RG\\tID:x\\tSM:a\\tSM:a"], "expected each field once in a line"),
        (&["ID:x", "SM:a", "ID:x", "SM:b"], "a second @RG of the same name"),
    ] {
        let groups: Vec<&str> = groups.iter().flat_map(|group| ["-r", group]).collect();
        let run = fails(&[&["import", &reads, "-o", &out], &groups[..]].concat(), &[said]);
        assert!(!run.stderr.contains("line 3"), "{}", run.stderr);
    }
    for (id, said) in [
        ("x\\tSM:a", "not an ID alone"),
        ("x\tSM:a", "printable ASCII"),
        ("é", "printable ASCII"),
        ("", "printable ASCII"),
    ] {
        fails(&["import", "-R", id, &reads, "-o", &out], &[said]);
    }
    for options in [["-T", "1x"], ["-T", "BC,é"], ["--barcode-tag", "x_"]] {
        fails(&[&["import", &reads], &options[..]].concat(), &["is not a valid tag"]);
    }
    let twice = folder.file("t.fq", "@r\tBC:Z:A\tXX:i:1\tBC:Z:C\nACGT\n+\nIIII\n");
    fails(&["import", "-T", "*", &twice], &["its description has tag BC twice"]);
    // All that a name can have.
    let all: String = ('!'..='~').filter(|&c| c != '@').collect();
    let fine = folder.file("r.fq", format!("@{all}\nACGT\n+\nIIII\n"));
    ok(&["import", &fine, "-o", &out]);
    assert!(faults(&out).starts_with("0 "), "{}", faults(&out));
}

#[test]
fn fields_of_descriptions_are_told_apart() {
    let folder = Folder::new();
    // A description, options, the fields that are stored, and whether there is a warning.
    let all = &["-T", "*"][..];
    let empty = &["-T", ""][..];
    fails(&["import", "-T", "XX,", "-"], &["not a valid tag"]);
    let (barcodes, comments) = (&["-T", "BC,RX"][..], &["-T", "CO"][..]);
    for (definition, options, expected, warned) in [
        ("r BC:Z:ACGT RX:Z:TTTT", barcodes, "BC:Z:ACGT\tRX:Z:TTTT", false),
        ("r\tBC:Z:ACGT\tRX:Z:TTTT", barcodes, "BC:Z:ACGT\tRX:Z:TTTT", false),
        ("r BC:Z:ACGT\tRX:Z:TTTT", barcodes, "BC:Z:ACGT\tRX:Z:TTTT", false),
        ("r BC:Z:ACGT  NM:i:5 RX:Z:T ", barcodes, "BC:Z:ACGT\tRX:Z:T", false),
        ("r BC:Z:ACGT NM:i:5", all, "BC:Z:ACGT\tNM:i:5", false),
        ("r BC:Z:ACGT NM:i:5", empty, "BC:Z:ACGT\tNM:i:5", false),
        ("r 1:N:0:ACGT BC:Z:AC-GT RX:Z:T", barcodes, "BC:Z:AC-GT\tRX:Z:T", false),
        ("r 1:N:0:GG BC:Z:AC-GT", &["-i", "-T", "BC"], "BC:Z:AC-GT", false),
        ("r 1:N:0:GG RX:Z:T", &["-i", "-T", "RX"], "BC:Z:GG\tRX:Z:T", false),
        ("r length=4 x", barcodes, "", false),
        // Values with spaces.
        ("r\tCO:Z:some BC:Z:text", comments, "CO:Z:some BC:Z:text", false),
        ("r 1:N:0:AC\tCO:Z:a XX:Z:b", comments, "CO:Z:a XX:Z:b", false),
        ("r CO:Z:some words", comments, "CO:Z:some words", false),
        // Which words belong to a value can't be told.
        ("r BC:Z:ACGT RX:Z:TTTT length=4", barcodes, "BC:Z:ACGT RX:Z:TTTT length=4", true),
        ("r length=4 RX:Z:TTTT x", barcodes, "", true),
    ] {
        let fastq = folder.file("r.fq", format!("@{definition}\nACGT\n+\nIIII\n"));
        let args = [&["import", "--no-PG", &fastq], options].concat();
        let output = command(&args).output().unwrap();
        assert!(output.status.success(), "{definition}");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(stderr.contains("spaces separate"), warned, "{definition}: {stderr}");
        let view = common::biofast_with(&["view", "-"], &output.stdout).stdout;
        let found = view.trim_end_matches('\n').splitn(12, '\t').nth(11).unwrap_or_default();
        assert_eq!(found, expected, "{definition} {options:?}");
    }
}
