//! `biofast checksum` beside a plain computation, from every format, and compared with what was changed.

use std::collections::BTreeMap;

use biofast_testkit::effort::times;

use crate::common::checksum::sam;
use crate::common::{
    Folder, assert_error, biofast, biofast_with, fails_in, good, reads, run_in, text, words,
};

/// What is asked for.
#[derive(Clone, Copy)]
struct Asked {
    words: &'static str,
    exclude: u16,
    mask: u16,
    reverses: bool,
    /// Listed tags in their order, or all but these.
    tags: (&'static [&'static str], bool),
    order: u8,
    columns: usize,
    limit: usize,
    version: u8,
}

const DEFAULT: Asked = Asked {
    words: "",
    exclude: 0x900,
    mask: 0xc1,
    reverses: true,
    tags: (&["BC", "FI", "QT", "RT", "TC"], false),
    order: 0,
    columns: 4,
    limit: usize::MAX,
    version: 2,
};

fn crc32(parts: &[&[u8]]) -> u32 {
    let mut register = !0u32;
    for byte in parts.concat() {
        register ^= u32::from(byte);
        for _ in 0..8 {
            register = register >> 1 ^ (0xedb8_8320 * (register & 1));
        }
    }
    !register
}

fn times_crc(product: u64, crc: u32) -> u64 {
    let prime = (1 << 31) - 1;
    let crc = u64::from(crc) & prime;
    product * if crc % prime == 0 { 1 } else { crc } % prime
}

/// A tag as BAM stores it.
fn stored(tag: &str) -> Vec<u8> {
    let (head, value) = tag.split_at(5);
    let mut out = head.as_bytes()[..2].to_vec();
    match head.as_bytes()[3] {
        b'i' => {
            let value: i64 = value.parse().unwrap();
            let (kind, len) = match value {
                0..256 => (b'C', 1),
                256..65536 => (b'S', 2),
                65536.. => (b'I', 4),
                -128..0 => (b'c', 1),
                -32768..-128 => (b's', 2),
                _ => (b'i', 4),
            };
            out.push(kind);
            out.extend_from_slice(&value.to_le_bytes()[..len]);
        }
        b'f' => {
            out.push(b'f');
            out.extend_from_slice(&value.parse::<f32>().unwrap().to_le_bytes());
        }
        b'B' => {
            let numbers: Vec<i16> = value[2..].split(',').map(|n| n.parse().unwrap()).collect();
            out.extend_from_slice(b"Bs");
            out.extend_from_slice(&(numbers.len() as u32).to_le_bytes());
            numbers.iter().for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
        }
        kind => {
            out.push(kind);
            out.extend_from_slice(value.as_bytes());
            out.extend(Some(0).filter(|_| kind == b'Z'));
        }
    }
    out
}

/// Count, and the product of each column.
type Row = (u64, [u64; 7]);

/// The report of a SAM file, computed record by record.
fn expected(name: &str, sam: &str, asked: &Asked) -> String {
    let references = ["c1", "c2"];
    let empty: Row = (0, [1; 7]);
    // Of all records, of those without a group (in front of all others), and of groups.
    let mut groups: BTreeMap<Option<&str>, Row> = BTreeMap::from([(None, empty)]);
    let (mut all, mut records) = (empty, 0);
    for line in sam.lines().filter(|line| !line.starts_with('@')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let flags: u16 = fields[1].parse().unwrap();
        if flags & asked.exclude != 0 || records == asked.limit {
            continue;
        }
        records += 1;
        let mut sequence = fields[9].replace('*', "").to_uppercase().into_bytes();
        let mut qualities: Vec<u8> = match fields[10] {
            "*" => vec![b' '; sequence.len()],
            known => known.bytes().collect(),
        };
        if flags & 16 != 0 && asked.reverses {
            qualities.reverse();
            sequence.reverse();
            let codes = b"=ACMGRSVTWYHKDBN";
            for base in &mut sequence {
                *base = b"=TGKCYSBAWRDMHVN"[codes.iter().position(|code| code == base).unwrap()];
            }
        }
        let head = [(flags & asked.mask) as u8];
        let mut tags: Vec<&str> = fields[11..].to_vec();
        let group = tags.iter().find_map(|tag| tag.strip_prefix("RG:Z:"));
        let (listed, are_others) = asked.tags;
        let place = |tag: &&str| listed.iter().position(|name| tag.starts_with(name));
        tags.retain(|tag| place(tag).is_some() != are_others);
        if are_others {
            tags.sort_by_key(|tag| &tag[..2]);
        } else {
            tags.sort_by_key(place);
        }
        let tags: Vec<u8> = tags.iter().flat_map(|tag| stored(tag)).collect();
        let reference =
            |name: &str| references.iter().position(|r| *r == name).map_or(-1, |n| n as i32);
        let place = |reference: i32, position: &str| {
            let position = position.parse::<i64>().unwrap() - 1;
            [&reference.to_le_bytes()[..], &position.to_le_bytes()].concat()
        };
        let own = reference(fields[2]);
        let mate = if fields[6] == "=" { own } else { reference(fields[6]) };
        let mut cigar = u32::from(fields[4].parse::<u8>().unwrap()).to_le_bytes().to_vec();
        let mut len = 0;
        for byte in fields[5].bytes().filter(|byte| *byte != b'*') {
            match b"MIDNSHP=X".iter().position(|op| *op == byte) {
                Some(op) => cigar.extend((std::mem::take(&mut len) << 4 | op as u32).to_le_bytes()),
                None => len = 10 * len + u32::from(byte - b'0'),
            }
        }
        let mut mates = place(mate, fields[7]);
        if asked.version == 2 {
            mates.extend(fields[8].parse::<i64>().unwrap().to_le_bytes());
        }
        let crcs = [
            crc32(&[&head, &sequence]),
            crc32(&[fields[0].as_bytes(), b"\0", &head, &sequence]),
            crc32(&[&head, &sequence, &qualities]),
            crc32(&[&head, &sequence, &tags]),
            crc32(&[&head, &sequence, &place(own, fields[3])]),
            crc32(&[&head, &sequence, &cigar]),
            crc32(&[&head, &sequence, &mates]),
        ];
        let row = groups.entry(group).or_insert(empty);
        let before = [if asked.order < 2 { row.0 } else { all.0 }, row.0];
        for (row, before) in [&mut all, row].into_iter().zip(before) {
            let mark = if asked.order > 0 { crc32(&[&before.to_le_bytes()]) } else { 0 };
            row.0 += 1;
            for (product, crc) in row.1.iter_mut().zip(crcs) {
                *product = times_crc(*product, crc ^ mark);
            }
        }
    }
    let names = [
        "PAIRED", "PROPER_PAIR", "UNMAP", "MUNMAP", "REVERSE", "MREVERSE", "READ1", "READ2",
        "SECONDARY", "QCFAIL", "DUP", "SUPPLEMENTARY",
    ];
    let names = names.iter().enumerate().filter(|(bit, _)| asked.mask >> bit & 1 == 1);
    let names: Vec<&str> = names.map(|(_, name)| *name).collect();
    let listed = asked.tags.0.join(",");
    let listed = if asked.tags.1 { format!("*,{listed}") } else { listed };
    let mut out = format!(
        "# Checksum {}.0 for file: {name}\n# Aux tags:          {listed}\n# BAM flags:         {}\n\n\
         # Group    QC          count  flag+seq  +name     +qual     +aux    ",
        asked.version,
        names.join(",")
    );
    out += ["", "  +chr/pos", "  +chr/pos  +cigar  ", "  +chr/pos  +cigar    +mate   "]
        [asked.columns - 4];
    out += "  combined\n";
    let rows = groups.iter().map(|(name, row)| (name.unwrap_or("-"), row));
    for (name, (count, values)) in [("all", &all)].into_iter().chain(rows).filter(|row| row.1.0 > 0)
    {
        out += &format!("{name:<10} all  {count:>12}");
        values[..asked.columns].iter().for_each(|value| out += &format!("  {value:08x}"));
        let mut of_all = values[..asked.columns].to_vec();
        of_all[2] = of_all[0];
        let combined =
            [0, *count].iter().chain(&of_all).fold(1, |all, n| times_crc(all, *n as u32));
        out += &format!("  {combined:08x}\n");
    }
    out
}

#[test]
fn values_are_those_of_a_plain_computation_in_every_format() {
    let asked = [
        DEFAULT,
        Asked { words: "-PCM", columns: 7, ..DEFAULT },
        Asked { words: "-PCM --version-1", columns: 7, version: 1, ..DEFAULT },
        Asked {
            words: "-P -F 0 -b 0xfff -c",
            columns: 5,
            exclude: 0,
            mask: 0xfff,
            reverses: false,
            ..DEFAULT
        },
        Asked { words: "-t NM,RG,BC", tags: (&["NM", "RG", "BC"], false), ..DEFAULT },
        Asked { words: "-t *,MD,XX", tags: (&["MD", "XX"], true), ..DEFAULT },
        Asked { words: "-O -F QCFAIL", order: 1, exclude: 0x200, ..DEFAULT },
        Asked { words: "-OO -N 17", order: 2, limit: 17, ..DEFAULT },
        Asked { words: "-N 0", limit: 0, ..DEFAULT },
    ];
    let mut records = 0;
    for seed in 1..=u64::from(times(6)) {
        let folder = Folder::new();
        let sam = sam(seed);
        records += sam.lines().count();
        let path = folder.file("x.sam", &sam);
        good(&folder, &["view", "-b", "--no-PG", "x.sam", "-o", "x.bam"]);
        for asked in &asked {
            // Small chunks, so that a file has many.
            let words = words(asked.words);
            let all =
                [&["checksum", "-@", "3", "--chunk-size", "5000", "--quiet"], &words[..]].concat();
            let of = |path: &str| good(&folder, &[&all[..], &[path]].concat()).stdout;
            for path in [path.as_str(), "x.bam"] {
                assert_eq!(of(path), expected(path, &sam, asked), "{seed}: {words:?}");
            }
            let streamed =
                biofast_with(&[&["checksum", "-@", "1"], &words[..]].concat(), sam.as_bytes());
            assert_eq!(streamed.stdout, expected("-", &sam, asked), "{seed}: {words:?}");
        }
    }
    assert!(records > 100);
}

/// Pairs whose first reads end in `/1`, and second ones in `/2`.
fn pairs() -> [String; 2] {
    let numbered = |mate: u8| {
        let text = reads("p", 300);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for read in lines.chunks_mut(4) {
            let name = read[0].split(' ').next().unwrap();
            read[0] = format!("{name}/{mate} a description");
            if mate == 2 {
                read[1] = read[1].chars().rev().collect();
            }
        }
        lines.join("\n") + "\n"
    };
    [numbered(1), numbered(2)]
}

/// The rows of a report, without what is said of the file.
fn rows(report: &str) -> Vec<&str> {
    report.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect()
}

#[test]
fn reads_have_the_checksums_of_the_bam_that_they_become() {
    let folder = Folder::new();
    let [first, second] = pairs();
    folder.file("1.fq", &first);
    folder.file("2.fq", &second);
    let lines = [&first, &second].map(|text| text.lines().collect::<Vec<_>>());
    let both = lines[0].chunks(4).zip(lines[1].chunks(4));
    let both: Vec<&str> = both.flat_map(|(one, two)| [one, two].concat()).collect();
    folder.file("both.fq", both.join("\n") + "\n");
    let sums = |line: &str| good(&folder, &words(line)).stdout;
    good(&folder, &words("import 1.fq 2.fq -q -o pairs.bam"));
    let expected = sums("checksum pairs.bam");
    assert_eq!(rows(&expected).len(), 2, "{expected}");
    good(&folder, &words("convert 1.fq -o 1.fq.gz"));
    sums("checksum 1.fq -o 1.chk");
    sums("checksum 2.fq -T -o 2.chk");
    for line in [
        "--paired 1.fq 2.fq", "--paired 1.fq.gz 2.fq", "--interleaved both.fq", "both.fq",
        "-m 1.chk 2.chk",
    ] {
        let found = sums(&format!("checksum -@ 3 --chunk-size 3000 {line}"));
        assert_eq!(rows(&found), rows(&expected), "{line}");
    }
    // In order, and only some.
    for options in ["-O", "-OO -N 7", "-N 8 -PCM", "-N 1"] {
        let expected = sums(&format!("checksum {options} pairs.bam"));
        for line in ["--paired 1.fq 2.fq", "--interleaved both.fq", "both.fq"] {
            let found = sums(&format!("checksum -@ 3 --chunk-size 3000 {options} {line}"));
            assert_eq!(rows(&found), rows(&expected), "{options} {line}");
        }
    }
    // Without qualities they are as if missing, and letters as BAM has them.
    folder.file("x.fa", ">r\nacgu\nRYx.\n");
    folder.file("x.sam", "r\t4\t*\t0\t0\t*\t*\t0\t0\tACGTRYNN\t*\n");
    assert_eq!(rows(&sums("checksum x.fa")), rows(&sums("checksum x.sam")));
    // One report for each file.
    let each = sums("checksum 1.fq x.fa pairs.bam");
    assert_eq!(
        each,
        ["1.fq", "x.fa", "pairs.bam"].map(|name| sums(&format!("checksum {name}"))).concat()
    );
}

/// Two reads that differ in qualities alone, and some others.
const READS: [(&str, &str, &str); 4] = [
    ("a", "ACGTACGT", "IIIIIIII"),
    ("b", "ACGTACGT", "FFFFFFFF"),
    ("c", "GGGGCCCC", "IIIIFFFF"),
    ("d", "TTACGAAN", "FFFFIIII"),
];

fn fastq(reads: &[(&str, &str, &str)]) -> String {
    reads
        .iter()
        .map(|(name, bases, qualities)| format!("@{name}\n{bases}\n+\n{qualities}\n"))
        .collect()
}

/// Aligned to both strands, out of order and with what aligners add.
fn aligned(reads: &[(&str, &str, &str)]) -> String {
    let mut out = String::from("@SQ\tSN:c\tLN:100\n@RG\tID:x\n@RG\tID:y\n");
    for (number, (name, bases, qualities)) in reads.iter().enumerate().rev() {
        let mut quals: String = (*qualities).to_owned();
        let mut seq: String = (*bases).to_owned();
        let flags = 16 * (number % 2);
        if flags > 0 {
            quals = quals.chars().rev().collect();
            seq = crate::common::reversed(bases);
        }
        let group = ["x", "y"][number % 2];
        out += &format!(
            "{name}\t{flags}\tc\t{}\t60\t8M\t*\t0\t0\t{seq}\t{quals}\tRG:Z:{group}\tNM:i:0\n",
            number + 1
        );
        out += &format!(
            "{name}\t{}\tc\t50\t60\t4M4H\t*\t0\t0\t{}\t*\tRG:Z:{group}\n",
            flags | 2048,
            &seq[..4]
        );
    }
    out
}

#[test]
fn what_an_alignment_lost_or_changed_is_found() {
    let folder = Folder::new();
    folder.file("reads.fq", fastq(&READS));
    good(&folder, &words("checksum reads.fq -o text.chk"));
    good(&folder, &words("checksum reads.fq --json -o json.chk"));
    good(&folder, &words("checksum reads.fq -B -o bamseqchksum.chk"));
    folder.file("good.sam", aligned(&READS));
    let compare = |file: &str| {
        let expected = run_in(&folder, &["checksum", file, "--against", "reads.fq"]);
        for report in ["text.chk", "json.chk", "bamseqchksum.chk"] {
            let run = run_in(&folder, &["checksum", file, "--against", report]);
            assert_eq!(run.code, expected.code, "{file} {report}: {run:?}");
            // A report has a value of tags, too.
            let lines = |text: &str| -> Vec<String> {
                text.lines().filter(|line| !line.contains("+aux")).map(str::to_owned).collect()
            };
            assert_eq!(lines(&run.stdout), lines(&expected.stdout));
        }
        expected
    };
    let same = compare("good.sam");
    assert_eq!(same.code, 0, "{same:?}");
    assert!(same.stderr.contains("good.sam holds the 4 records of reads.fq"), "{same:?}");
    assert!(same.stdout.contains("all\tall\tcount\t4\t4\tequal\n"), "{same:?}");
    good(&folder, &words("view -b good.sam -o good.bam"));
    assert_eq!(compare("good.bam").code, 0);
    let mut changed = READS;
    let mut cases = vec![(READS[1..].to_vec(), "3 records, not 4")];
    cases.push(([&READS[..], &READS[2..3]].concat(), "5 records, not 4"));
    changed[2].1 = "GGGGCCCA";
    cases.push((changed.to_vec(), "sequences or flags differ"));
    changed = READS;
    changed[3].0 = "e";
    cases.push((changed.to_vec(), "but names differ"));
    changed = READS;
    changed[3].2 = "FFFFIIIF";
    cases.push((changed.to_vec(), "but qualities differ"));
    for (number, (reads, why)) in cases.iter().enumerate() {
        let name = format!("{number}.sam");
        folder.file(&name, aligned(reads));
        let run = compare(&name);
        assert_eq!(run.code, 1, "{run:?}");
        assert!(run.stderr.contains(&format!("{name} doesn't hold the records of reads.fq: ")));
        assert!(run.stderr.contains(why) && run.stdout.contains("\tdiffers\n"), "{run:?}");
        let json = run_in(&folder, &["checksum", "--json", "-q", &name, "--against", "reads.fq"]);
        assert_eq!(json.code, 2, "-q is a mode of the text: {json:?}");
        let json =
            run_in(&folder, &["checksum", "--json", "--quiet", &name, "--against", "reads.fq"]);
        let report: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
        assert_eq!((json.code, report["comparison"]["equal"].as_bool()), (1, Some(false)));
        let differing = report["comparison"]["differences"].as_array().unwrap().len();
        assert_eq!(differing, run.stdout.matches("\tdiffers\n").count());
    }
    // The limits of what samtools' values prove: names aren't bound to qualities.
    changed = READS;
    (changed[0].2, changed[1].2) = (changed[1].2, changed[0].2);
    folder.file("swapped.sam", aligned(&changed));
    assert_eq!(compare("swapped.sam").code, 0);
    // Barcodes of the alignments are no loss.
    folder.file("barcodes.sam", aligned(&READS).replace("NM:i:0", "BC:Z:ACGT"));
    assert_eq!(compare("barcodes.sam").code, 0);
    let run = run_in(&folder, &words("checksum good.bam --against barcodes.sam"));
    assert!(run.code == 1 && run.stderr.contains("but tags differ"), "{run:?}");
    // Read groups count where both files have them.
    folder.file("moved.sam", aligned(&READS).replace("RG:Z:x", "RG:Z:z"));
    assert_eq!(compare("moved.sam").code, 0);
    let run = run_in(&folder, &words("checksum moved.sam --against good.bam"));
    assert!(run.code == 1 && run.stderr.contains("not in each read group"), "{run:?}");
    assert!(run.stdout.contains("\nx\tall\tcount\t0\t2\tdiffers\n"), "{run:?}");
    // Everything, for a conversion.
    for (file, code) in [("good.bam", 0), ("moved.sam", 1)] {
        assert_eq!(run_in(&folder, &["checksum", "-a", file, "--against", "good.sam"]).code, code);
    }
    // Several files are one.
    folder.file("first.fq", fastq(&READS[..1]));
    folder.file("rest.fq", fastq(&READS[1..]));
    for line in ["good.bam --against first.fq rest.fq", "first.fq rest.fq --against good.bam"] {
        good(&folder, &[&["checksum"], &words(line)[..]].concat());
    }
    fails_in(
        &folder,
        &words("checksum good.bam --against reads.fq --paired"),
        &["--paired needs two files of reads, but reads.fq has no mate"],
    );
}

#[test]
fn reports_are_merged_as_files_are() {
    let folder = Folder::new();
    let whole = sam(5);
    let header: String =
        whole.lines().filter(|line| line.starts_with('@')).map(|l| format!("{l}\n")).collect();
    let records: Vec<&str> = whole.lines().filter(|line| !line.starts_with('@')).collect();
    assert!(records.len() > 20);
    folder.file("whole.sam", &whole);
    let parts: Vec<String> = records
        .chunks(records.len().div_ceil(3))
        .enumerate()
        .map(|(number, part)| {
            folder.file(&format!("{number}.sam"), header.clone() + &part.join("\n") + "\n")
        })
        .collect();
    for options in ["", "-PCM", "-q", "-T -PCM", "-B", "--json", "-M --version-1"] {
        let output = words(options);
        let mut names = Vec::new();
        for (number, part) in parts.iter().enumerate() {
            let name = format!("{number}.chk");
            good(&folder, &[&["checksum", "--quiet"], &output[..], &[part, "-o", &name]].concat());
            names.push(name);
        }
        let expected =
            good(&folder, &[&["checksum", "--quiet"], &output[..], &["whole.sam"]].concat()).stdout;
        let form: Vec<&str> = output
            .iter()
            .filter(|word| ["-q", "-T", "-B", "--json"].contains(word))
            .copied()
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let merged = good(&folder, &[&["checksum", "-m"], &form[..], &names[..]].concat()).stdout;
        assert_eq!(merged, expected.replace("whole.sam", "merge"), "{options}");
    }
}

#[test]
fn what_cannot_be_merged_or_compared_is_refused() {
    let folder = Folder::new();
    folder.file("x.sam", sam(7));
    for (name, options) in [
        ("plain.chk", ""),
        ("tags.chk", "-t NM"),
        ("flags.chk", "-b 0xff"),
        ("more.chk", "-M"),
        ("old.chk", "-M --version-1"),
        ("order.json", "-O --json"),
        ("strand.json", "-c --json"),
        ("passed.chk", "-q"),
    ] {
        let line = format!("checksum --quiet {options} x.sam -o {name}");
        good(&folder, &words(&line));
    }
    let report = std::fs::read_to_string(folder.path("plain.chk")).unwrap();
    folder.file("cut.chk", &report[..report.len() - 9]);
    let short: Vec<&str> = report.lines().collect();
    folder.file("short.chk", short[..short.len() - 1].join("\n"));
    folder.file("new.chk", report.replace("# Checksum 2.0", "# Checksum 3.0"));
    folder.file("twice.chk", report.repeat(2));
    folder.file("other.json", "{\"schema\": \"biofast.check\"}");
    for (line, needed) in [
        ("-m plain.chk tags.chk", "plain.chk and tags.chk can't be merged: their tags differ"),
        ("-m plain.chk flags.chk", "their flags differ"),
        ("-m plain.chk more.chk", "their columns differ"),
        ("-m old.chk more.chk", "versions 1.0 and 2.0 of +mate differ"),
        (
            "-m plain.chk order.json",
            "order.json: checksums that depend on the order of records can't be merged",
        ),
        ("-m plain.chk cut.chk", "cut.chk, line "),
        ("-m short.chk", "the report is incomplete"),
        ("-m new.chk", "version 3.0 of checksums is unknown"),
        ("-m twice.chk", "a second report begins"),
        ("-m other.json", "other.json is not the output of `biofast checksum --json`"),
        ("-m x.sam", "x.sam, line 1: expected the names of the columns first"),
        ("-m -t NM plain.chk", "--tags has no effect with --merge"),
        ("plain.chk", "plain.chk"),
        ("x.sam --against tags.chk", "tags.chk has checksums of other fields"),
        ("x.sam --against strand.json", "strand.json has checksums of other fields"),
        ("x.sam -M --against old.chk", "old.chk has version 1.0 of the +mate checksum, not 2.0"),
        ("x.sam --against cut.chk", "cut.chk, line "),
        ("x.sam --paired", "--paired is for files of reads, but there are none"),
        ("x.sam -t N", "'N' is not a tag"),
        ("x.sam x.sam -O --against x.sam", "checksums that depend on order are of one file"),
    ] {
        fails_in(&folder, &[&["checksum"], &words(line)[..]].concat(), &[needed]);
    }
    // What is of the same fields is compared as far as it goes.
    for line in [
        "x.sam -M --against more.chk",
        "x.sam -PCM --against plain.chk",
        "x.sam --against passed.chk",
        "x.sam -O --against order.json",
        "-M x.sam --version-1 --against old.chk",
    ] {
        good(&folder, &[&["checksum"], &words(line)[..]].concat());
    }
}

#[test]
fn damaged_and_empty_input_is_an_error_or_has_no_records() {
    let folder = Folder::new();
    let [first, second] = pairs();
    folder.file("1.fq", &first);
    folder.file("2.fq", &second);
    good(&folder, &words("import 1.fq 2.fq -q -o x.bam"));
    let bam = std::fs::read(folder.path("x.bam")).unwrap();
    folder.file("cut.bam", &bam[..bam.len() * 2 / 3]);
    folder.file("noend.bam", &bam[..bam.len() - 28]);
    folder.file("cut.fq", &first[..first.len() - 20]);
    folder.file("fewer.fq", second[..second.len() / 2].rsplit_once("\n@").unwrap().0);
    let tagged = "r\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\nr\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\tXX:Z:abc\n";
    folder.file("tagged.sam", tagged);
    good(&folder, &words("view -b tagged.sam -o tagged.bam"));
    let mut tagged = crate::common::coverage::content(&text(&folder.path("tagged.bam")));
    let at = tagged.windows(6).position(|bytes| bytes == b"XXZabc").unwrap();
    tagged[at + 2] = b'Q';
    folder.file("tags.bam", biofast_io::bgzf::compress(&tagged));
    folder.file("tags.sam", "r\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\tNM:i\n");
    folder.file("empty.bam", "");
    for (line, needed) in [
        ("cut.bam", "cut.bam"),
        ("noend.bam", "noend.bam"),
        ("cut.fq", "cut.fq: record 300"),
        ("--paired 1.fq fewer.fq", "fewer.fq"),
        ("tags.sam", "tags.sam: record 1"),
        ("tags.bam", "tags.bam: record 2"),
        ("-O tags.bam", "tags.bam: record 2"),
        ("-a tags.bam", "tags.bam: record 2"),
        ("empty.bam", "empty.bam"),
        ("absent.bam", "absent.bam"),
        ("x.bam --against cut.fq", "cut.fq: record 300"),
        ("--paired 1.fq 1.fq", "1.fq is named twice"),
        ("-O -f READ1 1.fq", "flags that exclude reads of FASTQ"),
    ] {
        fails_in(&folder, &[&["checksum", "-o", "out.chk"], &words(line)[..]].concat(), &[needed]);
        assert!(!folder.path("out.chk").exists(), "{line}");
    }
    let allowed = good(&folder, &words("checksum --allow-missing-eof noend.bam")).stdout;
    assert_eq!(rows(&allowed), rows(&good(&folder, &words("checksum x.bam")).stdout));
    // No records have no rows, unless they are asked for.
    folder.file("none.fq", "");
    folder.file("none.sam", "@SQ\tSN:c\tLN:9\n");
    for name in ["none.fq", "none.sam"] {
        assert_eq!(rows(&good(&folder, &["checksum", name]).stdout).len(), 0);
        let found = good(&folder, &["checksum", "-qv", name]).stdout;
        assert!(
            rows(&found).len() == 6 && rows(&found).iter().all(|row| row.ends_with("00000001")),
            "{found}"
        );
    }
    good(&folder, &words("checksum none.sam --against none.fq"));
    let nothing = biofast_with(&["checksum"], b"");
    assert_error(&nothing, &["standard input"]);
    let twice = biofast_with(&["checksum", "-", "--against", "-"], b"");
    assert_error(&twice, &["standard input can't be compared with itself"]);
}

#[test]
fn records_of_too_many_read_groups_are_refused() {
    let folder = Folder::new();
    let line = |number: u64| format!("r\t4\t*\t0\t0\t*\t*\t0\t0\t*\t*\tRG:Z:{number}\n");
    let groups = |most: u64| -> String { (0..most).map(line).collect() };
    let path = folder.file("most.sam", groups(1 << 16));
    let run = biofast(&["checksum", &path]);
    assert!(run.code == 0 && rows(&run.stdout).len() == (1 << 16) + 1);
    let path = folder.file("more.sam", groups((1 << 16) + 1));
    for options in [&["checksum"][..], &["checksum", "-O"]] {
        let run = biofast(&[options, &[path.as_str()]].concat());
        assert_error(
            &run,
            &[&text(&folder.path("more.sam")), "more than 65536 different read groups"],
        );
    }
}
