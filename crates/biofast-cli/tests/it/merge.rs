//! `biofast merge` of alignments: what sorting all records at once gives, whatever the number of threads.

use std::fmt::Write;
use std::process::Command;

use biofast_testkit::random::Random;

use crate::common::merge::{ORDERS, SEQUENCES, merged, parts, records};
use crate::common::sort::lines;
use crate::common::{
    Folder, assert_error, biofast, biofast_with, command, fails, finish, listed, ok, text,
};

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
            ok(&sort);
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
fn the_file_and_its_index_are_the_same_on_any_threads() {
    let folder = Folder::new();
    let paths = parts(&folder, 7, 5, &[], ".bam");
    let inputs: Vec<&str> = paths.iter().map(String::as_str).collect();
    let out = |name: &str| text(&folder.path(name));
    for (threads, name) in [("1", "one.bam"), ("2", "two.bam"), ("6", "two.bam")] {
        let args = ["merge", "-q", "--no-PG", "-@", threads, "--write-index", "-o", &out(name)];
        ok(&[&args, &inputs[..]].concat());
        for ending in ["", ".bai"] {
            let [one, other] = ["one.bam", name]
                .map(|name| std::fs::read(out(&format!("{name}{ending}"))).unwrap());
            assert!(one == other, "{threads} {ending}");
        }
    }
    ok(&["check", &out("one.bam")]);
    let list = folder.file("list", paths.join("\n"));
    ok(&["merge", "-q", "--no-PG", "-b", &list, "-o", &out("listed.bam")]);
    assert!(std::fs::read(out("one.bam")).unwrap() == std::fs::read(out("listed.bam")).unwrap());
    // From standard input.
    let first = std::fs::read(&paths[0]).unwrap();
    let args = [&["merge", "-q", "--no-PG", "-O", "sam", "-"], &inputs[1..]].concat();
    let shown = biofast(&["view", "-h", "--no-PG", &out("one.bam")]).stdout;
    assert!(biofast_with(&args, &first).stdout == shown);
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
    fails(
        &["merge", &good, &bad, "-o", &out],
        &["bad.sam: record 3", "not sorted by coordinate", "biofast sort"],
    );
    fails(
        &["merge", "-n", &good, &bad, "-o", &out],
        &["bad.sam: record 3", "not sorted by name", "'b1' comes after 'b10'"],
    );
    fails(
        &["merge", "-N", &good, &bad, "-o", &out],
        &["good.sam: record 3", "not sorted by name", "'a10' comes after 'a2'"],
    );
    assert_eq!(listed(&folder).len(), before);
    // Strands at one position are in no order that all programs have.
    let strands =
        file("s.sam", &[record("b2", 5, "").replace("\t0\tc1", "\t16\tc1"), record("b3", 5, "")]);
    ok(&["merge", "-q", &good, &strands, "-o", &out]);
    // Other references first.
    let other = folder.file(
        "other.sam",
        "@SQ\tSN:c2\tLN:1000\n@SQ\tSN:c1\tLN:1000\nx\t0\tc2\t1\t9\t1M\t*\t0\t0\tA\tI\nx\t0\tc1\t1\t9\t1M\t*\t0\t0\tA\tI\n",
    );
    fails(&["merge", &good, &other, "-o", &out], &["other.sam: record 2", "a different order"]);
    ok(&["merge", "-q", "-n", &good, &other, "-o", &out]);
    let longer = folder.file("longer.sam", "@SQ\tSN:c1\tLN:1001\n");
    fails(
        &["merge", &good, &longer, "-o", &out],
        &["longer.sam", "has 1001 bases here but 1000 in an earlier file"],
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
    ok(&["stats", "--json", &fastq, "-o", &report]);
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
        assert_error(&run(&[&fastq]), &["x.fq", "holds reads"]);
        assert_error(&run(&["--json"]), &["--json applies to reports"]);
        assert_error(&run(&["-n", "--write-index"]), &["coordinate"]);
    }
    fails(&["merge", "-n", &report], &["-n (--name) applies to alignments"]);
    fails(&["merge", a, b, "-o", a], &["is an input"]);
    fails(&["merge", a, b, "-o", "x.cram"], &["--no-reference"]);
    if std::path::Path::new("/dev/full").exists() {
        fails(
            &["merge", a, b, "-o", "/dev/full"],
            &["/dev/full", "No space left", "free some space"],
        );
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
    fails(
        &["merge", "-b", &list, "--temp-dir", "/absent", "-o", &text(&folder.path("o.bam"))],
        &["/absent", "--temp-dir /absent: no such folder"],
    );
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
    let run = ok(&["merge", "-O", "sam", "--no-PG", &one, &two]);
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
    assert!(run.stderr.contains("4 RG and PG tags were dropped"), "{}", run.stderr);
    // One read group for all records of a file is the only one.
    let run = ok(&["merge", "-r", "-O", "sam", "--no-PG", &one, &two]);
    for (index, tags) in tags(&run.stdout).iter().enumerate() {
        let groups: Vec<&str> = tags.split('\t').filter(|tag| tag.starts_with("RG")).collect();
        assert_eq!(groups, [["RG:Z:one", "RG:Z:two"][index / 4]], "{tags}");
    }
}
