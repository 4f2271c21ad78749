//! `biofast faidx` and `biofast dict`.

use biofast_testkit::random::Random;

use crate::common::{
    self, Folder, assert_error, biofast_with, fails_in, good, listed, ok_with, reversed,
};

/// Sequences of several lengths in lines of several lengths, with both line ends.
fn sequences(random: &mut Random) -> (String, Vec<(String, String)>) {
    let (mut text, mut all) = (String::new(), Vec::new());
    for number in 0..9 {
        let width = [1, 7, 60, 1 << 20][random.below(4)];
        let len = 1 + random.below([5, 300, 200_000][number % 3]);
        let bases: String = (0..len).map(|_| char::from(b"ACGTacgt"[random.below(8)])).collect();
        let end = ["\n", "\r\n"][random.below(2)];
        text += &format!(">s{number} some text{end}");
        for line in bases.as_bytes().chunks(width) {
            text += std::str::from_utf8(line).unwrap();
            text += end;
        }
        text += ["", "\n"][random.below(2)];
        all.push((format!("s{number}"), bases));
    }
    (text, all)
}

#[test]
fn an_index_leads_to_every_base_and_regions_are_what_they_say() {
    let mut random = Random(62);
    for case in 0..common::cases(8) {
        let folder = Folder::new();
        let (text, all) = sequences(&mut random);
        folder.file("x.fa", &text);
        folder.file("y.fa.gz", biofast_io::bgzf::compress(text.as_bytes()));
        assert_eq!(good(&folder, &["faidx", "x.fa"]).stderr, "");
        let fai = std::fs::read_to_string(folder.path("x.fa.fai")).unwrap();
        for (line, (name, bases)) in fai.lines().zip(&all) {
            let fields: Vec<&str> = line.split('\t').collect();
            let numbers: Vec<usize> = fields[1..].iter().map(|n| n.parse().unwrap()).collect();
            let [len, offset, bases_a_line, bytes_a_line] = numbers[..] else { panic!("{line}") };
            assert_eq!((fields[0], len), (&name[..], bases.len()));
            let place = |at: usize| offset + at / bases_a_line * bytes_a_line + at % bases_a_line;
            assert!(bases.bytes().enumerate().all(|(at, b)| text.as_bytes()[place(at)] == b));
        }
        assert_eq!(fai.lines().count(), all.len());
        let (name, bases) = &all[random.below(all.len())];
        let start = random.below(bases.len());
        let end = start + 1 + random.below(bases.len() - start);
        let region = format!("{name}:{}-{end}", start + 1);
        let part = &bases[start..end];
        let expected =
            format!(">{region}\n{part}\n>{name}/rc\n{}\n", reversed(&bases.to_ascii_uppercase()));
        // With and without an index, which is made then; of bgzip, too.
        for file in ["x.fa", "y.fa.gz", "y.fa.gz"] {
            let width = ["-n", "1000000"];
            let out = good(&folder, &[&["faidx", file, &region][..], &width].concat()).stdout;
            let other = good(&folder, &[&["faidx", "-i", file, name][..], &width].concat()).stdout;
            assert!((out + &other).eq_ignore_ascii_case(&expected), "case {case}, {file} {region}");
        }
        assert!(std::fs::read_to_string(folder.path("y.fa.gz.fai")).unwrap() == fai);
        assert!(folder.path("y.fa.gz.gzi").exists());
        // A dictionary of the same sequences in other lines is the same.
        let joined: String =
            all.iter().map(|(name, bases)| format!(">{name}\n{bases}\n")).collect();
        let plain = ok_with(&["dict", "-@", "1", "-"], joined.as_bytes());
        let other = good(&folder, &["dict", "-@", "4", "-u", "here", "y.fa.gz"]).stdout;
        assert_eq!(other.replace("\tUR:here", ""), plain.stdout);
    }
}

#[test]
fn reads_keep_their_qualities() {
    let folder = Folder::new();
    folder.file("r.fq", "@q1 x\nACGT\nAC\n+\n@III\nI+\n\n@q2\nGGN\n+q2\n+@@");
    good(&folder, &["faidx", "r.fq"]);
    let fai = std::fs::read_to_string(folder.path("r.fq.fai")).unwrap();
    assert_eq!(fai, "q1\t6\t6\t4\t5\t16\nq2\t3\t29\t3\t4\t37\n");
    let found = good(&folder, &["faidx", "-f", "r.fq", "q1", "q2:2"]).stdout;
    assert_eq!(found, "@q1\nACGT\nAC\n+\n@III\nI+\n@q2:2\nGN\n+\n@@\n");
    let turned = good(&folder, &["faidx", "-f", "-i", "--mark-strand", "no", "r.fq", "q1"]).stdout;
    assert_eq!(turned, "@q1\nGTAC\nGT\n+\n+III\nI@\n");
    assert_eq!(good(&folder, &["faidx", "r.fq", "q2"]).stdout, ">q2\nGGN\n");
}

#[test]
fn what_cannot_be_indexed_or_found_is_an_error_that_says_where() {
    let folder = Folder::new();
    for (text, expected) in [
        ("", "line 1: can't be indexed: no sequence in it"),
        ("ACGT\n", "line 1: can't be indexed: expected '>' (FASTA) or '@' (FASTQ)"),
        ("BAM\x01\0", "line 1: can't be indexed: expected FASTA or FASTQ, found BAM"),
        (">a\nAC\nACG\n", "line 3: can't be indexed: sequence of 'a': a line is longer"),
        (">a\nACG\nA\nA\n", "line 4: can't be indexed: sequence of 'a': a line follows one"),
        (">a\nACG\n\nACG\n", "line 4: can't be indexed: expected '>'"),
        (">a\nA C\n", "line 2: can't be indexed: sequence of 'a': found 'C' in column 3"),
        (">a\nA\n>b\n", "line 4: can't be indexed: the file ends before the sequence of 'b'"),
        (">a\nA\n>b\nC\n>a\nG\n", "line 5: can't be indexed: two sequences are named 'a'"),
        (">\nA\n", "line 1: can't be indexed: a sequence has no name"),
        ("@a\nAC\n", "line 3: can't be indexed: the file ends inside the record 'a'"),
        ("@a\nAC\n+\nI\n", "line 4: can't be indexed: qualities of 'a': expected 2, found 1"),
        ("@a\nAC\n+\nIII\n", "line 4: can't be indexed: qualities of 'a': a line is longer"),
        ("@a\nAC\n+\nII\n>b\nA\n", "line 5: can't be indexed: expected '@'"),
    ] {
        folder.file("x", text);
        fails_in(&folder, &["faidx", "x"], &["x: ", expected]);
    }
    let text = format!(">a\n{}\n>b\nACGTA\n>c\n>d:1-2\nGG\n", "ACGT".repeat(20_000));
    let bgzf = biofast_io::bgzf::compress(text.as_bytes());
    folder.file("cut.gz", &bgzf[..bgzf.len() / 2]);
    folder.file("g.fa", &text);
    folder.file("stale.fa", &text);
    folder.file("stale.fa.fai", "b\t5\t3\t5\t6\n");
    folder.file("bad.fa", &text);
    folder.file("bad.fa.fai", "b\t5\n");
    folder.file("none.txt", "\n");
    let before = listed(&folder).len();
    for (words, expected) in [
        ("faidx cut.gz", &["cut.gz", "truncated"][..]),
        ("faidx absent.fa", &["absent.fa", "No such file"]),
        ("faidx stale.fa b", &["stale.fa.fai, line 1, sequence 'b'", "`biofast faidx`"]),
        ("faidx bad.fa b", &["bad.fa.fai: line 1", "expected a name and four numbers"]),
        ("faidx g.fa a:1-5 z -o o.fa", &["g.fa: region 'z': no reference is named 'z'"]),
        ("faidx g.fa b:0-3", &["positions are counted from 1"]),
        ("faidx g.fa -r none.txt", &["none.txt: no region in it"]),
        ("faidx -f g.fa b", &["expected FASTQ, found FASTA"]),
        ("faidx -i g.fa", &["--reverse-complement needs a region"]),
        ("faidx g.fa b --gzi-idx x.gzi", &["--gzi-idx has no effect"]),
        ("faidx - b", &["regions need a regular file, not standard input"]),
        ("faidx -", &["name the index with --out"]),
        ("dict none.txt", &["none.txt"]),
        ("dict cut.gz -o o.dict", &["cut.gz", "truncated"]),
    ] {
        fails_in(&folder, &words.split(' ').collect::<Vec<_>>(), expected);
    }
    assert_eq!(listed(&folder).len(), before, "{:?}", listed(&folder));
    assert_error(&biofast_with(&["dict"], b">a\nA\n>a\nC\n"), &["two sequences are named 'a'"]);
    assert_error(&biofast_with(&["dict"], b""), &["standard input is empty"]);
    let run = good(&folder, &["faidx", "-c", "g.fa", "z", "b:4-9", "b:9", "d:1-2", "{d:1-2}:2"]);
    assert_eq!(run.stdout, ">z\n>b:4-9\nTA\n>b:9\n>d:1-2\nGG\n>{d:1-2}:2\nG\n");
    for expected in ["line 5: sequence 'c' has no bases", "'z'", "'b:4-9'", "'b:9'"] {
        assert!(run.stderr.contains(expected), "{expected}: {run:?}");
    }
    ok_with(&["faidx", "-", "-o", folder.path("p.fai").to_str().unwrap()], b">a\nA");
    assert_eq!(std::fs::read(folder.path("p.fai")).unwrap(), b"a\t1\t3\t1\t2\n");
}
