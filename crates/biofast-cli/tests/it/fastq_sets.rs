//! `biofast fastq --10x` restores the files that a pipeline was given.
#![cfg(unix)]

use crate::common::fastq::{cells, reads_below};
use crate::common::{Folder, fails, fails_in, files_below, good, listed, ok, text};

#[test]
fn reads_are_restored_as_they_were_on_any_number_of_threads() {
    for paired in [false, true] {
        let folder = Folder::new();
        let made = cells(3, 2000, paired);
        folder.file("a.sam", &made.sam);
        good(&folder, &["view", "-b", "a.sam", "-o", "a.bam"]);
        good(&folder, &["fastq", "--10x", "one", "a.bam", "-@", "1", "--summary", "s.json"]);
        assert!(reads_below(&folder, "one") == made.files, "{paired}");
        good(&folder, &["fastq", "--10x", "four", "a.bam", "-@", "4"]);
        assert!(files_below(&folder.path("one")) == files_below(&folder.path("four")));
        let summary = std::fs::read_to_string(folder.path("s.json")).unwrap();
        let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
        let summary = &summary["summary"];
        assert_eq!(summary["reads"], 2000 * (1 + u32::from(paired)));
        assert_eq!((&summary["sets"], &summary["files"]), (&2000.into(), &6.into()));
        // Waiting reads go to temporary files, and sets to the next files after some.
        let few = ["--memory", "16K", "--reads-per-fastq", "300"];
        good(&folder, &[&["fastq", "--10x", "few", "a.bam"], &few[..]].concat());
        let few = reads_below(&folder, "few");
        assert!(few.values().all(|reads| reads.len() <= 300) && few.len() > 18);
        let mut joined = std::collections::BTreeMap::<String, Vec<String>>::new();
        for (path, reads) in few {
            let (path, _) = path.rsplit_once('_').unwrap();
            joined.entry(format!("{path}_001.fastq.gz")).or_default().extend(reads);
        }
        joined.values_mut().for_each(|reads| reads.sort());
        assert!(joined == made.files, "{paired}");
    }
}

#[test]
fn what_is_missing_is_an_error_or_left_out() {
    let header = "@CO\t10x_bam_to_fastq:R1(CR:CY,UR:UY)\n@CO\t10x_bam_to_fastq:R2(SEQ:QUAL)\n";
    let good_one = "a\t4\t*\t0\t0\t*\t*\t0\t0\tAC\tII\tCR:Z:GG\tCY:Z:FF\tUR:A:T\tUY:A:H\n";
    let cases = [
        ("CR:Z:GG\tUR:Z:T\tUY:Z:H", "no text in the tag CY"),
        ("CR:Z:GG\tCY:Z:FFF", "2 bases but 3 qualities in the tag CR"),
        ("CR:Z:GG\tCY:Z:FF\tUR:Z:T", "no text in the tag UY"),
        ("CR:Z:G G\tCY:Z:FFF", "no text in the tag CR"),
    ];
    for (tags, why) in cases {
        let folder = Folder::new();
        let bad = format!("b\t4\t*\t0\t0\t*\t*\t0\t0\tAC\tII\t{tags}\n");
        folder.file("a.sam", format!("{header}{good_one}{bad}"));
        let words = ["fastq", "--10x", "out", "a.sam"];
        fails_in(
            &folder,
            &words,
            &["a.sam: record 2: can't write record 'b'", why, "--skip-incomplete"],
        );
        assert_eq!(listed(&folder), ["a.sam"]);
        let run = good(&folder, &[&words[..], &["--skip-incomplete"]].concat());
        assert!(run.stderr.contains("1 record left out"), "{}", run.stderr);
        // Without read groups it is the GEM group of the barcode, which this one lacks.
        let reads = reads_below(&folder, "out");
        let r1 = &reads["gemgroup000/bamtofastq_S1_L000_R1_001.fastq.gz"];
        assert_eq!(r1[..], ["@a 1:N:0:0\nGGT\n+\nFFH\n"]);
        // What is there would be read along.
        fails_in(&folder, &words, &["the folder out isn't empty"]);
        fails_in(&folder, &["fastq", "--10x", "a.sam", "a.sam"], &["can't read the folder a.sam"]);
        for words in [["fastq", "--10x", "", "a.sam"], ["stats", "--out-dir", "", "a.sam"]] {
            fails_in(&folder, &words, &["the name of a file or folder is empty"]);
        }
        assert_eq!(listed(&folder), ["a.sam", "out"]);
    }
}

#[test]
fn layouts_are_of_the_header_or_named() {
    let folder = Folder::new();
    let record = |flags: u16, bases: &str| {
        let tags = "RX:Z:CC\tQX:Z:AA\tBC:Z:G\tQT:Z:F\tBX:Z:CC-7";
        let qualities = "I".repeat(bases.len());
        format!("a\t{flags}\t*\t0\t0\t*\t*\t0\t0\t{bases}\t{qualities}\t{tags}\n")
    };
    let sam = folder.file("a.sam", record(77, "ACG") + &record(141, "TT"));
    let out = |name: &str| text(&folder.path(name));
    fails(
        &["fastq", "--10x", &out("o"), &sam],
        &["doesn't say what reads are made of", "--layout"],
    );
    for (layout, why) in [
        ("R1(CR)", "'R1(CR)' isn't a read"),
        ("R3(CR:CY)", "'R3(CR:CY)' isn't a read"),
        ("R1(CR:CY)", "nothing says what R2 is made of"),
        ("seqnames:R1,../R2,I1,I2", "doesn't name four reads"),
    ] {
        fails(&["fastq", "--10x", &out("o"), &sam, "--layout", layout], &[why]);
    }
    ok(&["fastq", "--10x", &out("named"), &sam, "--layout", "lr20"]);
    let file = |name: &str| format!("gemgroup007/bamtofastq_S1_L000_{name}_001.fastq.gz");
    let expected = [
        (file("I1"), "@a 2:N:0:0\nG\n+\nF\n"),
        (file("R1"), "@a 1:N:0:0\nCCNNNNNNNACG\n+\nAAJJJJJJJIII\n"),
        (file("R2"), "@a 3:N:0:0\nTT\n+\nII\n"),
    ];
    let expected = expected.map(|(path, read)| (path, vec![read.to_owned()])).into();
    assert_eq!(reads_below(&folder, "named"), expected);
    let words = "--layout R1(RX:QX,SEQ:QUAL) --layout R2(SEQ:QUAL) --layout seqnames:R1,R3,I1,R2";
    let words: Vec<&str> = words.split(' ').collect();
    ok(&[&["fastq", "--10x", &out("given"), &sam], &words[..]].concat());
    let names: Vec<String> = reads_below(&folder, "given").into_keys().collect();
    assert_eq!(names, [file("R1"), file("R3")]);
    // A mate is missing.
    let single = folder.file("b.sam", record(77, "ACG"));
    let line = ["fastq", "--10x", &out("x"), &single, "--layout", "lr20"];
    fails(&line, &["b.sam: the mate of read 'a' is missing", "--skip-incomplete"]);
}
