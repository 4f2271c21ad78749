//! `biofast view` prints and writes what `samtools view` does, at any number of threads.
#![allow(clippy::unwrap_used)]

use crate::common;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use biofast_testkit::sam::{self, Shape};
use common::{Folder, biofast, biofast_with, command, installed};

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

fn samtools(args: &[&str]) -> Option<Vec<u8>> {
    let mut command = Command::new("samtools");
    // Nothing is fetched from anywhere.
    command.env("REF_PATH", "/nonexistent").env("REF_CACHE", "/nonexistent");
    let output = command.args(args).stderr(Stdio::null()).output().unwrap();
    output.status.success().then_some(output.stdout)
}

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

fn shared(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(name)
}

/// Text of the corpus' files of some kinds that both read; what is wrong with the others.
#[test]
fn the_corpus_is_printed_as_samtools_prints_it() {
    let root = shared("conformance");
    let Ok(manifest) = std::fs::read_to_string(root.join("MANIFEST.tsv")) else {
        eprintln!("skipped: {} is absent", root.display());
        return;
    };
    if !installed("samtools") {
        return;
    }
    let rows: Vec<&str> = manifest
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>())
        .filter(|row| ["sam", "bam", "cram"].contains(&row[1]) && row[2] != "invalid")
        .map(|row| row[0])
        .collect();
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
            let ours = ours(&["view", "-h", "--no-PG", "--allow-missing-eof", "-@", "1", &path]);
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
fn real_alignments_are_printed_as_samtools_prints_them() {
    if !installed("samtools") {
        return;
    }
    for name in ["real/nf-cmgg_exome_10samples.bam"] {
        let path = shared(name);
        if !path.exists() {
            eprintln!("skipped: {} is absent", path.display());
            continue;
        }
        let path = common::text(&path);
        let theirs = samtools(&["view", "-h", "--no-PG", &path]).unwrap();
        let ours = ours(&["view", "-h", "--no-PG", &path]).unwrap();
        assert_eq!(difference(&ours, &theirs), None, "{name}");
    }
}

fn shape(seed: u64, records: usize) -> Shape {
    Shape { records, sorted: true, longest: 150, oddities: false, seed }
}

#[test]
fn every_way_to_choose_records_agrees_with_samtools() {
    if !installed("samtools") {
        return;
    }
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
                let theirs = samtools(&args).unwrap();
                let found = ours(&args).unwrap();
                assert_eq!(difference(&found, &theirs), None, "{args:?}");
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
fn expressions_choose_what_they_choose_in_samtools() {
    if !installed("samtools") {
        return;
    }
    let folder = Folder::new();
    let path = folder.file("a.sam", sam::text(&shape(5, 1500)));
    let bam = common::text(&folder.path("a.bam"));
    samtools(&["view", "-b", "--no-PG", "-o", &bam, &path]).unwrap();
    samtools(&["index", &bam]).unwrap();
    let real = common::text(&shared("real/ecoli_k12_minimap2.bam"));
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
            let expected = samtools(&without).unwrap();
            assert_eq!(difference(&ours(&args).unwrap(), &expected), None, "{args:?}");
        }
    }
    if !Path::new(&real).exists() {
        eprintln!("skipped: {real} is absent");
        return;
    }
    for expression in ["[de] < 0.1 && [NM] > 100 && sclen < 50", "seq =~ \"GAATTC\" && mapq == 60"]
    {
        let args = ["view", "-c", "-e", expression, &real];
        let count = ours(&args).unwrap();
        assert_eq!(count, samtools(&args).unwrap(), "{expression}");
        assert!(count.len() > 3, "{expression}");
    }
}

#[test]
fn what_an_expression_has_no_answer_for_is_an_error_after_the_records_before() {
    let folder = Folder::new();
    let text = "@SQ\tSN:c\tLN:9\nr1\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\tXX:i:3\n\
                r2\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\tXX:Z:a\nr3\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\tXX:B:c,1\n";
    let path = folder.file("a.sam", text);
    for extra in [&[][..], &["-c"], &["-c", "-@", "3", "--chunk-size", "50"]] {
        let run = biofast(&[&["view", "-e", "[XX] + 1 > 3", &path], extra].concat());
        assert_eq!(run.code, 2, "{}", run.stderr);
        let reason = "a.sam: record 2: whether the record 'r2' is wanted can't be decided: byte 5 of the \
                      expression: expected a number for `+`, found text";
        assert!(run.stderr.contains(reason), "{}", run.stderr);
        assert_eq!(run.stdout.starts_with("r1\t"), extra.is_empty());
    }
    // A mistake is told before anything is read or written.
    let out = common::text(&folder.path("out.bam"));
    let run = biofast(&["view", "-e", "mapq > ", "-o", &out, "/nonexistent.bam"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("at byte 7: expected a value, found the end"), "{}", run.stderr);
    assert!(!Path::new(&out).exists());
}

#[test]
fn bam_is_read_back_by_samtools() {
    if !installed("samtools") {
        return;
    }
    let folder = Folder::new();
    let shape = Shape { oddities: true, ..shape(9, 2000) };
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
fn numbers_are_printed_as_htslib_prints_them() {
    if !installed("samtools") {
        return;
    }
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

#[test]
fn threads_chunks_and_kernels_do_not_show() {
    let folder = Folder::new();
    let shape = Shape { oddities: true, ..shape(3, 1500) };
    let path = folder.file("a.sam", sam::text(&shape));
    let run = |extra: &[&str], simd: &str, bam: bool| {
        let out = folder.path("out");
        let out_text = common::text(&out);
        let mut command = command(&["view", "-h", "--no-PG", &path, "-o", &out_text]);
        command.args(extra).env("BIOFAST_SIMD", simd);
        if bam {
            command.arg("-b");
        }
        assert_eq!(common::finish(command).code, 0, "{extra:?} {simd}");
        std::fs::read(out).unwrap()
    };
    for bam in [false, true] {
        let expected = run(&["-@", "1"], "scalar", bam);
        assert!(expected.len() > 50_000);
        for threads in ["2", "3", "4"] {
            for chunk in ["1000", "30000", "4000000"] {
                let found = run(&["-@", threads, "--chunk-size", chunk], "scalar", bam);
                assert!(found == expected, "{threads} threads, chunks of {chunk}, BAM: {bam}");
            }
        }
        for simd in ["avx2", "avx512", "neon"] {
            let probe = command(&["view", "-H", &path]).env("BIOFAST_SIMD", simd).output().unwrap();
            if probe.status.success() {
                assert!(run(&["-@", "2"], simd, bam) == expected, "{simd}, BAM: {bam}");
            }
        }
    }
}

#[test]
fn an_own_program_line_goes_on_from_the_others() {
    let text = "@SQ\tSN:c\tLN:9\n@PG\tID:a\n@PG\tID:biofast\tPP:a\n";
    let run = biofast_with(&["view", "-H", "-"], text.as_bytes());
    let version = env!("CARGO_PKG_VERSION");
    let line =
        format!("@PG\tID:biofast.1\tPN:biofast\tPP:biofast\tVN:{version}\tCL:biofast view -H -\n");
    assert_eq!(run.stdout, format!("{text}{line}"));
    assert_eq!(biofast_with(&["view", "-H", "--no-PG", "-"], text.as_bytes()).stdout, text);
}

#[test]
fn a_reader_that_has_enough_is_no_error() {
    let folder = Folder::new();
    let path = folder.file("a.sam", sam::text(&shape(3, 20_000)));
    let mut child = command(&["view", &path]).stdout(Stdio::piped()).spawn().unwrap();
    let mut start = [0; 100];
    child.stdout.take().unwrap().read_exact(&mut start).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn what_goes_wrong_leaves_no_file() {
    let folder = Folder::new();
    let path = folder.file("a.sam", sam::text(&shape(3, 2000)));
    let bam = common::text(&folder.path("a.bam"));
    assert_eq!(biofast(&["view", "-b", &path, "-o", &bam]).code, 0);
    let whole = std::fs::read(&bam).unwrap();
    let before = std::fs::read_dir(folder.path("")).unwrap().count();
    for len in [whole.len() - 28, whole.len() - 40, whole.len() / 2, 300, 10] {
        let cut = folder.file("a.bam", &whole[..len]);
        for extra in [&["-b"][..], &[]] {
            let out = common::text(&folder.path("out.bam"));
            let run = biofast(&[&["view", &cut, "-o", &out], extra].concat());
            assert_eq!(run.code, 2, "{len}: {}", run.stderr);
            assert!(run.stderr.contains("a.bam"), "{}", run.stderr);
            assert_eq!(std::fs::read_dir(folder.path("")).unwrap().count(), before);
        }
    }
    if Path::new("/dev/full").exists() {
        let run = biofast(&["view", "-h", &path, "-o", "/dev/full"]);
        assert_eq!(run.code, 2);
        assert!(run.stderr.contains("/dev/full"), "{}", run.stderr);
    }
}

#[test]
fn a_record_that_is_no_text_is_named() {
    let mut data = biofast_testkit::bam::header(&[("c", 100)]);
    let mut record = biofast_testkit::bam::record(&biofast_testkit::bam::Record {
        references: [-1, -1],
        mapq: 0,
        flags: 4,
        name: "odd".into(),
        len: 4,
    });
    let last = record.len() - 1;
    record[last] = 94;
    data.extend(record);
    let bam = biofast_testkit::container::bgzf(&data, 1000);
    let run = biofast_with(&["view", "-"], &bam);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("'odd'") && run.stderr.contains("above 93"), "{}", run.stderr);
    assert_eq!(biofast_with(&["view", "-c", "-"], &bam).stdout, "1\n");
}
