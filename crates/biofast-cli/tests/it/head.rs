//! `biofast head`, `samples` and `quickcheck`: what the start and the end of alignments say.

use crate::common::cat::parts;
use crate::common::{
    self, Folder, assert_error, biofast, biofast_with, data, fails, fails_in, good, ok, ok_with,
    run_in, text,
};

#[test]
fn head_prints_the_start_that_view_prints() {
    let folder = Folder::new();
    let path = parts(&folder, 1).remove(0);
    let cram = data("stage.cram");
    for (file, reference) in [(&path, &[][..]), (&cram, &["-T", "genome.fa"])] {
        let folder = common::stage::stage();
        let run =
            |words: &[&str]| good(&folder, &[words, reference, &[file.as_str()]].concat()).stdout;
        let whole = run(&["view", "-h", "--no-PG"]);
        let lines: Vec<&str> = whole.split_inclusive('\n').collect();
        let headers = lines.iter().take_while(|line| line.starts_with('@')).count();
        let records = lines.len() - headers;
        for (h, n) in [(None, 0), (None, 7), (Some(0), 3), (Some(2), 1), (Some(999), records + 9)] {
            let shown = h.unwrap_or(headers).min(headers);
            let expected = lines[..shown].iter().chain(lines[headers..].iter().take(n));
            let h = h.map(|h| h.to_string());
            let mut words = vec!["head", "-n"];
            let n = n.to_string();
            words.push(&n);
            words.extend(h.iter().flat_map(|h| ["-h", h]));
            assert_eq!(run(&words), expected.copied().collect::<String>(), "{words:?}");
        }
    }
    let bytes = std::fs::read(&path).unwrap();
    let out = text(&folder.path("o.sam"));
    ok_with(&["head", "-n", "2", "-o", &out], &bytes);
    assert_eq!(biofast(&["head", "-n", "2", &path]).stdout, std::fs::read_to_string(&out).unwrap());
    // Records before damage are printed, those behind it aren't looked at.
    let sam = "@SQ\tSN:c\tLN:9\nr1\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\nr2\tx\n";
    let sam = folder.file("x.sam", sam);
    ok(&["head", "-h", "0", "-n", "1", &sam]);
    let run = fails(&["head", "-n", "2", &sam], &["x.sam: record 2, line 3: invalid SAM"]);
    assert!(run.stdout.ends_with("\nr1\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n"), "{run:?}");
    let fq = folder.file("r.fq", "@r\nA\n+\nI\n");
    fails(&["head", &fq], &["r.fq", "expected BAM, SAM or CRAM"]);
    assert_error(&biofast_with(&["head"], b""), &["no input"]);
}

#[test]
fn samples_are_listed_with_index_and_reference() {
    let folder = Folder::new();
    let header = "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c\tLN:9\n@SQ\tSN:d\tLN:4\n";
    let groups = "@RG\tID:1\tSM:s2\tLB:l\n@RG\tID:2\tSM:s1\n@RG\tID:3\tSM:s2\n@RG\tID:4\n";
    folder.file("a.sam", format!("{header}{groups}"));
    folder.file("none.sam", header);
    folder.file("ref.fa", ">c\nACGTACGTA\n>d\nACGT\n");
    folder.file("other.fa", ">d\nACGT\n>c\nACGTACGTA\n");
    folder.file("list.txt", "ref.fa\nother.fa\n");
    good(&folder, &["view", "-b", "a.sam", "-o", "a.bam"]);
    good(&folder, &["index", "a.bam"]);
    let found = |words: &[&str]| good(&folder, &[&["samples"], words].concat()).stdout;
    let rows = "s2\ta.sam\ns1\ta.sam\n";
    assert_eq!(found(&["a.sam", "none.sam"]), format!("{rows}.\tnone.sam\n"));
    assert_eq!(found(&["-T", "LB", "a.sam"]), "l\ta.sam\n");
    let expected = "#SM\tPATH\tINDEX\tREFERENCE\ns2\ta.bam\tY\tref.fa\ns1\ta.bam\tY\tref.fa\n";
    assert_eq!(found(&["-h", "-i", "-F", "list.txt", "a.bam"]), expected);
    assert_eq!(found(&["-i", "-f", "other.fa", "none.sam"]), ".\tnone.sam\tN\t.\n");
    let mut command = common::command(&["samples", "-X", "-"]);
    command
        .current_dir(folder.path(""))
        .stdin(std::fs::File::open(folder.file("l", "a.sam\n")).unwrap());
    assert_eq!(common::finish(command).stdout, rows);
    let run = fails_in(
        &folder,
        &["samples", "a.sam", "ref.fa"],
        &["ref.fa", "expected BAM, SAM or CRAM"],
    );
    assert_eq!(run.stdout, "");
    fails_in(&folder, &["samples", "-T", "SMX", "a.sam"], &["a tag of two characters"]);
}

#[test]
fn quickcheck_sees_starts_and_ends() {
    let folder = Folder::new();
    let path = parts(&folder, 1).remove(0);
    let bam = std::fs::read(&path).unwrap();
    let cram = std::fs::read(data("stage.cram")).unwrap();
    let sam = biofast(&["view", "-h", &path]).stdout;
    let bgzf = biofast_io::bgzf::compress(sam.as_bytes());
    let end = "the end-of-file marker is missing";
    let unaligned = "@HD\tVN:1.6\nr\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n";
    for (name, content, fault) in [
        ("good.bam", &bam[..], ""),
        ("good.cram", &cram, ""),
        ("good.sam", sam.as_bytes(), ""),
        ("good.sam.gz", &bgzf, ""),
        ("cut.bam", &bam[..bam.len() - 28], end),
        ("half.bam", &bam[..bam.len() / 2], end),
        ("cut.cram", &cram[..cram.len() - 39], end),
        ("cut.sam.gz", &bgzf[..bgzf.len() - 28], end),
        ("start.bam", &bam[..40], "truncated"),
        ("text", b"hello\n", "expected BAM, SAM or CRAM"),
        ("empty", b"", "the file is empty"),
        ("r.fq", b"@r\nA\n+\nI\n", "expected BAM, SAM or CRAM"),
        ("none.sam", unaligned.as_bytes(), "the header has no reference sequences"),
    ] {
        folder.file(name, content);
        let run = run_in(&folder, &["quickcheck", "-v", name]);
        let (code, printed) =
            if fault.is_empty() { (0, String::new()) } else { (1, format!("{name}\n")) };
        assert_eq!((run.code, &run.stdout), (code, &printed), "{run:?}");
        assert!(run.stderr.contains(fault) && run.stderr.is_empty() == fault.is_empty(), "{run:?}");
    }
    good(&folder, &["quickcheck", "-u", "none.sam"]);
    let run = run_in(&folder, &["quickcheck", "-q", "-v", "cut.bam", "absent.bam", "good.bam"]);
    assert_eq!((run.code, &*run.stdout, &*run.stderr), (2, "cut.bam\nabsent.bam\n", ""));

    fails_in(&folder, &["quickcheck", "absent.bam", "cut.bam"], &["absent.bam: No such file"]);
    // The end of a pipe isn't waited for.
    ok_with(&["quickcheck"], &bam[..bam.len() - 28]);
}
