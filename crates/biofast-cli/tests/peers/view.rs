//! `biofast view` beside samtools.

use std::process::Stdio;

use biofast_testkit::sam::{self, SamShape};

use crate::common::view::shape;
use crate::common::{self, Folder, biofast, command};
use crate::tools::{Samtools, ThirdParty, corpus, samtools, third_party};

fn ours(args: &[&str]) -> Option<Vec<u8>> {
    let output = command(args).stderr(Stdio::null()).output().unwrap();
    output.status.success().then_some(output.stdout)
}

/// The first line that differs, shortened.
fn difference(ours: &[u8], theirs: &[u8]) -> Option<String> {
    let mut lines = ours.split(|&b| b == b'\n').zip(theirs.split(|&b| b == b'\n'));
    let show = |line: &[u8]| line[..line.len().min(300)].escape_ascii().to_string();
    match lines.find(|(a, b)| a != b) {
        Some((a, b)) => Some(format!("{}\n  {}", show(a), show(b))),
        None if ours.len() != theirs.len() => Some("one ends sooner".into()),
        None => None,
    }
}

#[test]
#[ignore = "needs samtools 1.16 and 1.24 (pysam)"]
fn every_way_to_choose_records_agrees_with_samtools() {
    let folder = Folder::new();
    let path = folder.file("a.sam", sam::text(&shape(5, 3000)));
    let bam = common::text(&folder.path("a.bam"));
    samtools(&["view", "-b", "--no-PG", "-o", &bam, &path]).unwrap();
    samtools(&["index", &bam]).unwrap();
    let references = sam::REFERENCES;
    let region = format!("{}:100-900", references[0].0);
    let whole = references[2].0.to_owned();
    let options: [&[&str]; 11] = [
        &[],
        &["-h"],
        &["-H"],
        &["-f", "PAIRED,READ1"],
        &["-F", "0x904", "-q", "30"],
        &["-G", "3"],
        &["--rf", "DUP,QCFAIL"],
        &["-c"],
        &["-c", "-f", "4"],
        &["-c", "-q", "31", "-F", "SECONDARY"],
        &["-O", "SAM"],
    ];
    for input in [&path, &bam] {
        for options in options {
            for regions in [&[][..], &[region.as_str()], &[whole.as_str()], &["*"]] {
                if input == &path && !regions.is_empty() {
                    continue;
                }
                let mut args = vec!["view", "--no-PG"];
                args.extend_from_slice(options);
                args.push(input);
                args.extend_from_slice(regions);
                let found = ours(&args).unwrap();
                for version in Samtools::BOTH {
                    let theirs = version.printed(&args);
                    assert_eq!(difference(&found, &theirs), None, "{version:?} {args:?}");
                }
            }
        }
    }
    let bed = folder.file("a.bed", format!("{}\t10\t500\n{whole}\t0\t300\n", references[0].0));
    let args = ["view", "--no-PG", "-L", &bed, &bam];
    assert_eq!(difference(&ours(&args).unwrap(), &samtools(&args).unwrap()), None);
}

/// What most people ask for; `biofast-ops` compares many more expressions.
const EXPRESSIONS: [&str; 8] = [
    "mapq >= 30 && !flag.unmap && [NM] < 100",
    "qname =~ \"[13]$\" || sclen > 5",
    "-tlen > 100",
    "avg(qual) > 25 && length(seq) >= 100",
    "rname == \"chr1\" && (endpos - pos < 200)",
    "[NM] / rlen > 0.5",
    "cigar =~ \"^[0-9]+M$\"",
    "library == \"\" && !exists([RG])",
];

#[test]
#[ignore = "needs samtools 1.16 and 1.24 (pysam)"]
fn expressions_choose_what_they_choose_in_samtools() {
    let folder = Folder::new();
    let path = folder.file("a.sam", sam::text(&shape(5, 1500)));
    let bam = common::text(&folder.path("a.bam"));
    samtools(&["view", "-b", "--no-PG", "-o", &bam, &path]).unwrap();
    samtools(&["index", &bam]).unwrap();
    for expression in EXPRESSIONS {
        let asked = ["view", "--no-PG", "-e", expression];
        for more in [
            &[path.as_str()][..],
            &["-c", "-F", "0x900", "-@", "3", "--chunk-size", "3000", &bam],
            &["-h", "-q", "20", &bam, "chr1:100-30000"],
        ] {
            let args = [&asked[..], more].concat();
            // samtools has no such option.
            let without: Vec<&str> =
                args.iter().copied().filter(|a| !["--chunk-size", "3000"].contains(a)).collect();
            let found = ours(&args).unwrap();
            for version in Samtools::BOTH {
                let expected = version.printed(&without);
                assert_eq!(difference(&found, &expected), None, "{version:?} {args:?}");
            }
        }
    }
}

#[test]
#[ignore = "needs samtools"]
fn bam_is_read_back_by_samtools() {
    let folder = Folder::new();
    let shape = SamShape { oddities: true, ..shape(9, 2000) };
    let path = folder.file("a.sam", sam::text(&shape));
    let expected = samtools(&["view", "-h", "--no-PG", &path]).unwrap();
    for (n, extra) in [&["-b"][..], &["-u"], &["-b", "--level", "6"], &[]].iter().enumerate() {
        let out = common::text(&folder.path(&format!("{n}.bam")));
        let args = [&["view", "--no-PG", &path, "-o", &out], *extra].concat();
        assert_eq!(biofast(&args).code, 0);
        assert!(samtools(&["quickcheck", &out]).is_some(), "{extra:?}");
        let back = samtools(&["view", "-h", "--no-PG", &out]).unwrap();
        assert_eq!(difference(&back, &expected), None, "{extra:?}");
    }
}

#[test]
#[ignore = "needs samtools"]
fn numbers_are_printed_as_htslib_prints_them() {
    let mut text = String::from("@SQ\tSN:c\tLN:1000\n");
    let mut state = 1u64;
    for n in 0..4000 {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let bits = (state >> 32) as u32;
        let any = f32::from_bits(bits);
        let any = if any.is_nan() { 1.5 } else { any };
        // Where rounding to six digits and the change of notation are.
        let near = (bits % 2_000_003) as f32 / [1.0, 7.0, 1e3, 1e6, 1e9][n % 5];
        let half = (bits % 20_000_001) as f32 * 0.05;
        text += &format!(
            "r{n}\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\tfa:f:{any:e}\tfb:f:{near}\tfc:f:-{half}\
             \tfd:B:f,{near},{any:e},0,-0\tia:i:{}\tib:B:i,{},{}\n",
            bits as i32, bits as i32, n
        );
    }
    let folder = Folder::new();
    let path = folder.file("a.sam", text);
    let theirs = samtools(&["view", "--no-PG", &path]).unwrap();
    assert_eq!(difference(&ours(&["view", &path]).unwrap(), &theirs), None);
}

/// Third-party files.
mod corpus {
    use super::*;

    /// Files that samtools reads and biofast doesn't, or the other way round, by a part of the path.
    const EXCEPTIONS: [(&str, &str); 9] = [
        ("longrefs/", "a reference longer than BAM can state, through which SAM is read"),
        ("large_pos/", "the same"),
        ("_large.sam", "the same"),
        ("markdup/7_mark_supp_dup", "the same"),
        ("8_isize_overflow_64bit.sam", "the same"),
        ("xx#u.sam", "U is read as T, as samtools does from 1.22 on; those before read it as N"),
        ("passed/seq.warn.sam", "the same"),
        ("mpileup/small.bam", "PNEXT is -129696966, which samtools prints and doesn't read again"),
        (
            "mpileup/1read.sam",
            "an @SQ line without a field, which samtools prints and doesn't read again",
        ),
    ];

    /// Text of the corpus' files of some kinds that both read; what is wrong with the others.
    #[test]
    #[ignore = "needs samtools and the corpus"]
    fn the_corpus_is_printed_as_samtools_prints_it() {
        let root = corpus("conformance");
        let files: Vec<_> = third_party().into_iter().filter(ThirdParty::is_readable).collect();
        let rows: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        let half = rows.len() / 2;
        let check = |rows: &[&str]| {
            let (mut same, mut refused, mut excepted) = (0, 0, 0);
            let mut wrong = Vec::new();
            for name in rows {
                let path = common::text(&root.join(name));
                if EXCEPTIONS.iter().any(|(part, _)| name.contains(part)) {
                    excepted += 1;
                    continue;
                }
                let theirs = samtools(&["view", "-h", "--no-PG", &path]);
                let ours =
                    ours(&["view", "-h", "--no-PG", "--allow-missing-eof", "-@", "1", &path]);
                match (ours, theirs) {
                    (Some(ours), Some(theirs)) => match difference(&ours, &theirs) {
                        None => same += 1,
                        Some(difference) => wrong.push(format!("{name}: {difference}")),
                    },
                    // Bases of CRAM whose reference isn't at hand.
                    (None, None) => {}
                    // A header line samtools finds malformed; a record is never passed over.
                    (Some(_), None) => refused += 1,
                    (None, Some(_)) => wrong.push(format!("{name}: refused")),
                }
            }
            assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
            (same, refused, excepted)
        };
        let (one, two) = std::thread::scope(|scope| {
            let other = scope.spawn(|| check(&rows[half..]));
            (check(&rows[..half]), other.join().unwrap())
        });
        let (same, refused) = (one.0 + two.0, one.1 + two.1);
        eprintln!("{same} equal, {refused} refused by samtools, {} exceptions", one.2 + two.2);
        assert!(same >= 500, "{same} compared");
        assert!(refused <= 24, "{refused} refused");
    }

    #[test]
    #[ignore = "needs samtools and the corpus"]
    fn real_alignments_are_printed_as_samtools_prints_them() {
        let path = common::text(&corpus("real/nf-cmgg_exome_10samples.bam"));
        let theirs = samtools(&["view", "-h", "--no-PG", &path]).unwrap();
        let ours = ours(&["view", "-h", "--no-PG", &path]).unwrap();
        assert_eq!(difference(&ours, &theirs), None);
    }

    #[test]
    #[ignore = "needs samtools 1.16 and 1.24 (pysam) and the corpus"]
    fn expressions_choose_the_same_of_real_alignments() {
        let real = common::text(&corpus("real/ecoli_k12_minimap2.bam"));
        for expression in
            ["[de] < 0.1 && [NM] > 100 && sclen < 50", "seq =~ \"GAATTC\" && mapq == 60"]
        {
            let args = ["view", "-c", "-e", expression, &real];
            let count = ours(&args).unwrap();
            for version in Samtools::BOTH {
                assert_eq!(count, version.printed(&args), "{version:?} {expression}");
            }
            assert!(count.len() > 3, "{expression}");
        }
    }
}

#[test]
#[ignore = "needs samtools 1.16 and 1.24 (pysam)"]
fn records_selected_by_content_are_those_of_samtools() {
    let folder = Folder::new();
    let path = folder.file("in.sam", crate::common::cat::grouped(&folder));
    let all = samtools(&["view", &path]).unwrap();
    let first = |line: &'_ [u8]| line.split(|&b| b == b'\t').next().unwrap_or_default().to_vec();
    let names: Vec<Vec<u8>> = all.split(|&b| b == b'\n').step_by(5).map(first).collect();
    let names = folder.file("names.txt", names.join(&b"\n"[..]));
    let groups = folder.file("groups.txt", "known\n");
    let values = format!("RG:{groups}");
    for words in [
        &["-r", "known"][..],
        &["-R", &groups],
        &["-N", &names],
        &["-d", "RG"],
        &["-d", "RG:other", "-s", "3.4"],
        &["-D", &values, "-F", "16"],
        &["-c", "-r", "other", "-s", "5.6"],
    ] {
        let words = [&["view", "-h", "--no-PG"], words, &[&path]].concat();
        let words = if words.contains(&"-c") { [&["view"], &words[3..]].concat() } else { words };
        let found = ours(&words).unwrap();
        for version in Samtools::BOTH {
            let theirs = version.printed(&words);
            assert!(theirs == version.part_of(&found), "{version:?} {words:?}");
            assert!(theirs.len() < all.len());
        }
    }
}
