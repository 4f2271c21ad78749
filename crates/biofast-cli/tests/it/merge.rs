//! `biofast merge` of alignments: what sorting all records at once gives, and samtools, whatever the number of threads.
#![allow(clippy::unwrap_used)]

use crate::common;

use std::collections::HashMap;
use std::fmt::Write;
use std::process::Command;

use biofast_testkit::random::Random;
use common::{
    Folder, assert_error, biofast, biofast_with, command, finish, installed, listed, text,
};

/// Options, and a header without and with what other parts have, too.
const ORDERS: [&[&str]; 5] = [&[], &["-n"], &["-N"], &["-t", "XX"], &["-n", "-t", "XX"]];

/// Records with many names, places and values alike. Each has its number in ZI; read groups and programs stand anywhere.
fn records(random: &mut Random, n: usize, ids: &[&str]) -> String {
    let mut out = String::new();
    for i in 0..n {
        let name = format!("{}{}", ["r", "x:", "q0"][random.below(3)], random.below(30));
        let flags = [0, 16, 4, 99, 147, 83, 163, 77, 141, 256][random.below(10)];
        let reference = if flags & 4 == 0 { ["c1", "c2"][random.below(2)] } else { "*" };
        let (position, cigar) = match reference {
            "*" => (0, "*"),
            _ => (1 + random.below(30), "4M"),
        };
        let _ = write!(
            out,
            "{name}\t{flags}\t{reference}\t{position}\t0\t{cigar}\t*\t0\t0\tACGT\tIIII"
        );
        let mut fields = vec![format!("ZI:i:{i}")];
        for (chance, name) in [(70, "RG"), (30, "PG")] {
            if random.chance(chance) {
                fields.push(format!("{name}:Z:{}", ids[random.below(ids.len())]));
            }
        }
        match random.below(4) {
            0 => fields.push(format!("XX:i:{}", random.below(9))),
            1 => fields.push(format!("XX:Z:{}", ["a", "b", "ab"][random.below(3)])),
            _ => {}
        }
        // In any order.
        for at in (1..fields.len()).rev() {
            fields.swap(at, random.below(at + 1));
        }
        let _ = writeln!(out, "\t{}", fields.join("\t"));
    }
    out
}

const SEQUENCES: &str = "@HD\tVN:1.6\n@SQ\tSN:c1\tLN:1000\n@SQ\tSN:c2\tLN:1000\n";

/// `n` sorted parts, with read groups and programs of the same IDs, and such that only one of them has.
fn parts(folder: &Folder, seed: u64, n: usize, order: &[&str], ending: &str) -> Vec<String> {
    let mut random = Random(seed);
    let part = |part| {
        let mut sam = SEQUENCES.to_owned();
        let _ = write!(sam, "@RG\tID:g\tSM:s{part}\tPG:p\n@RG\tID:own{part}\tSM:s\n");
        let _ = write!(sam, "@PG\tID:p\tPN:p\n@PG\tID:g\tPP:p\n@PG\tID:own{part}\tPP:g\n");
        let _ = writeln!(sam, "@CO\tpart {part}");
        let count = random.below(200);
        // The last ID is none of the header's.
        let own = format!("own{part}");
        sam += &records(&mut random, count, &["g", "g", &own, "none"]);
        let unsorted = folder.file("unsorted.sam", sam);
        let path = text(&folder.path(&format!("{seed}.{part}{ending}")));
        let sort = [&["sort", "-q", "--no-PG"], order, &[&unsorted, "-o", &path]].concat();
        assert_eq!(biofast(&sort).code, 0);
        path
    };
    (0..n).map(part).collect()
}

fn merged(args: &[&str], paths: &[String]) -> String {
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let run = biofast(&[&["merge", "-q", "--no-PG", "-O", "sam"], args, &paths].concat());
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{args:?}");
    run.stdout
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with('@')).collect()
}

/// What samtools prints, with the IDs that ours has in their places.
fn renamed(theirs: &str, ours: &str) -> String {
    let headers = theirs.lines().zip(ours.lines()).filter(|(line, _)| line.starts_with('@'));
    let field = |line: &str, tag: &str| {
        line.split('\t').find_map(|field| field.strip_prefix(tag)).map(str::to_owned)
    };
    let mut ids = HashMap::new();
    for (theirs, ours) in headers {
        let kind = theirs[..3].to_owned();
        if let (Some(theirs), Some(ours)) = (field(theirs, "ID:"), field(ours, "ID:")) {
            // Suffixes are random there, and numbers of files here.
            let stem = |id: &str| id.split('-').next().map(str::to_owned);
            assert_eq!(stem(&theirs), stem(&ours));
            ids.insert((kind, theirs), ours);
        }
    }
    let rename = |line: &str| {
        let is_header = line.starts_with('@');
        let fields = line.split('\t').map(|field| {
            let (kind, start) = match field.get(..5) {
                _ if is_header && field.starts_with("ID:") => (&line[..3], "ID:"),
                _ if is_header && (field.starts_with("PP:") || field.starts_with("PG:")) => {
                    ("@PG", &field[..3])
                }
                Some("RG:Z:") => ("@RG", "RG:Z:"),
                Some("PG:Z:") => ("@PG", "PG:Z:"),
                _ => return field.to_owned(),
            };
            let id = field[start.len()..].to_owned();
            format!("{start}{}", ids.get(&(kind.to_owned(), id.clone())).unwrap_or(&id))
        });
        fields.collect::<Vec<_>>().join("\t") + "\n"
    };
    theirs.lines().filter(|line| !line.starts_with("@HD")).map(rename).collect()
}

fn without_first_line(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with("@HD")).flat_map(|line| [line, "\n"]).collect()
}

#[test]
fn records_headers_and_ids_are_those_of_samtools() {
    if !installed("samtools") {
        return;
    }
    let folder = Folder::new();
    for (seed, order) in (0..).zip(ORDERS.iter().cycle()).take(15) {
        // samtools 1.16 has no -N.
        if order.contains(&"-N") {
            continue;
        }
        let ending = [".bam", ".sam"][seed as usize % 2];
        let paths = parts(&folder, seed, 1 + seed as usize % 5, order, ending);
        for combine in [&[][..], &["-c"], &["-p"], &["-c", "-p"]] {
            let options = [order, combine].concat();
            let ours = merged(&options, &paths);
            let output = Command::new("samtools")
                .args(["merge", "--no-PG", "-O", "sam", "-o", "-"])
                .args(&options)
                .args(&paths)
                .output()
                .unwrap();
            assert!(output.status.success());
            let theirs = String::from_utf8(output.stdout).unwrap();
            assert!(renamed(&theirs, &ours) == without_first_line(&ours), "{options:?} {seed}");
        }
    }
}

#[test]
fn regions_headers_and_read_groups_of_files_are_those_of_samtools() {
    if !installed("samtools") {
        return;
    }
    let folder = Folder::new();
    let given = "@HD\tVN:1.5\n@SQ\tSN:c2\tLN:1000\n@SQ\tSN:c1\tLN:1000\n@RG\tID:g\tSM:given\n@PG\tID:p\n@CO\tgiven\n";
    let given = folder.file("given.sam", given);
    let same = folder.file("same.sam", format!("{SEQUENCES}@RG\tID:g\tSM:given\n@CO\tgiven\n"));
    let bed = folder.file("x.bed", "c1\t3\t9\nc2\t0\t2\nc1\t5\t12\nc2\t20\t22\n");
    let ways: [(&[&str], bool); 9] = [
        (&["-r"], false),
        (&["-r", "-c", "-p"], false),
        (&["-r", "-n"], false),
        (&["-h", &same], false),
        (&["-h", &same, "-c", "-p", "-r"], false),
        (&["-h", &given, "-n"], false),
        (&["-R", "c1:7-11"], true),
        (&["-R", "c2", "-r", "-h", &same], true),
        (&["-L", &bed], true),
    ];
    for (seed, (options, needs_index)) in (300..).zip(ways) {
        let order: &[&str] = if options.contains(&"-n") { &["-n"] } else { &[] };
        let paths = parts(&folder, seed, 3, order, ".bam");
        if needs_index {
            paths.iter().for_each(|path| assert_eq!(biofast(&["index", path]).code, 0));
        }
        let ours = merged(options, &paths);
        let output = Command::new("samtools")
            .args(["merge", "--no-PG", "-O", "sam", "-o", "-"])
            .args(options)
            .args(&paths)
            .output()
            .unwrap();
        assert!(output.status.success());
        let theirs = String::from_utf8(output.stdout).unwrap();
        let ids = |text: &str| text.lines().filter(|line| line.starts_with('@')).count();
        assert_eq!(ids(&ours), ids(&theirs) + usize::from(!theirs.starts_with("@HD")));
        let [theirs, ours] = [renamed(&theirs, &ours), without_first_line(&ours)];
        for (theirs, ours) in theirs.lines().zip(ours.lines()) {
            assert_eq!(theirs, ours, "{options:?}");
        }
        assert_eq!(theirs.len(), ours.len(), "{options:?}");
    }
    // Without an index, and of what isn't BAM, all is read; a region that a file doesn't have is an error.
    let paths = parts(&folder, 400, 2, &[], ".bam");
    let whole = merged(&["-R", "c1:7-11"], &paths);
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let run = biofast(&[&["merge", "-O", "sam", "--no-PG", "-R", "c1:7-11"], &paths[..]].concat());
    assert!(run.stderr.contains("400.0.bam has no index, so all of it is read"), "{run:?}");
    assert_eq!((run.code, run.stdout == whole), (0, true));
    let run = biofast(&[&["merge", "-R", "c9"], &paths[..]].concat());
    assert_error(&run, &["400.0.bam", "c9"]);
    assert_error(&biofast(&["merge", "-h", paths[0], "-o", paths[0], paths[1]]), &["is an input"]);
}

#[test]
fn parts_become_what_sorting_all_of_them_at_once_gives() {
    let folder = Folder::new();
    for (seed, order) in (100..).zip(ORDERS) {
        // One header, and the fields where merging puts them.
        let mut random = Random(seed);
        let header = SEQUENCES.to_owned() + "@RG\tID:g\n@PG\tID:p\n";
        let (mut all, mut paths) = (header.clone(), Vec::new());
        for part in 0..6 {
            let some = records(&mut random, 150, &["g"]);
            let plain = some.lines().map(|line| {
                let fields = line.split('\t');
                let kept = fields.filter(|f| !f.starts_with("RG:") && !f.starts_with("PG:"));
                kept.collect::<Vec<_>>().join("\t") + "\tRG:Z:g\tPG:Z:p\n"
            });
            let some: String = plain.collect();
            all += &some;
            let unsorted = folder.file("x.sam", header.clone() + &some);
            let path = text(&folder.path(&format!("{part}.bam")));
            let sort = [&["sort", "-q", "--no-PG"], order, &[&unsorted, "-o", &path]].concat();
            assert_eq!(biofast(&sort).code, 0);
            paths.push(path);
        }
        let all = folder.file("all.sam", all);
        let sort = [&["sort", "-q", "--no-PG", "-O", "sam"], order, &[&all]].concat();
        let expected = biofast(&sort).stdout;
        for threads in ["1", "2", "5"] {
            let options = [order, &["-c", "-p", "-@", threads]].concat();
            assert!(merged(&options, &paths) == expected, "{options:?}");
        }
    }
}

#[test]
fn the_file_is_the_same_and_its_index_that_of_samtools() {
    let folder = Folder::new();
    let paths = parts(&folder, 7, 5, &[], ".bam");
    let inputs: Vec<&str> = paths.iter().map(String::as_str).collect();
    let out = |name: &str| text(&folder.path(name));
    for (threads, name) in [("1", "one.bam"), ("2", "two.bam"), ("6", "two.bam")] {
        let args = ["merge", "-q", "--no-PG", "-@", threads, "--write-index", "-o", &out(name)];
        assert_eq!(biofast(&[&args, &inputs[..]].concat()).code, 0);
        for ending in ["", ".bai"] {
            let [one, other] = ["one.bam", name]
                .map(|name| std::fs::read(out(&format!("{name}{ending}"))).unwrap());
            assert!(one == other, "{threads} {ending}");
        }
    }
    assert_eq!(biofast(&["check", &out("one.bam")]).code, 0, "its order is what its header says");
    let list = folder.file("list", paths.join("\n"));
    let run = biofast(&["merge", "-q", "--no-PG", "-b", &list, "-o", &out("listed.bam")]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(std::fs::read(out("one.bam")).unwrap() == std::fs::read(out("listed.bam")).unwrap());
    // From standard input.
    let first = std::fs::read(&paths[0]).unwrap();
    let args = [&["merge", "-q", "--no-PG", "-O", "sam", "-"], &inputs[1..]].concat();
    let shown = biofast(&["view", "-h", "--no-PG", &out("one.bam")]).stdout;
    assert!(biofast_with(&args, &first).stdout == shown);
    if installed("samtools") {
        let again = out("again.bai");
        let run = Command::new("samtools").args(["index", &out("one.bam"), &again]).status();
        assert!(run.unwrap().success());
        assert_eq!(std::fs::read(out("one.bam.bai")).unwrap(), std::fs::read(again).unwrap());
    }
}

#[test]
fn an_input_that_is_out_of_order_is_named_with_its_record() {
    let folder = Folder::new();
    let record = |name: &str, position: u32, more: &str| {
        format!("{name}\t0\tc1\t{position}\t9\t1M\t*\t0\t0\tA\tI{more}\n")
    };
    let file = |name: &str, records: &[String]| {
        folder.file(name, SEQUENCES.to_owned() + &records.concat())
    };
    let good = file("good.sam", &[record("a1", 3, ""), record("a2", 5, ""), record("a10", 5, "")]);
    let bad = file("bad.sam", &[record("b2", 5, ""), record("b10", 7, ""), record("b1", 6, "")]);
    let out = text(&folder.path("o.bam"));
    let before = listed(&folder).len();
    let run = biofast(&["merge", &good, &bad, "-o", &out]);
    assert_error(&run, &["bad.sam: record 3", "not sorted by coordinate", "biofast sort"]);
    let run = biofast(&["merge", "-n", &good, &bad, "-o", &out]);
    assert_error(&run, &["bad.sam: record 3", "not sorted by name", "'b1' comes after 'b10'"]);
    let run = biofast(&["merge", "-N", &good, &bad, "-o", &out]);
    assert_error(&run, &["good.sam: record 3", "not sorted by name", "'a10' comes after 'a2'"]);
    assert_eq!(listed(&folder).len(), before);
    // Strands at one position are in no order that all programs have.
    let strands =
        file("s.sam", &[record("b2", 5, "").replace("\t0\tc1", "\t16\tc1"), record("b3", 5, "")]);
    assert_eq!(biofast(&["merge", "-q", &good, &strands, "-o", &out]).code, 0);
    // Other references first.
    let other = folder.file(
        "other.sam",
        "@SQ\tSN:c2\tLN:1000\n@SQ\tSN:c1\tLN:1000\nx\t0\tc2\t1\t9\t1M\t*\t0\t0\tA\tI\nx\t0\tc1\t1\t9\t1M\t*\t0\t0\tA\tI\n",
    );
    let run = biofast(&["merge", &good, &other, "-o", &out]);
    assert_error(&run, &["other.sam: record 2", "another order"]);
    assert_eq!(biofast(&["merge", "-q", "-n", &good, &other, "-o", &out]).code, 0);
    let longer = folder.file("longer.sam", "@SQ\tSN:c1\tLN:1001\n");
    assert_error(
        &biofast(&["merge", &good, &longer, "-o", &out]),
        &["longer.sam", "has 1001 bases, but 1000 in a file before it"],
    );
}

#[test]
fn faults_are_named_and_nothing_appears() {
    let folder = Folder::new();
    let paths = parts(&folder, 21, 3, &[], ".bam");
    let [a, b, c] = [0, 1, 2].map(|at| paths[at].as_str());
    let bytes = std::fs::read(c).unwrap();
    let cut = folder.file("cut.bam", &bytes[..bytes.len() / 2]);
    let no_end = folder.file("no_end.bam", &bytes[..bytes.len() - 28]);
    let fastq = folder.file("x.fq", "@r\nA\n+\nI\n");
    let report = text(&folder.path("r.json"));
    assert_eq!(biofast(&["stats", "--json", &fastq, "-o", &report]).code, 0);
    let out = text(&folder.path("o.bam"));
    let before = listed(&folder).len();
    for threads in ["1", "3"] {
        let run =
            |more: &[&str]| biofast(&[&["merge", "-@", threads, a, b, "-o", &out], more].concat());
        assert_error(&run(&[&cut]), &["cut.bam"]);
        assert_error(&run(&[&no_end]), &["no_end.bam", "--allow-missing-eof"]);
        assert_eq!(run(&[&no_end, "--allow-missing-eof", "-O", "bam"]).code, 0);
        std::fs::remove_file(&out).unwrap();
        assert_error(&run(&["absent.bam"]), &["absent.bam"]);
        assert_error(&run(&[&report]), &["r.json", "holds alignments"]);
        assert_error(&run(&[&fastq]), &["x.fq", "holds alignments"]);
        assert_error(&run(&["--json"]), &["--json is for reports"]);
        assert_error(&run(&["-n", "--write-index"]), &["coordinate"]);
    }
    assert_error(&biofast(&["merge", "-n", &report]), &["-n (--name) is for alignments"]);
    assert_error(&biofast(&["merge", a, b, "-o", a]), &["is an input"]);
    assert_error(&biofast(&["merge", a, b, "-o", "x.cram"]), &["cram"]);
    if std::path::Path::new("/dev/full").exists() {
        let run = biofast(&["merge", a, b, "-o", "/dev/full"]);
        assert_error(&run, &["/dev/full", "No space left", "the disk is full"]);
    }
    assert_eq!(listed(&folder).len(), before, "{:?}", listed(&folder));
}

#[cfg(unix)]
#[test]
fn a_thousand_files_need_few_descriptors() {
    let folder = Folder::new();
    let mut random = Random(3);
    let (mut list, mut all) = (String::new(), SEQUENCES.to_owned());
    for at in 0..1000 {
        let position = 1 + random.below(900);
        let record = |n| format!("r{at}\t0\tc1\t{}\t9\t4M\t*\t0\t0\tACGT\tIIII\n", position + n);
        let records = record(0) + &record(7);
        all += &records;
        let _ = writeln!(
            list,
            "{}",
            folder.file(&format!("{at}.sam"), SEQUENCES.to_owned() + &records)
        );
    }
    let list = folder.file("list", list);
    let all = folder.file("all.sam", all);
    let expected = biofast(&["sort", "-q", "--no-PG", "-O", "sam", &all]).stdout;
    let binary = command(&[]).get_program().to_owned();
    for threads in ["1", "4"] {
        let mut shell = Command::new("sh");
        let script = "ulimit -n 256; exec \"$0\" merge -q --no-PG -O sam -@ \"$1\" -b \"$2\"";
        shell.args(["-c", script]).arg(&binary).args([threads, &list]);
        let run = finish(shell);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        assert!(run.stdout == expected);
    }
    let said = biofast(&[
        "merge",
        "-b",
        &list,
        "--temp-dir",
        "/absent",
        "-o",
        &text(&folder.path("o.bam")),
    ]);
    assert_error(&said, &["/absent", "temporary files"]);
    assert_eq!(lines(&expected).len(), 2000);
}

#[test]
fn every_read_group_and_program_of_a_record_gets_its_new_id() {
    let folder = Folder::new();
    let header = "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c\tLN:99\n@RG\tID:a\n@RG\tID:b\n@PG\tID:p\n";
    let record =
        |name: &str, tags: &str| format!("{name}\t0\tc\t1\t60\t1M\t*\t0\t0\tA\tI\t{tags}\n");
    let records = record("both", "RG:Z:a\tPG:Z:p\tRG:Z:b\tNM:i:0")
        + &record("twice", "RG:Z:b\tRG:Z:b")
        + &record("last", "NM:i:0\tPG:Z:p\tPG:Z:p\tRG:Z:a")
        + &record("lost", "RG:Z:x\tRG:Z:a\tPG:Z:y\tXX:i:1");
    let one = folder.file("one.sam", format!("{header}{records}"));
    let two = folder.file("two.sam", format!("{header}{records}"));
    let run = biofast(&["merge", "-O", "sam", "--no-PG", &one, &two]);
    assert_eq!(run.code, 0, "{run:?}");
    let tags = |run: &str| {
        let lines = run.lines().filter(|line| !line.starts_with('@'));
        lines.map(|line| line.splitn(12, '\t').nth(11).unwrap().to_owned()).collect::<Vec<_>>()
    };
    let expected = [
        "NM:i:0\tRG:Z:a\tRG:Z:b\tPG:Z:p",
        "RG:Z:b\tRG:Z:b",
        "NM:i:0\tRG:Z:a\tPG:Z:p\tPG:Z:p",
        "XX:i:1\tRG:Z:a",
        "NM:i:0\tRG:Z:a-2\tRG:Z:b-2\tPG:Z:p-2",
        "RG:Z:b-2\tRG:Z:b-2",
        "NM:i:0\tRG:Z:a-2\tPG:Z:p-2\tPG:Z:p-2",
        "XX:i:1\tRG:Z:a-2",
    ];
    assert_eq!(tags(&run.stdout), expected);
    assert!(run.stderr.contains("4 fields RG and PG were dropped"), "{}", run.stderr);
    // One read group for all records of a file is the only one.
    let run = biofast(&["merge", "-r", "-O", "sam", "--no-PG", &one, &two]);
    assert_eq!(run.code, 0, "{run:?}");
    for (index, tags) in tags(&run.stdout).iter().enumerate() {
        let groups: Vec<&str> = tags.split('\t').filter(|tag| tag.starts_with("RG")).collect();
        assert_eq!(groups, [["RG:Z:one", "RG:Z:two"][index / 4]], "{tags}");
    }
}
