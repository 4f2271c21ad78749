//! `biofast convert`: the same reads in every format, edited as seqkit edits them.

use biofast_testkit::container::{KINDS, wrap};
use biofast_testkit::random::Random;

use crate::common::convert::ours;
use crate::common::fasta::genes;
use crate::common::{
    self, Folder, assert_error, biofast, biofast_with, fails, finish, listed, ok, reads, refused,
    text,
};

/// Names, descriptions, bases and qualities.
type Read = (String, String, String, String);

fn parsed(fastq: &str) -> Vec<Read> {
    let lines: Vec<&str> = fastq.lines().collect();
    let records = lines.chunks(4).map(|record| {
        let (name, description) = record[0][1..].split_once(' ').unwrap_or((&record[0][1..], ""));
        (name.into(), description.into(), record[1].into(), record[3].into())
    });
    records.collect()
}

fn fastq(reads: &[Read]) -> String {
    let one = |(name, description, bases, quals): &Read| {
        let space = if description.is_empty() { "" } else { " " };
        format!("@{name}{space}{description}\n{bases}\n+\n{quals}\n")
    };
    reads.iter().map(one).collect()
}

/// Reads of many lengths, some of no bases.
fn many() -> String {
    let mut text = reads("r", 300);
    text.insert_str(0, "@empty and first\n\n+\n\n");
    text + "@last\nNNRYKMSWBDHVacgt.\n+\n!!!!~~~~IIIIIIII5\n"
}

#[test]
fn every_format_and_container_holds_the_same_reads_on_any_threads() {
    let folder = Folder::new();
    let text_of = many();
    let reads = parsed(&text_of);
    let table: String = reads
        .iter()
        .map(|(n, d, b, q)| format!("{n}{}{d}\t{b}\t{q}\n", if d.is_empty() { "" } else { " " }))
        .collect();
    let fasta: String = reads
        .iter()
        .map(|(n, d, b, _)| format!(">{n}{}{d}\n{b}\n", if d.is_empty() { "" } else { " " }))
        .collect();
    for (i, kind) in KINDS.into_iter().enumerate() {
        let input = folder.file(&format!("{i}.in"), wrap(kind, text_of.as_bytes()));
        let as_table = folder.file(&format!("{i}.tsv.in"), wrap(kind, table.as_bytes()));
        for threads in ["1", "2", "5"] {
            let with = ["-@", threads, "--chunk-size", "3000"];
            let run = |args: &[&str]| ours(&[&with, args].concat());
            assert_eq!(run(&[&input]), text_of, "{i} {threads}");
            assert_eq!(run(&[&input, "--to", "table"]), table, "{i} {threads}");
            assert_eq!(run(&[&input, "--to", "fasta"]), fasta, "{i} {threads}");
            assert_eq!(run(&[&as_table]), text_of, "{i} {threads}");
            assert_eq!(run(&[&as_table, "--to", "fa"]), fasta, "{i} {threads}");
        }
    }
    // Without qualities a table is FASTA, and wrapped lines are joined.
    let genes = genes(60, 13);
    let wrapped = folder.file("genes.fa", &genes);
    let run = ours(&[&wrapped, "--to", "table"]);
    assert!(run.lines().all(|line| line.split('\t').count() == 3), "{run}");
    let back = biofast_with(&["convert", "-q", "--to", "fasta", "-w", "13", "-"], run.as_bytes());
    assert_eq!(back.stdout, genes.replace("\n\n", "\n"), "{}", back.stderr);
}

#[test]
fn outputs_have_the_same_bytes_on_any_threads_in_any_format() {
    let folder = Folder::new();
    let input = folder.file("x.fq", reads("r", 30_000));
    for name in ["o.fq.bz2", "o.fq.gz", "o.tsv.zst", "o.fa.gz", "o.bam"] {
        let mut first: Option<Vec<u8>> = None;
        for threads in ["1", "2", "4"] {
            let out = text(&folder.path(name));
            // The header's line of the command differs in its threads.
            ours(&[&input, "-@", threads, "-o", &out]);
            let bytes = std::fs::read(&out).unwrap();
            assert!(first.as_ref().is_none_or(|first| *first == bytes), "{name} {threads}");
            first = Some(bytes);
        }
        let back = ours(&[&text(&folder.path(name)), "--to", "table"]);
        assert_eq!(back.lines().count(), 30_000, "{name}");
    }
}

#[test]
fn which_reads_are_written_is_as_a_slice_has_it_of_files_and_streams_of_reads_and_pairs() {
    let folder = Folder::new();
    let text_of = reads("r", 40);
    let all = parsed(&text_of);
    let path = folder.file("x.fq", &text_of);
    let two = folder.file("y.fq", &text_of);
    let mut random = Random(11);
    for case in 0..24 {
        let (a, b) = (1 + random.below(60), 1 + random.below(60));
        let (low, high) = (a.min(b), a.max(b));
        let n = all.len();
        let (args, range) = match case % 5 {
            0 => (format!("--head={a}"), 0..a.min(n)),
            1 => (format!("--tail={a}"), n.saturating_sub(a)..n),
            2 => (format!("--range={low}:{high}"), low.min(n + 1) - 1..high.min(n)),
            3 => {
                let (from, to) = (n.saturating_sub(high), (n + 1).saturating_sub(low));
                (format!("--range=-{high}:-{low}"), from..to.max(from))
            }
            _ => {
                let to = (n + 1).saturating_sub(b);
                (format!("--range={a}:-{b}"), (a - 1).min(to)..to)
            }
        };
        let expected = fastq(&all[range.clone()]);
        assert_eq!(ours(&[&path, &args]), expected, "{args}");
        let run = biofast_with(&["convert", "-q", &args, "-"], text_of.as_bytes());
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (0, expected.as_str()),
            "{args}: {}",
            run.stderr
        );
        let (o1, o2) = (text(&folder.path("o1.fq")), text(&folder.path("o2.fq")));
        ours(&[&path, &two, &args, "-o", &o1, "--out2", &o2]);
        for out in [o1, o2] {
            assert_eq!(std::fs::read_to_string(out).unwrap(), expected, "{args}");
        }
        let doubled: Vec<Read> = all.iter().flat_map(|read| [read.clone(), read.clone()]).collect();
        let pairs = folder.file("pairs.fq", fastq(&doubled));
        let expected = fastq(&doubled[2 * range.start..2 * range.end]);
        assert_eq!(ours(&[&pairs, "--interleaved", &args]), expected, "{args}");
    }
}

#[test]
fn names_follow_a_template_and_the_map_has_both() {
    let folder = Folder::new();
    let one = folder.file("1.fq", "@a/1 first\nACGT\n+\nIIII\n@b/1\nGG\n+\n##\n");
    let two = folder.file("2.fq", "@a/2 second\nTTTT\n+\nIIII\n@b/2\nCC\n+\n##\n");
    let at = |name: &str| text(&folder.path(name));
    let template = "s_{number:3}/{mate} {name} {description}";
    ours(&[
        &one,
        &two,
        "--rename",
        template,
        "-o",
        &at("o1.fq"),
        "--out2",
        &at("o2.fq"),
        "--name-map",
        &at("names.tsv"),
    ]);
    let read = |name: &str| std::fs::read_to_string(folder.path(name)).unwrap();
    assert_eq!(read("o1.fq"), "@s_001/1 a/1 first\nACGT\n+\nIIII\n@s_002/1 b/1\nGG\n+\n##\n");
    assert_eq!(read("o2.fq"), "@s_001/2 a/2 second\nTTTT\n+\nIIII\n@s_002/2 b/2\nCC\n+\n##\n");
    assert_eq!(read("names.tsv"), "a/1\ts_001/1\na/2\ts_001/2\nb/1\ts_002/1\nb/2\ts_002/2\n");
    // A name in a table stands for both mates, and what is added for both of them.
    folder.file("table.tsv", "a\tnew\nb/2\tonly\nnone\tx\n");
    let table = at("table.tsv");
    let added = ["--name-prefix", "p.", "--name-suffix", "_s"];
    fails(
        &[&["convert", &one, &two, "--rename-table", &table][..], &added].concat(),
        &["the mates would be renamed to 'p.b_s/1' and 'p.only_s'", "2"],
    );
    let run = biofast(&[&["convert", &one, "--rename-table", &table][..], &added].concat());
    assert_eq!(run.stdout, "@p.new_s/1 first\nACGT\n+\nIIII\n@p.b_s/1\nGG\n+\n##\n");
    assert!(run.stderr.contains("2 of 3 listed names not found in the input, such as 'b/2'"));
    let pattern = ["--rename-regex", "^(.)(/.)", "--rename", "{number:2}{1}{1}{2}"];
    let run = biofast(&[&["convert", &one, &two][..], &pattern].concat());
    let names: Vec<&str> = run.stdout.lines().step_by(4).collect();
    assert_eq!(names, ["@01aa/1 first", "@01aa/2 second", "@02bb/1", "@02bb/2"], "{run:?}");
    for (pattern, template, needed) in [
        ("^./", "{number}_{mate}_", "the mates would be renamed to '1_1_1' and '1_2_2'"),
        (".*", "", "would have no name"),
        ("(a)", "{2}", "has {2}, but the pattern has groups 1 to 1"),
        ("a", "{1}", "unknown placeholder '{1}'"),
        ("(", "x", "--rename-regex"),
    ] {
        let words = ["convert", &one, &two, "--rename-regex", pattern, "--rename", template];
        fails(&words, &[needed]);
    }
    folder.file("twice.tsv", "a\tx\na\ty\n");
    fails(
        &["convert", &one, "--rename-table", &at("twice.tsv")],
        &["twice.tsv", "line 2", "'a' is renamed by an earlier line"],
    );
    // Patterns are of bytes.
    let bytes = folder.file("bytes.fq", b"@r\xff1\nA\n+\nI\n");
    assert_eq!(ours(&[&bytes, "--rename-regex", r"^r.\d$", "--rename", "x"]), "@x\nA\n+\nI\n");
    let kept = at("kept.fq");
    ok(&["filter", "--quiet", "--name-regex", r"^r.\d$", &bytes, "-o", &kept]);
    assert!(std::fs::read(&kept).unwrap() == std::fs::read(&bytes).unwrap());
    folder.file("none.tsv", "# old\tnew\n");
    fails(
        &["convert", &one, "--rename-table", &at("none.tsv")],
        &["none.tsv", "the table has no names"],
    );
    // Numbers are those of what is written of a range.
    assert_eq!(ours(&[&one, "--range", "2:2", "--rename", "{n}"]), "@1\nGG\n+\n##\n");
    for (wrong, needed) in [
        ("x", "gives every read the same name"),
        ("{n", "no '}'"),
        ("{what}", "unknown"),
        (" {n}", "is not a header line"),
        ("{n}\n{n}", "is not a header line"),
    ] {
        fails(&["convert", &one, "--rename", wrong], &[needed]);
    }
}

#[test]
fn names_of_the_archives_come_and_go_and_mates_stay_mates() {
    let folder = Folder::new();
    let at = |name: &str| text(&folder.path(name)).to_owned();
    let mates = |mate: usize| {
        let read = |n: usize| {
            let bases = "A".repeat(n + mate);
            format!("@x:{n}/{mate} {mate}:N:0:ACGT\n{bases}\n+\n{bases}\n")
        };
        (1..4).map(read).collect::<String>()
    };
    let [one, two] = [1, 2].map(|mate| folder.file(&format!("{mate}.fq"), mates(mate)));
    let lines = |file: &str| -> Vec<String> {
        let text = std::fs::read_to_string(file).unwrap();
        text.lines().step_by(4).map(str::to_owned).collect()
    };
    let [n1, n2] = [at("n1.fq"), at("n2.fq")];
    ok(&[
        "convert", &one, &two, "--sra-names", "SRR9", "--subseq", "1:3", "-o", &n1, "--out2", &n2,
    ]);
    let expected = ["@SRR9.1 x:1 length=2", "@SRR9.2 x:2 length=3", "@SRR9.3 x:3 length=3"];
    assert_eq!(lines(&n1), expected);
    assert_eq!(lines(&n2)[0], "@SRR9.1 x:1 length=3");
    ok(&["check", "--paired", &n1, &n2]);
    let [o1, o2] = [at("o1.fq"), at("o2.fq")];
    ok(&["convert", &n1, &n2, "--original-names", "-o", &o1, "--out2", &o2]);
    assert_eq!(lines(&o1), ["@x:1", "@x:2", "@x:3"]);
    assert_eq!(lines(&o2), lines(&o1));
    // Read numbers in the name, and no name but the number.
    let template = "SRR9.{number}.{mate} {number} length={length}";
    ok(&["convert", &one, &two, "--rename", template, "-o", &n1, "--out2", &n2]);
    assert_eq!(lines(&n2)[1], "@SRR9.2.2 2 length=4");
    ok(&["check", "--paired", &n1, &n2]);
    fails(
        &["convert", &n1, "--original-names"],
        &["n1.fq: record 1", "no original name", "SRR9.1.1 1 length=2"],
    );
    fails(&["convert", &one, "--original-names"], &["expected a header line like", "x:1/1"]);
    let parted = folder.file("p.fq", "@SRR9.1 y\nA\n+\nI\n");
    let other = folder.file("q.fq", "@SRR9.1 z\nA\n+\nI\n");
    fails(&["convert", &parted, &other, "--original-names"], &["the mates would be renamed"]);
}

#[test]
fn qualities_are_given_to_fasta_and_shifted_from_phred_64() {
    let folder = Folder::new();
    let fa = folder.file("x.fa", ">a\nACGT\nAC\n>b\n\n");
    assert_eq!(
        ours(&[&fa, "--to", "fastq", "--quality", "30"]),
        "@a\nACGTAC\n+\n??????\n@b\n\n+\n\n"
    );
    let old = folder.file("old.fq", "@a\nACG\n+\n@h~\n");
    assert_eq!(ours(&[&old, "--phred64"]), "@a\nACG\n+\n!I_\n");
    assert_eq!(ours(&[&old, "--phred64", "--cap-quality", "41"]), "@a\nACG\n+\n!IJ\n");
    assert_eq!(ours(&[&old, "--phred64", "--bin-quality", "0:2,41:30"]), "@a\nACG\n+\n##?\n");
    let new = folder.file("new.fq", "@ok\nA\n+\nh\n@a\nACG\n+\nI5h\n");
    fails(&["convert", &new, "--phred64"], &["new.fq", "Phred+64", "'5'", "2"]);
    fails(
        &["convert", &fa, "-o", &text(&folder.path("x.fq"))],
        &["FASTQ needs qualities", "--quality 30"],
    );
    let table = b"a\tAC\n";
    assert_error(
        &biofast_with(&["convert", "-", "--to", "fastq"], table),
        &["qualities", "has none"],
    );
}

#[test]
fn what_goes_in_comes_out_by_checksum() {
    let folder = Folder::new();
    let at = |name: &str| text(&folder.path(name));
    let input = folder.file("x.fq", many());
    for (out, more) in [("o.fq.gz", &[][..]), ("o.fa", &[]), ("o.fq.bz2", &["--head", "20"])] {
        let json = at("x.json");
        ours(&[&[input.as_str(), "-o", &at(out), "--summary", &json], more].concat());
        ok(&["check", "-q", "--against", &json]);
        let summary: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
        let sums = summary["files"].as_array().unwrap();
        assert_eq!(sums.len(), 2, "{summary}");
        // Without qualities it is another one.
        let is_same = sums[0]["checksum"] == sums[1]["checksum"];
        assert_eq!(is_same, out != "o.fa", "{summary}");
    }
}

#[test]
fn what_is_wrong_is_said_with_its_place_and_leaves_no_output() {
    let folder = Folder::new();
    let at = |name: &str| text(&folder.path(name));
    let fq = folder.file("x.fq", reads("r", 30));
    folder.file("cut.fq", &reads("r", 30)[..1500]);
    folder.file("bad.tsv", "a\tAC\tII\nb\tAC\tII\nc\n");
    folder.file("none.tsv", "a\tAC\tII\nb\tAC\t\n");
    folder.file("longer.tsv", "a\tAC\tII\nb\tAC\tIII\n");
    let bam = at("x.bam");
    ours(&[&fq, "-o", &bam]);
    let before = listed(&folder).len();
    for (line, needed) in [
        ("convert cut.fq -o o.fa", "cut.fq … truncated"),
        ("convert bad.tsv -o o.fq", "bad.tsv … line 3 … expected header, sequence and qualities"),
        ("convert none.tsv -o o.fq", "none.tsv … line 2 … expected qualities"),
        ("convert longer.tsv -o o.fq", "longer.tsv … b"),
        ("convert x.bam -o o.bam", "positions and tags … biofast view"),
        ("convert x.bam x.bam", "is named twice"),
        ("convert x.bam cut.fq", "different formats"),
        ("convert x.fq --out2 o2.fq", "--out2 needs pairs"),
        ("convert x.fq --to table -o o.bam", "would hold a table"),
        ("convert x.fq --to fastq -o o.fa", "its extension is .fa"),
        ("convert x.fq --to bam -o o.fq", "would hold BAM"),
        ("convert x.fq -o o.bam -O zstd", "always BGZF"),
        ("convert x.fq -o o.fq.xz", "reads xz but can't write it"),
        (
            "convert x.fq -o o.fq.zst --level balanced",
            "zstd has no compression level balanced: expected 0 to 19",
        ),
        ("convert x.fq --rg-line ID:a", "--rg-line needs BAM output"),
        ("convert x.fq --from fasta", "x.fq … --from"),
        ("convert x.fq -o x.fq", "x.fq"),
    ] {
        refused(&folder, line, needed);
    }
    assert_eq!(listed(&folder).len(), before, "{:?}", listed(&folder));
    for (range, needed) in
        [("5:2", "ends before it starts"), ("0:2", "not a range"), ("7", "not a range")]
    {
        fails(&["convert", &fq, "--range", range], &[needed]);
    }
}

#[test]
#[cfg(unix)]
fn a_closed_pipe_is_no_error() {
    let folder = Folder::new();
    let input = folder.file("x.fq", reads("r", 30_000));
    let mut command = common::command(&["convert", &input, "--to", "table"]);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let bam = text(&folder.path("x.bam"));
    ours(&[&input, "-o", &bam]);
    let head = finish(common::command(&["convert", "-q", &bam, "--head", "1"]));
    assert_eq!((head.code, head.stdout.lines().count()), (0, 4), "{head:?}");
}

#[test]
fn the_other_strand_has_the_letters_of_the_whole_input() {
    let folder = Folder::new();
    folder.file("rna.fa", ">a\nACGU\n>b\nAAGG\n>c\nCCAAN\n");
    folder.file("late.fa", ">b\nAAGG\n>a\nACGU\n");
    folder.file("dna.fa", ">b\nAAGG\n>a\nACGT\n");
    folder.file("mixed.fa", ">a\nACGT\n>b\nACGU\n");
    let run = |name: &str, more: &[&str]| {
        common::run_in(&folder, &[&["convert", "--reverse-complement", name], more].concat())
    };
    assert_eq!(run("rna.fa", &[]).stdout, ">a\nACGU\n>b\nCCUU\n>c\nNUUGG\n");
    assert_eq!(run("late.fa", &[]).stdout, ">b\nCCUU\n>a\nACGU\n");
    assert_eq!(run("dna.fa", &[]).stdout, ">b\nCCTT\n>a\nACGT\n");
    let mixed = run("mixed.fa", &[]);
    common::assert_error(
        &mixed,
        &["mixed.fa: record 2: it has U, but the input was detected as DNA"],
    );
    common::assert_error(&mixed, &["hint: set the alphabet with --alphabet"]);
    assert_eq!(run("mixed.fa", &["--alphabet", "dna"]).stdout, ">a\nACGT\n>b\nACGT\n");
    assert_eq!(run("mixed.fa", &["--alphabet", "rna"]).stdout, ">a\nACGU\n>b\nACGU\n");
    assert_eq!(run("mixed.fa", &["--rna2dna"]).stdout, ">a\nACGT\n>b\nACGT\n");
    assert_eq!(run("mixed.fa", &["--dna2rna"]).stdout, ">a\nACGU\n>b\nACGU\n");
    for threads in ["1", "4"] {
        let piped = common::biofast_with(
            &["convert", "-t", threads, "--reverse-complement", "-"],
            b"@b\nAAGG\n+\nIIII\n@a\nACGU\n+\nABCD\n",
        );
        assert_eq!(piped.stdout, "@b\nCCUU\n+\nIIII\n@a\nACGU\n+\nDCBA\n", "{piped:?}");
    }
    let table = common::biofast_with(
        &["convert", "--from", "table", "--to", "fasta", "--reverse-complement", "-"],
        b"b\tAAGG\na\tACGU\n",
    );
    assert_eq!(table.stdout, ">b\nCCUU\n>a\nACGU\n", "{table:?}");
}
