//! What may be written, by which name, and what is there after a run that failed or was ended. Of every command.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::{
    self, Folder, assert_error, command, fails_in, finish, good, listed, obeying, ok, reads,
    run_in, text, wait_until,
};

/// Reads, mates, alignments and what belongs to them, in a folder.
fn staged() -> Folder {
    let folder = Folder::new();
    folder.file("r1.fq", reads("p", 200));
    folder.file("r2.fq", reads("p", 200));
    folder.file("names.txt", "p1\np2\n");
    folder.file("adapters.txt", ">a\nAGATCGGAAGAGCACACGT\n");
    folder.file("targets.bed", "c\t0\t50\n");
    folder.file("contigs.tsv", "c\tchrC\n");
    folder.file("n.sam", "@HD\tVN:1.6\tSO:queryname\nq\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\tIIII\n");
    folder.file("ref.fa", format!(">c\n{}\n", "ACGT".repeat(25)));
    let sam =
        "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c\tLN:100\nr\t0\tc\t1\t60\t4M\t*\t0\t0\tACGT\tIIII\n";
    folder.file("a.sam", sam);
    let at = |name: &str| text(&folder.path(name));
    ok(&["view", "-b", &at("a.sam"), "-o", &at("a.bam")]);
    ok(&["index", &at("a.bam")]);
    ok(&["stats", "--json", &at("r1.fq"), "-o", &at("report.json")]);
    let args =
        ["filter", &at("r1.fq"), "-o", &at("kept.fq"), "--summary", &at("summary.json"), "--quiet"];
    ok(&args);
    folder
}

/// Runs in the folder, so that names are as users type them.
fn content(folder: &Folder) -> Vec<(String, Vec<u8>)> {
    let files = listed(folder).into_iter().filter(|name| folder.path(name).is_file());
    files.map(|name| (name.clone(), std::fs::read(folder.path(&name)).unwrap())).collect()
}

#[test]
fn no_command_writes_to_what_it_reads() {
    let folder = staged();
    symlink("r1.fq", folder.path("soft.fq")).unwrap();
    std::fs::hard_link(folder.path("r1.fq"), folder.path("hard.fq")).unwrap();
    symlink(".", folder.path("here")).unwrap();
    let before = content(&folder);
    let cases = [
        // One file by any name.
        "filter r1.fq -o r1.fq",
        "filter r1.fq -o ./r1.fq",
        "filter r1.fq -o soft.fq",
        "filter r1.fq -o hard.fq",
        "filter r1.fq -o here/r1.fq",
        "filter soft.fq -o r1.fq",
        "filter r1.fq r2.fq -o o1 --out2 r1.fq",
        "filter r1.fq r2.fq -o r2.fq --out2 r1.fq",
        "filter r1.fq -o o --summary r1.fq",
        "filter r1.fq -o o --html r1.fq",
        "filter r1.fq -o o --rejected r1.fq",
        "filter --interleaved r1.fq -o o --unpaired1 r1.fq",
        "filter r1.fq --names names.txt -o names.txt",
        "filter r1.fq --names names.txt -o o --summary names.txt",
        "filter r1.fq --adapter-fasta adapters.txt -o adapters.txt",
        "filter r1.fq -a file:adapters.txt -o adapters.txt",
        "filter r1.fq -o o --fastp-json r1.fq",
        "filter -i r1.fq -I r2.fq -o r2.fq --interleaved-out",
        "filter r1.fq r2.fq --merge --merged-out r2.fq",
        "filter a.bam -o a.bam",
        "filter a.bam -f 4 -o o.bam -U a.bam",
        "filter a.bam -L targets.bed -o targets.bed",
        "filter a.bam -c -o a.bam",
        "filter a.bam c:1-10 -o a.bam.bai",
        "reheader a.sam a.bam -o a.bam",
        "faidx r1.fq -o r1.fq",
        "faidx -f r1.fq p1 -o r1.fq",
        "faidx r1.fq --fai-idx r1.fq",
        "dict ref.fa -o ref.fa",
        "head a.sam -o a.sam",
        "addreplacerg -r ID:x a.bam -o a.bam",
        "fixmate n.sam -o n.sam",
        "collate a.bam -o a.bam",
        "reset a.bam -o a.bam",
        "retag -x NM a.bam -o a.bam",
        "rename-contigs --table contigs.tsv a.bam -o contigs.tsv",
        "depth a.bam -o a.bam",
        "samples a.bam -o a.bam",
        "quickcheck a.bam -o a.bam",
        "reheader a.sam a.bam -o a.sam",
        "stats r1.fq -o r1.fq",
        "stats r1.fq --html r1.fq",
        "stats a.bam -r ref.fa -o ref.fa",
        "stats a.bam --format samtools -o a.bam",
        "check r1.fq -o r1.fq",
        "check --against summary.json -o summary.json",
        "flagstat a.bam -o a.bam",
        "checksum a.bam -o a.bam",
        "checksum a.bam --against r1.fq -o r1.fq",
        "flagstat a.bam -o a.bam.bai",
        "idxstats a.bam -L targets.bed -o targets.bed",
        "index a.bam -o a.bam",
        "merge report.json -o report.json",
        "merge report.json --html report.json",
        "view a.bam -o a.bam",
        "view a.sam -o a.sam",
        "view -c a.bam -o a.bam",
        "fastq a.bam -o o.fq --summary a.bam",
        "import r1.fq -o o.bam --summary r1.fq",
        "split -s 9 r2.fq -o r{part}.fq --digits 1",
        "split -p 2 r1.fq -o here/r{part}.fq --digits 1",
        "split -s 9 r1.fq -o o{part} --summary r1.fq",
        "shards --number 2 r1.fq -o r1.fq",
        "shards --number 2 a.bam -o ./a.bam.bai",
        "grep -p r r1.fq r2.fq -o o.fq --out2 r1.fq",
        "grep -s -p ACGT r1.fq --rejected ./r1.fq",
        "grep -f r2.fq r1.fq --missing r2.fq",
        "dedup r1.fq -o r1.fq",
        "dedup r1.fq r2.fq -o o.fq -d ./r2.fq --interleaved-out",
        "repair r1.fq r2.fq -o o.fq --out2 here/r2.fq",
        "repair r1.fq -o o.fq --orphans r1.fq",
    ];
    for case in cases {
        let args: Vec<&str> = case.split(' ').collect();
        let run = fails_in(&folder, &args, &["input"]);
        assert_eq!(run.stdout, "", "{case}");
        assert_eq!(content(&folder), before, "{case}");
    }
    // So does what is named inside a value, and what is read beside a reference.
    folder.file("groups.txt", "lane1\n");
    folder.file("ref.fa.fai", "c\t100\t3\t100\t101\n");
    folder.file("ref.fa.gzi", "");
    let before = content(&folder);
    for case in [
        "filter a.bam -D RG:groups.txt -o groups.txt",
        "filter a.bam -D RG:groups.txt -o o.bam -U groups.txt",
        "filter a.bam -D RG:groups.txt -o o.bam --summary ./groups.txt",
        "filter a.bam -R groups.txt -o groups.txt",
        "view a.bam -D RG:groups.txt -o groups.txt",
        "view -T ref.fa a.bam -o ref.fa.fai",
        "view -T ref.fa a.sam -o ./ref.fa.gzi",
        "stats --json -r ref.fa a.bam -o ref.fa.fai",
        "sort --reference ref.fa a.bam -o x.bam --stats ref.fa.fai",
        "check --reference ref.fa a.bam -o ref.fa.fai",
        "coverage -f ref.fa a.bam -o ref.fa.fai",
    ] {
        fails_in(&folder, &case.split(' ').collect::<Vec<_>>(), &["would be overwritten"]);
        assert_eq!(content(&folder), before, "{case}");
    }
    // A pattern and a list name inputs, too.
    std::fs::write(folder.path("list"), "r1.fq\n").unwrap();
    let before = content(&folder);
    for args in [&["stats", "r*.fq", "-o", "r2.fq"][..], &["check", "-X", "list", "-o", "r1.fq"]] {
        fails_in(&folder, args, &["is an input"]);
        assert_eq!(content(&folder), before);
    }
}

#[test]
fn what_a_killed_run_left_is_reported_and_never_removed() {
    let folder = Folder::new();
    folder.file("good.fq", "@a\nAC\n+\nII\n");
    folder.file("bad.fq", "@a\nAC\n+\nI\n");
    let left = [".o.fq.12-0.biofast-old", ".o.fq.12-1.biofast-tmp", ".other.fq.12-0.biofast-old"];
    left.iter().for_each(|name| drop(folder.file(name, "of a user")));
    for (input, code) in [("bad.fq", 2), ("good.fq", 0)] {
        let run = run_in(&folder, &["filter", input, "-o", "o.fq", "--quiet"]);
        assert_eq!(run.code, code, "{run:?}");
        for text in ["mv .o.fq.12-0.biofast-old o.fq", "left .o.fq.12-1.biofast-tmp"] {
            assert!(run.stderr.contains(text), "{run:?}");
        }
        assert!(!run.stderr.contains(".other"), "{run:?}");
        for name in left {
            assert_eq!(std::fs::read(folder.path(name)).unwrap(), b"of a user");
        }
    }
}

#[test]
fn standard_input_and_output_are_files_like_others() {
    let folder = staged();
    let before = content(&folder);
    let open = |name: &str| {
        std::fs::File::options().read(true).append(true).open(folder.path(name)).unwrap()
    };
    // filter r1.fq >> r1.fq
    for args in [
        &["filter", "r1.fq"][..],
        &["stats", "r1.fq"],
        &["view", "a.sam"],
        &["check", "-X", "names.txt"],
    ] {
        let name = *args.last().unwrap();
        let mut command = command(args);
        let output = command.current_dir(folder.path(".")).stdout(open(name)).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(
            output.status.code() == Some(2) && stderr.contains("is the same file as"),
            "{stderr}"
        );
        assert_eq!(content(&folder), before);
    }
    // filter < r1.fq -o r1.fq
    let mut from_stdin = command(&["filter", "-", "-o", "r1.fq"]);
    let run = finish({
        from_stdin.current_dir(folder.path(".")).stdin(open("r1.fq"));
        from_stdin
    });
    assert_error(&run, &["the same file as", "standard input"]);
    assert_eq!(content(&folder), before);
}

#[test]
fn a_descriptor_by_name_is_written_to_and_not_replaced() {
    let folder = staged();
    let log = folder.file("log.txt", "before\n");
    let number = std::fs::metadata(&log).unwrap().ino();
    for path in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        let mut command = command(&["filter", "r1.fq", "-o", path, "--quiet"]);
        let out = std::fs::File::options().append(true).open(&log).unwrap();
        assert!(command.current_dir(folder.path(".")).stdout(out).status().unwrap().success());
    }
    let expected = format!("before\n{}", reads("p", 200).repeat(3));
    assert_eq!(std::fs::read_to_string(&log).unwrap(), expected);
    assert_eq!(std::fs::metadata(&log).unwrap().ino(), number);
    // Both would go to one place.
    let run = run_in(&folder, &["filter", "r1.fq", "--summary", "/dev/stdout"]);
    assert!(run.code == 2 && run.stdout.is_empty(), "{run:?}");
    assert!(run.stderr.contains("two outputs are the same: standard output"), "{}", run.stderr);
    for args in [
        &["stats", "r1.fq", "-o", "-"][..],
        &["check", "r1.fq", "-o", "-"],
        &["merge", "report.json", "-o", "-"],
        &["flagstat", "a.bam", "-o", "-"],
        &["checksum", "a.bam", "-o", "-"],
        &["view", "a.bam", "-o", "-"],
        &["import", "r1.fq", "-o", "-"],
    ] {
        let mut command = command(args);
        let output = command.current_dir(folder.path(".")).output().unwrap();
        assert!(output.status.success() && !output.stdout.is_empty(), "{args:?}");
    }
    assert!(!folder.path("-").exists());
}

#[test]
fn no_two_outputs_are_one_file() {
    let folder = staged();
    folder.file("old.fq", "old");
    std::fs::hard_link(folder.path("old.fq"), folder.path("hard.fq")).unwrap();
    symlink(".", folder.path("here")).unwrap();
    let before = content(&folder);
    let cases = [
        "filter r1.fq r2.fq -o x --out2 ./x",
        "filter r1.fq r2.fq -o x --out2 here/x",
        "filter r1.fq r2.fq -o old.fq --out2 hard.fq",
        "filter r1.fq -o x --summary x",
        "filter r1.fq -o x --summary y --html here/y",
        "filter r1.fq -o x.gz --write-index --summary x.gz.gzi",
        "filter a.bam -o x.bam -U ./x.bam",
        "filter a.bam -o x.bam --write-index --summary x.bam.bai",
        "stats r1.fq -o x --html x",
        "merge report.json -o x --html ./x",
        "fastq a.bam -1 x.fq -2 ./x.fq",
        "import r1.fq -o x --summary x",
        "split -s 90 r1.fq r2.fq -o x{part} --out2 ./x{part}",
        "split -p 2 r1.fq -o x{part} --summary x002",
        "grep -p r r1.fq -o x --rejected ./x",
        "dedup r1.fq -o x -d ./x",
        "repair r1.fq r2.fq -o x --orphans1 y --orphans2 ./y --interleaved-out",
    ];
    for case in cases {
        let args: Vec<&str> = case.split(' ').collect();
        fails_in(&folder, &args, &["are the same"]);
        assert_eq!(content(&folder), before, "{case}");
    }
    // What can't be mixed up may be named twice.
    good(
        &folder,
        &["filter", "r1.fq", "r2.fq", "-o", "/dev/null", "--out2", "/dev/null", "--quiet"],
    );
}

#[test]
fn a_report_or_index_never_takes_the_place_of_reads() {
    let folder = staged();
    for (name, kept) in [("old.txt", reads("q", 3)), ("old.dat", ">chr1\nACGT\n".into())] {
        folder.file(name, kept);
    }
    std::fs::copy(folder.path("a.bam"), folder.path("old.json")).unwrap();
    let before = content(&folder);
    for case in [
        "stats r1.fq -o old.txt",
        "stats r1.fq --html old.txt",
        "stats r1.fq -o old.json",
        "filter r1.fq -o o.fq --summary old.txt",
        "check r1.fq -o old.dat",
        "index a.bam -o old.txt",
        "stats --html r1.fq",
        "filter --summary r1.fq",
        "stats --html new.fq.gz r1.fq",
        "import r1.fq -o o.bam --summary new.bam",
        "split -s 90 r1.fq -o o{part} --summary old.txt",
        "dedup r1.fq -o o.fq --summary old.txt",
    ] {
        let args: Vec<&str> = case.split(' ').collect();
        fails_in(&folder, &args, &["report or an index"]);
        assert_eq!(content(&folder), before, "{case}");
    }
    // Another report is replaced, and so is an index, even one that begins with an '@' (64 blocks).
    let mut index = 64u64.to_le_bytes().to_vec();
    index.resize(8 + 64 * 16, 0);
    folder.file("old.gzi", index);
    for case in [
        "stats r2.fq --json -o report.json",
        "index -c a.bam -o x.csi",
        "index -c a.bam -o x.csi",
        "index a.bam -o old.gzi",
    ] {
        let args: Vec<&str> = case.split(' ').collect();
        good(&folder, &args);
    }
}

#[test]
fn where_one_output_cannot_be_written_none_appears() {
    let folder = staged();
    folder.file("k.fq", "OLD");
    std::fs::create_dir(folder.path("dir")).unwrap();
    folder.file("readonly", "OLD");
    std::fs::set_permissions(folder.path("readonly"), PermissionsExt::from_mode(0o444)).unwrap();
    let before = content(&folder);
    for case in [
        "filter r1.fq -o k.fq --summary no/such.json",
        "filter r1.fq -o k.fq --html dir",
        "filter r1.fq -o k.fq --rejected no/such",
        "filter r1.fq -o readonly",
        "filter r1.fq -o k.fq --summary readonly",
        "filter a.bam -o new.bam --summary no/such",
        "stats r1.fq -o report.txt --html no/such",
        "merge report.json --html no/such -o k.txt",
        "import r1.fq -o new.bam --summary no/such",
        "fastq a.bam -o k.fq --summary no/such",
        "filter r1.fq -o k.fq --summary /dev/full",
        "split -s 90 r1.fq -o k{part}.fq --summary no/such",
        "split -s 90 r1.fq -o k{part}.fq --summary /dev/full",
        "split -p 3 r1.fq -o no/{part}.fq",
        "dedup r1.fq -o k.fq -d no/such.fq",
        "dedup r1.fq -o k.fq --summary /dev/full",
        "repair r1.fq r2.fq -o k.fq --summary /dev/full --interleaved-out",
    ] {
        let args: Vec<&str> = case.split(' ').collect();
        fails_in(&folder, &args, &["can't write"]);
        assert_eq!(content(&folder), before, "{case}");
    }
}

#[test]
fn what_is_replaced_hands_on_its_mode_and_links_are_followed() {
    let folder = staged();
    let secret = folder.file("secret.fq", "old");
    std::fs::set_permissions(&secret, PermissionsExt::from_mode(0o600)).unwrap();
    symlink("secret.fq", folder.path("link.fq")).unwrap();
    good(&folder, &["filter", "r1.fq", "-o", "link.fq", "--quiet"]);
    assert!(folder.path("link.fq").symlink_metadata().unwrap().is_symlink());
    assert_eq!(std::fs::metadata(&secret).unwrap().permissions().mode() & 0o7777, 0o600);
    assert_eq!(std::fs::read_to_string(&secret).unwrap(), reads("p", 200));
    let long = format!("{}.fq.gz", "n".repeat(248));
    good(&folder, &["filter", "r1.fq", "-o", &long, "--quiet"]);
    assert!(folder.path(&long).is_file());
}

#[test]
fn a_closed_standard_output_is_an_error_and_one_closed_later_is_not() {
    let folder = staged();
    for args in [
        "stats r1.fq", "filter r1.fq", "check r1.fq", "view a.bam", "flagstat a.bam",
        "checksum a.bam", "fastq a.bam", "import r1.fq", "man",
    ] {
        let binary = crate::common::binary();
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("exec {binary} {args} >&-")]).current_dir(folder.path("."));
        let output = shell.output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args}: {stderr}");
        assert!(stderr.contains("standard output: it is closed"), "{args}: {stderr}");
    }
    // The reader takes a line and goes: the summary is of the whole run all the same.
    folder.file("long.fq", reads("long", 60_000));
    let mut child = command(&["filter", "long.fq", "--summary", "s.json"])
        .current_dir(folder.path("."))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let summary: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.path("s.json")).unwrap()).unwrap();
    assert!(summary.to_string().contains("60000"), "{summary}");
}

/// Commands that print nothing, whatever their arguments; and `self-test`, which takes long, and prints as others do.
const SILENT: [&str; 7] = ["index", "quickcheck", "split", "demux", "demo", "self-test", "help"];

#[test]
fn every_command_ends_well_when_the_reader_of_its_output_has_gone() {
    let folder = staged();
    folder.file("long.fq", reads("p", 60_000));
    for args in [
        "index --name-index r1.fq",
        "shards --number 2 long.fq -o plan.json",
        "convert r1.fq -O bgzf -o r1.fq.gz",
        "convert r2.fq -O bgzf -o r2.fq.gz",
    ] {
        good(&folder, &args.split(' ').collect::<Vec<_>>());
    }
    let cases = [
        "stats r1.fq",
        "stats --json r1.fq",
        "stats --per-read r1.fq",
        "stats a.bam",
        "stats --format samtools a.bam",
        "filter r1.fq",
        "filter long.fq",
        "filter r1.fq r2.fq --cut-tail",
        "filter -b a.bam",
        "filter -h a.sam",
        "filter -c a.bam",
        "filter --sample-count 10 r1.fq",
        "check r1.fq",
        "check a.bam --json",
        "checksum a.bam",
        "checksum a.bam --against a.bam",
        "flagstat a.bam",
        "idxstats a.bam",
        "coverage a.bam",
        "coverage --format samtools-depth a.bam",
        "depth a.bam",
        "get r1.fq p1",
        "merge a.bam a.bam",
        "merge -O sam a.bam a.bam",
        "merge report.json report.json",
        "cat a.bam a.bam",
        "cat r1.fq.gz r2.fq.gz",
        "reheader a.sam a.bam",
        "faidx r1.fq p1",
        "dict ref.fa",
        "head a.bam",
        "addreplacerg -r ID:x a.bam",
        "fixmate n.sam",
        "collate a.bam",
        "reset a.bam",
        "retag -x NM a.bam",
        "rename-contigs --table contigs.tsv a.bam",
        "samples a.bam",
        "view a.bam",
        "view -b a.bam",
        "view -c a.bam",
        "view -H a.bam",
        "fastq a.bam",
        "fastq --collate a.bam",
        "import r1.fq",
        "sort a.bam",
        "sort -n a.bam -O sam",
        "sort --mark-duplicates n.sam",
        "markdup a.bam",
        "umi dedup --method unique --umi-separator r a.bam",
        "umi group --method unique --umi-separator r a.bam",
        "umi group --method unique --umi-separator r a.bam --group-out -",
        "sort --key length r1.fq",
        "convert r1.fq",
        "convert r1.fq -O zstd",
        "shuffle r1.fq",
        "shards --number 2 a.bam",
        "shards --number 2 long.fq",
        "grep -r -p p1 r1.fq",
        "grep --only-matching -p ACGT r1.fq",
        "grep -c -p ACGT r1.fq",
        "dedup r1.fq",
        "repair r1.fq r2.fq",
        "schema stats",
        "completions bash",
        "man",
        "--version",
        "--version --verbose",
        "--help",
        "sort --help",
        "run --engine local -- stats --json r1.fq",
    ];
    let (mut wrong, mut silent) = (Vec::new(), Vec::new());
    for args in cases {
        let words: Vec<&str> = args.split(' ').collect();
        let run = |stdout: Stdio| {
            let mut command = command(&words);
            let output = command.current_dir(folder.path(".")).stdout(stdout).output().unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
            (output.status.code(), output.stdout, stderr)
        };
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let (code, _, stderr) = run(writer.into());
        if code != Some(0) || stderr.contains("error") {
            wrong.push(format!("{args}: {code:?}, {stderr}"));
        }
        // The same with a reader: a case that prints nothing is no case.
        let (code, stdout, stderr) = run(Stdio::piped());
        if code != Some(0) || stdout.is_empty() {
            silent.push(format!("{args}: {code:?}, {stderr}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(silent.is_empty(), "{}", silent.join("\n"));
    for command in common::help::commands() {
        let tested = cases.iter().any(|case| case.split(' ').next() == Some(&command));
        assert!(tested || SILENT.contains(&&*command), "{command} has no case here");
    }
}

#[test]
fn an_ended_run_leaves_nothing_and_says_by_which_signal() {
    for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        let folder = Folder::new();
        folder.file("o.fq", "OLD");
        let args = ["filter", "-", "-o", "o.fq", "--summary", "s.json"];
        let mut child = obeying(signal, number as u32, &args)
            .current_dir(folder.path("."))
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(reads("p", 5000).as_bytes()).unwrap();
        wait_until(|| listed(&folder).len() == 3);
        let killed = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
        assert!(killed.unwrap().success());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.signal(), Some(number));
        assert_eq!(listed(&folder), ["o.fq"]);
        assert_eq!(std::fs::read(folder.path("o.fq")).unwrap(), b"OLD");
        drop(stdin);
    }
}

#[test]
fn an_ignored_signal_stays_ignored() {
    let folder = Folder::new();
    let mut child = Command::new("sh")
        .args(["-c", "trap '' HUP; exec \"$0\" filter - -o o.fq --quiet", crate::common::binary()])
        .current_dir(folder.path("."))
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(reads("p", 5000).as_bytes()).unwrap();
    wait_until(|| listed(&folder).len() == 1);
    assert!(
        Command::new("kill")
            .args(["-s", "HUP", &child.id().to_string()])
            .status()
            .unwrap()
            .success()
    );
    std::thread::sleep(Duration::from_millis(100));
    drop(stdin);
    assert!(child.wait().unwrap().success());
    assert_eq!(std::fs::read_to_string(folder.path("o.fq")).unwrap(), reads("p", 5000));
}

#[test]
fn an_option_without_effect_says_so() {
    let folder = staged();
    for (case, option) in [
        ("filter r1.fq -o /dev/null --seed 3", "--seed"),
        ("filter r1.fq -o /dev/null --cut-mean-quality 3", "--cut-mean-quality"),
        ("filter r1.fq -o plain.fq --write-index", "--write-index"),
        ("stats -r ref.fa a.bam", "--reference"),
        ("stats -r ref.fa r1.fq", "--reference"),
        ("view -T ref.fa a.bam", "reference"),
        ("view -O cram -T ref.fa --no-reference a.bam -o o.cram", "reference"),
        ("grep -p A -s r1.fq --pair any", "--pair"),
        ("grep -p A -s r1.fq -o o.fq.gz --color always", "--color"),
        ("grep -p A -s r1.fq -c --color always", "--color"),
        ("convert ref.fa -o o.fa --quality 20", "--quality"),
        ("convert ref.fa -o o.fa --phred64", "--phred64"),
    ] {
        let args: Vec<&str> = case.split(' ').collect();
        let run = run_in(&folder, &args);
        let told = |run: &common::Run| {
            let says = |what| run.stderr.contains(what);
            says(option) && (says("no effect") || says("not needed"))
        };
        assert!(run.code == 0 && told(&run), "{case}: {run:?}");
        let run = run_in(&folder, &[&args[..], &["--quiet"]].concat());
        assert!(run.code == 0 && !told(&run), "{case}: {run:?}");
    }
    let words = ["convert", "r1.fq", "--rename-regex", "ZZZ", "--rename", "x", "-o", "o.fq"];
    let run = run_in(&folder, &words);
    assert!(run.stderr.contains("--rename-regex ZZZ matches no header line"), "{run:?}");
    let run = run_in(&folder, &words.map(|word| if word == "ZZZ" { "^" } else { word }));
    assert!(run.code == 0 && !run.stderr.contains("matches no"), "{run:?}");
    let run = run_in(
        &folder,
        &["filter", "r1.fq", "-o", "/dev/null", "--seed", "3", "--sample-fraction", "0.5"],
    );
    assert!(!run.stderr.contains("no effect"), "{run:?}");
}
