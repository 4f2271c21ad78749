//! `biofast filter` on alignments gives the same at any number of threads.

use crate::common::filter_alignments::{Inputs, as_strs};
use crate::common::{self, Folder, assert_ok, biofast, command, finish, ok, text};

#[test]
fn threads_chunks_and_kernels_do_not_show() {
    let inputs = Inputs::new(6000, 13);
    let outputs = ["o.bam", "o.bam.bai", "u.sam.gz", "s.json"];
    let run = |threads: &str, chunk: &str, simd: Option<&str>| {
        let folder = Folder::new();
        let [o, _, u, s] = outputs.map(|name| text(&folder.path(name)));
        let args =
            ["filter", "--quiet", "--no-PG", "-F", "DUP", "-q", "1", &inputs.bam, "-@", threads];
        let more = ["--chunk-size", chunk, "-o", &o, "-U", &u, "--summary", &s, "--write-index"];
        let mut command = command(&[&args[..], &more].concat());
        command.envs(simd.map(|simd| ("BIOFAST_SIMD", simd)));
        assert_ok(&finish(command));
        outputs.map(|name| {
            let bytes = std::fs::read(folder.path(name)).unwrap();
            if name != "s.json" {
                return bytes;
            }
            // Command line and folder are others each time.
            let mut report: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
            report["command"].take();
            for file in report["files"].as_array_mut().unwrap() {
                file["path"].take();
            }
            report.to_string().into_bytes()
        })
    };
    let expected = run("1", "3000", Some("scalar"));
    assert!(expected.iter().all(|file| file.len() > 200));
    for (threads, chunk) in [("1", "1000000"), ("2", "2000"), ("3", "60000"), ("8", "5000")] {
        assert!(run(threads, chunk, None) == expected, "{threads} {chunk}");
    }
    for simd in ["avx2", "avx512", "neon"] {
        let probe =
            command(&["filter", "--quiet", "-c", &inputs.bam]).env("BIOFAST_SIMD", simd).output();
        if probe.unwrap().status.success() {
            assert!(run("2", "30000", Some(simd)) == expected, "{simd}");
        }
    }
}

#[test]
fn indexes_made_on_the_way_are_those_of_the_files() {
    let inputs = Inputs::new(5000, 14);
    let out = text(&inputs.folder.path("o.bam"));
    let rest = text(&inputs.folder.path("u.bam"));
    let choices: [&[&str]; 6] = [
        &[],
        &["-F", "4"],
        &["-f", "4"],
        &["-s", "1.02"],
        &["-r", "no such group", "-d", "ZZ"],
        &["--level", "0", "-q", "30"],
    ];
    for choice in choices {
        for (kind, option) in
            [("bai", "--write-index"), ("bai", "--write-index=bai"), ("csi", "--write-index=csi")]
        {
            for chunk in ["2000", "1000000"] {
                let args = ["filter", "--quiet", &inputs.bam, "-o", &out, "-U", &rest, option];
                ok(&[&args[..], choice, &["--chunk-size", chunk, "-@", "3"]].concat());
                for file in [&out, &rest] {
                    let made = std::fs::read(format!("{file}.{kind}")).unwrap();
                    let again = text(&inputs.folder.path("again"));
                    ok(&["index", &format!("--{kind}"), file, "-o", &again]);
                    assert!(made == std::fs::read(&again).unwrap(), "{choice:?} {option} {file}");
                    std::fs::remove_file(format!("{file}.{kind}")).unwrap();
                }
            }
        }
    }
    let sam = text(&inputs.folder.path("o.sam.gz"));
    ok(&["filter", "--quiet", &inputs.bam, "-o", &sam, "--write-index"]);
    let made = std::fs::read(format!("{sam}.gzi")).unwrap();
    ok(&["index", &sam]);
    assert!(made == std::fs::read(format!("{sam}.gzi")).unwrap());
}

#[test]
fn the_sums_of_kept_and_rejected_make_up_the_input() {
    let inputs = Inputs::new(2000, 15);
    let json = text(&inputs.folder.path("s.json"));
    let summary = |args: &[&str]| -> serde_json::Value {
        let args = [&["filter", "--quiet", "--summary", &json, "-o", "/dev/null"], args].concat();
        ok(&args);
        serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap()
    };
    let report = summary(&["-F", "16", "-q", "30", "-s", "1.7", &inputs.bam]);
    let sum = |report: &serde_json::Value, what: &str| {
        let part = &report["records"][what];
        let checksum = u64::from_str_radix(part["checksum"].as_str().unwrap(), 16).unwrap();
        (part["reads"].as_u64().unwrap(), checksum)
    };
    let [input, output, rejected] = ["input", "output", "rejected"].map(|what| sum(&report, what));
    assert_eq!(input.0, 2000);
    assert_eq!(input, (output.0 + rejected.0, output.1.wrapping_add(rejected.1)));
    let reasons = report["rejected"].as_object().unwrap();
    assert_eq!(reasons.values().filter_map(|n| n.as_u64()).sum::<u64>(), rejected.0);
    for reason in ["flags", "mapping_quality_too_low", "not_sampled"] {
        assert!(reasons[reason].as_u64().unwrap() > 0, "{reason}");
    }
    // The same reads have the same sum in any format.
    assert_eq!(sum(&summary(&[&inputs.sam]), "input"), input);
    assert_eq!(report["summary"]["after_filtering"]["total_reads"], output.0);
}

#[test]
fn options_of_the_other_kind_of_input_are_errors() {
    let inputs = Inputs::new(10, 16);
    let fastq = inputs.folder.file("x.fq", "@r\nACGT\n+\nIIII\n");
    let refused = |args: &[&str], needed: &[&str]| {
        let run = biofast(&[&["filter"], args].concat());
        assert_eq!(run.code, 2, "{args:?} {}", run.stderr);
        assert!(needed.iter().all(|text| run.stderr.contains(text)), "{args:?} {}", run.stderr);
    };
    for option in ["--interleaved", "--head=3", "--sample-count=5", "--out2=x.fq"] {
        refused(&[option, "-o", "x.bam", &inputs.bam], &["applies to FASTQ", "a.bam"]);
    }
    for option in ["--min-len=3", "--trim-overlap", "--adapter=ACGT", "--name-regex=x"] {
        refused(&[option, &inputs.bam], &["applies to reads and unaligned BAM", "a.bam"]);
    }
    for option in ["-q1", "-f4", "-emapq", "-h", "-b", "-c", "-rx", "-Lx", "-s1.5", "-M"] {
        refused(&[option, &fastq], &["applies to alignments", "x.fq"]);
    }
    refused(&["-O", "bam", &fastq], &["-O bam"]);
    refused(&["-O", "bgzf", &inputs.bam], &["sam, bam or cram"]);
    refused(&["--write-index=csi", &fastq], &["CSI"]);
    refused(&["--write-index", &inputs.bam], &["-o"]);
    refused(&["-s", "1.0", &inputs.bam], &["more than 0"]);
    refused(&["-d", "XXX", &inputs.bam], &["-d XXX"]);
    refused(&["-d", "XA:x", "-d", "XB", &inputs.bam], &["another tag than XA"]);
    refused(&["-N", "/no/such", &inputs.bam], &["/no/such"]);
    refused(&[&inputs.bam, "chr9"], &["chr9"]);
    refused(&["-e", "mapq >", &inputs.bam], &["mapq >"]);
}

/// The blocks of a BGZF file, as stored.
fn blocks(file: &[u8]) -> Vec<&[u8]> {
    let (mut blocks, mut rest) = (Vec::new(), file);
    while !rest.is_empty() {
        let len = usize::from(u16::from_le_bytes([rest[16], rest[17]])) + 1;
        blocks.push(&rest[..len]);
        rest = &rest[len..];
    }
    blocks
}

#[test]
fn blocks_that_are_kept_whole_are_copied_and_the_records_are_the_same() {
    let inputs = Inputs::new(6000, 77);
    // Blocks as long as ours would be: those of level 1 are not copied.
    let best = text(&inputs.folder.path("best.bam"));
    ok(&["view", "--no-PG", "-b", "--level", "6", &inputs.sam, "-o", &best]);
    std::fs::rename(&best, &inputs.bam).unwrap();
    ok(&["index", &inputs.bam]);
    let input = std::fs::read(&inputs.bam).unwrap();
    let path = |name: &str| text(&inputs.folder.path(name));
    let (copied, again, records) = (path("copied.bam"), path("again.bam"), path("records.sam"));
    let choices: [(&[&str], bool); 5] = [
        (&[], true),
        (&["-e", "qname != \"read3000\""], true),
        (&["-q", "1"], false),
        (&["-L", "FOLDER/a.bed"], false),
        (&["-e", "rname == \"chr1\""], true),
    ];
    let view = |path: &str| {
        ok(&["view", "--no-PG", path, "-o", &records]);
        std::fs::read(&records).unwrap()
    };
    for (choice, copies) in choices {
        let choice = inputs.args(choice);
        let args = [&["filter", "--quiet", "--no-PG", &inputs.bam][..], &as_strs(&choice)].concat();
        ok(&[&args[..], &["--level", "6", "-o", &again]].concat());
        let mut bytes: Vec<u8> = Vec::new();
        for how in [
            ["-@1", "--chunk-size=4000000"],
            ["-@3", "--chunk-size=70000"],
            ["-@2", "--chunk-size=999"],
        ] {
            let out = ["-o", &copied, "--write-index"];
            ok(&[&args[..], &how, &out].concat());
            let found = std::fs::read(&copied).unwrap();
            assert!(bytes.is_empty() || bytes == found, "{choice:?} {how:?}");
            bytes = found;
            let index = std::fs::read(format!("{copied}.bai")).unwrap();
            ok(&["index", &copied, "-o", &path("index.bai")]);
            assert!(index == std::fs::read(path("index.bai")).unwrap(), "{choice:?} {how:?}");
        }
        assert!(view(&copied) == view(&again), "{choice:?}");
        let known: std::collections::HashSet<&[u8]> = blocks(&input).into_iter().collect();
        let of_input = blocks(&bytes)
            .iter()
            .filter(|block| block.len() > 100 && known.contains(**block))
            .count();
        assert_eq!(of_input > 3, copies, "{choice:?}: {of_input} of {}", blocks(&bytes).len());
        let recompressed = std::fs::metadata(&again).unwrap().len();
        assert!(bytes.len() as u64 <= recompressed * 101 / 100 + 200, "{choice:?}");
    }
}

/// Records of templates of all kinds, as lines.
fn templates_of(seed: u64, count: usize) -> Vec<String> {
    let mut random = biofast_testkit::random::Random(seed | 1);
    let mut lines = Vec::new();
    for number in 0..count {
        let records = 1 + random.below(5);
        for _ in 0..records {
            let part = [0x41, 0x81, 0, 0xc1][random.below(4)];
            let kind = [0, 0, 0, 0x100, 0x800][random.below(5)];
            let flags = part | kind | [0, 0x400][random.below(2)];
            lines.push(format!(
                "t{number}\t{flags}\tc\t{}\t{}\t4M\t*\t0\t0\tACGT\tIIII",
                1 + random.below(500),
                random.below(60)
            ));
        }
    }
    lines
}

/// What is kept of whole templates, told in the plainest way.
pub(crate) fn kept_templates(lines: &[String], both: bool, without: u16) -> Vec<String> {
    let fields = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        (fields[0].to_owned(), fields[1].parse::<u16>().unwrap(), fields[4].parse::<u8>().unwrap())
    };
    let keeps = |name: &str| {
        let of: Vec<_> = lines.iter().map(|l| fields(l)).filter(|(n, ..)| n == name).collect();
        let primary: Vec<_> = of.iter().filter(|(_, flags, _)| flags & 0x900 == 0).collect();
        let deciding = if primary.is_empty() { of.iter().collect() } else { primary };
        let wanted =
            |(_, flags, quality): &&(String, u16, u8)| flags & without == 0 && *quality >= 20;
        match both {
            true => deciding.iter().all(wanted),
            false => deciding.iter().any(wanted),
        }
    };
    let kept = lines.iter().filter(|line| {
        let (name, flags, _) = fields(line);
        keeps(&name) && (flags & 0x900 == 0 || flags & without & 0x900 == 0)
    });
    kept.cloned().collect()
}

#[test]
fn whole_templates_are_kept_in_any_order_of_records() {
    let folder = Folder::new();
    let header = |order: &str| format!("@HD\tVN:1.6\t{order}\n@SQ\tSN:c\tLN:1000\n");
    let mut random = biofast_testkit::random::Random(77);
    for (seed, order) in [(3, "GO:query"), (4, "SO:unsorted"), (5, "SO:coordinate")] {
        let mut lines = templates_of(seed, 120);
        match order {
            "SO:coordinate" => {
                lines.sort_by_key(|line| line.split('\t').nth(3).unwrap().parse::<u32>().unwrap())
            }
            "SO:unsorted" => {
                for last in (1..lines.len()).rev() {
                    lines.swap(last, random.below(last + 1));
                }
            }
            _ => {}
        }
        let sam = folder.file("a.sam", header(order) + &lines.join("\n") + "\n");
        for (rule, flags) in [("both", "0"), ("any", "0"), ("both", "0x900"), ("any", "0x500")] {
            let without = u16::from_str_radix(flags.trim_start_matches("0x"), 16).unwrap();
            let expected = kept_templates(&lines, rule == "both", without);
            assert!(!expected.is_empty() && expected.len() < lines.len());
            let options = ["filter", "--quiet", "--pair", rule, "-q", "20", "-F", flags];
            for how in [&["-@", "1"][..], &["-@", "3", "--chunk-size", "3000"]] {
                let rest = text(&folder.path("rest.sam"));
                let run = biofast(&[&options[..], how, &["-U", &rest, &sam]].concat());
                assert_eq!(run.code, 0, "{}", run.stderr);
                assert!(run.stdout.lines().eq(expected.iter()), "{order} {rule} {flags} {how:?}");
                let rest = std::fs::read_to_string(&rest).unwrap();
                assert_eq!(rest.lines().count(), lines.len() - expected.len());
                let run = biofast(&[&options[..], how, &["-c", &sam]].concat());
                assert_eq!(run.stdout.trim(), expected.len().to_string());
            }
        }
    }
    // A pipe is read once.
    let sam = header("SO:coordinate") + &templates_of(5, 3).join("\n") + "\n";
    let run = common::biofast_with(&["filter", "--pair", "both", "-q", "20", "-"], sam.as_bytes());
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains("can be read only once"), "{}", run.stderr);
    let sam = header("GO:query") + &templates_of(5, 3).join("\n") + "\n";
    let run = common::biofast_with(&["filter", "--pair", "any", "-q", "0", "-"], sam.as_bytes());
    assert_eq!(run.code, 0, "{run:?}");
    let path = folder.file("b.sam", sam);
    let run = biofast(&["filter", "--pair", "any", "-f", "SUPPLEMENTARY", &path]);
    assert_eq!(run.code, 2, "{run:?}");
    // Nothing is asked of records.
    let run = biofast(&["filter", "--pair", "both", "-c", &path]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stderr.contains("warning: --pair has no effect"), "{run:?}");
}

#[test]
fn a_sample_of_a_sample_has_its_share_and_is_told() {
    let folder = Folder::new();
    let mut sam = "@HD\tVN:1.6\n@SQ\tSN:c\tLN:100\n".to_owned();
    for number in 0..4000 {
        sam += &format!("r{number}\t0\tc\t1\t60\t4M\t*\t0\t0\tACGT\tIIII\n");
    }
    let sam = folder.file("a.sam", sam);
    let (one, two) = (text(&folder.path("1.bam")), text(&folder.path("2.bam")));
    let count = |path: &str| biofast(&["view", "-c", path]).stdout.trim().parse::<u32>().unwrap();
    let run = biofast(&["filter", "--no-PG", "--subsample", "0.2", &sam, "-o", &one]);
    assert_eq!(run.code, 0, "{run:?}");
    let run = biofast(&["filter", "--no-PG", "--subsample", "0.5", &one, "-o", &two]);
    assert!(run.stderr.contains("the input was already sampled (0.2)"), "{}", run.stderr);
    assert!((700..900).contains(&count(&one)), "{}", count(&one));
    assert!((320..480).contains(&count(&two)), "{}", count(&two));
    let header = biofast(&["view", "-H", "--no-PG", &one]).stdout;
    assert!(header.contains("@CO\tSub-sampled fraction=0.2 seed="), "{header}");
    let run = biofast(&["filter", "-s", "7.2", &sam, "-o", &one]);
    assert!(!run.stderr.contains("already sampled"), "{}", run.stderr);
    let run = biofast(&["filter", "-s", "7.5", &one, "-o", &two]);
    assert!(
        run.stderr.contains("warning: the input was already sampled with seed 7 (0.2)"),
        "{}",
        run.stderr
    );
    assert_eq!(count(&one), count(&two));
    let run = biofast(&["filter", "-s", "auto.5", &one, "-o", &two]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(count(&two) < count(&one) * 3 / 4);
    // Reads of FASTQ are told by their numbers.
    let reads = folder.file("r.fq", common::reads("r", 4000));
    let (one, two) = (text(&folder.path("1.fq")), text(&folder.path("2.fq")));
    ok(&["filter", "--sample-fraction", "0.2", &reads, "-o", &one]);
    ok(&["filter", "--sample-fraction", "0.5", &one, "-o", &two]);
    let count = |path: &str| std::fs::read_to_string(path).unwrap().lines().count() / 4;
    assert!((700..900).contains(&count(&one)) && (320..480).contains(&count(&two)));
}
