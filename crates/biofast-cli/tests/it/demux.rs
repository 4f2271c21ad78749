//! `biofast demux`: every read in one sample's files or in those of no sample, as fqtk has it.

use std::process::Command;

use biofast_testkit::container::{bgzf, gzip};
use biofast_testkit::random::Random;
use biofast_testkit::reference::reverse_complement;

use crate::common::demux::{SAMPLES, contents, demux, run, sheet, written};
use crate::common::{
    self, Folder, assert_error, biofast, command, fails, finish, listed, ok, refused, text,
};

/// What becomes of reads, written in the plainest way: sample and name of each.
fn expected(files: &[String; 4], samples: &[(&str, &str)]) -> Vec<(String, String)> {
    let lines: Vec<Vec<&str>> = files.iter().map(|file| file.lines().collect()).collect();
    let mut all = Vec::new();
    for at in (0..lines[0].len()).step_by(4) {
        let barcode = format!("{}{}", lines[1][at + 1], lines[2][at + 1]);
        let differ =
            |expected: &str| expected.bytes().zip(barcode.bytes()).filter(|(a, b)| a != b).count();
        let mut found: Vec<(usize, &str)> =
            samples.iter().map(|(id, expected)| (differ(expected), *id)).collect();
        found.sort();
        let clear = found[0].0 <= 1 && found[1].0 - found[0].0 >= 2;
        let sample = if clear { found[0].1 } else { "unmatched" };
        let name = lines[0][at].split(' ').next().unwrap();
        all.push((sample.to_owned(), format!("{name} 1:N:0:")));
    }
    all
}

#[test]
fn every_read_is_where_a_plain_comparison_puts_it_on_any_threads_and_containers() {
    let folder = Folder::new();
    let texts = run(8, 4_000, &SAMPLES);
    let plain = written(&folder, ["r1.fq", "i1.fq", "i2.fq", "r2.fq"], &texts);
    let packed = written(&folder, ["r1.fq.gz", "i1.fq.gz", "i2.fq.gz", "r2.fq.gz"], &texts);
    std::fs::write(folder.path("i1.fq.gz"), gzip(texts[1].as_bytes())).unwrap();
    let samples = folder.file("samples.csv", sheet(&SAMPLES).replace('\t', ","));
    let expected = expected(&texts, &SAMPLES);
    let mut first: Option<Vec<Vec<u8>>> = None;
    for (threads, files) in [("1", &plain), ("2", &packed), ("5", &packed)] {
        let out = folder.path(&format!("o{threads}"));
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let args = [
            &["-@", threads, "--chunk-size", "3000", "-i"],
            &files[..],
            &["-r", "+T", "8B", "8B", "+T", "-s", &samples],
        ];
        demux(&[&args.concat()[..], &["-o", &text(&out)]].concat());
        let bytes: Vec<Vec<u8>> = contents(&out, ".fq.gz")
            .iter()
            .map(|(name, _)| std::fs::read(out.join(name)).unwrap())
            .collect();
        assert!(first.as_ref().is_none_or(|first| *first == bytes), "{threads}");
        first = Some(bytes);
        for (name, content) in contents(&out, "R1.fq.gz") {
            let sample = name.split('.').next().unwrap();
            let names: Vec<&str> = content.lines().step_by(4).collect();
            let of_sample = expected.iter().filter(|(found, _)| found == sample);
            let wanted: Vec<&str> = of_sample.map(|(_, name)| name.as_str()).collect();
            assert_eq!(names.len(), wanted.len(), "{sample}");
            assert!(
                names.iter().zip(&wanted).all(|(name, wanted)| name.starts_with(wanted)),
                "{sample}"
            );
        }
    }
}

#[test]
fn umis_barcodes_and_names_of_files_are_as_asked_for() {
    let folder = Folder::new();
    let reads = folder
        .file("r.fq", "@a 1:N:0:ACGT+TTAA\nGGTTCCAA\n+\nABCDEFGH\n@b/1\nGGTTCCAA\n+\nABCDEFGH\n");
    let header = folder.file("h.csv", "Sample,barcode1,barcode2\nx,ACGT,TTAA\ny,CCCC,GGGG\n");
    let inline = folder.file("i.csv", "Sample,barcode\nx,GGT\ny,AAA\n");
    let of = |name: &str, args: &[&str]| -> Vec<(String, String)> {
        let out = folder.path(name);
        demux(&[&["-i", &reads, "-o", &text(&out)], args].concat());
        contents(&out, ".fq")
    };
    let one = |all: &[(String, String)], name: &str| {
        all.iter().find(|(n, _)| n == name).unwrap().1.clone()
    };
    let all =
        of("a", &["--header-barcodes", "-s", &header, "--name-template", "{sample}_{number}.fq"]);
    assert_eq!(one(&all, "x_1.fq"), "@a 1:N:0:ACGT+TTAA\nGGTTCCAA\n+\nABCDEFGH\n");
    assert_eq!(one(&all, "unmatched_1.fq"), "@b/1\nGGTTCCAA\n+\nABCDEFGH\n");
    let all = of("b", &["-r", "3B2M1S+T", "-s", &inline, "--name-template", "{type}-{sample}.fq"]);
    assert_eq!(
        one(&all, "R-x.fq"),
        "@a:TC 1:N:0:ACGT+TTAA+GGT\nAA\n+\nGH\n@b:TC/1 1:N:0:GGT\nAA\n+\nGH\n"
    );
    let tags = [
        "--umi-in", "comment", "--barcode-in", "tag", "--name-template",
        "{sample}{type}{number}.fq",
    ];
    let all = of("c", &[&["-r", "3B2M1S1M+T", "-s", &inline, "-b", "T", "M"], &tags[..]].concat());
    assert_eq!(one(&all, "xR1.fq").lines().next(), Some("@a RX:Z:TC-A\tBC:Z:GGT"));
    assert_eq!(
        one(&all, "xU2.fq"),
        "@a RX:Z:TC-A\tBC:Z:GGT\nA\n+\nG\n@b/1 RX:Z:TC-A\tBC:Z:GGT\nA\n+\nG\n"
    );
    let all = of(
        "d",
        &[
            "-r", "3B+T", "-s", &inline, "--barcode-in", "none", "--name", "{sample}.fq", "-u",
            "rest",
        ],
    );
    assert_eq!(one(&all, "x.fq").lines().next(), Some("@a 1:N:0:ACGT+TTAA"));
    assert_eq!(one(&all, "rest.fq"), "");
}

#[test]
fn illuminas_sheet_has_structures_and_the_other_strand_is_told() {
    let folder = Folder::new();
    // No part of theirs is the same on both strands.
    let samples = [SAMPLES[1], SAMPLES[3], ("s6", "GGTTAACCTCATTCAG")];
    let texts = run(3, 600, &samples);
    let [r1, i1, i2, r2] = written(&folder, ["r1.fq", "i1.fq", "i2.fq", "r2.fq"], &texts);
    let sheet = |turned: bool| {
        let turn = |bases: &str| -> String {
            let complement = |base: char| char::from(b"TGCA"["ACGT".find(base).unwrap()]);
            bases.chars().rev().map(complement).collect()
        };
        let rows = samples.iter().map(|(id, barcode)| {
            let (one, two) = barcode.split_at(8);
            let two = if turned { turn(two) } else { two.to_owned() };
            format!("1,{id},{one},{two}\n")
        });
        format!(
            "[Header],,\nFileFormatVersion,2,,\n[BCLConvert_Settings]\nOverrideCycles,U4Y*;I8;I8;Y*\n\
             [BCLConvert_Data]\nLane,Sample_ID,index,index2\n{}2,other,AAAAAAAA,AAAAAAAA\n",
            rows.collect::<String>()
        )
    };
    let good = folder.file("good.csv", sheet(false));
    let turned = folder.file("turned.csv", sheet(true));
    let inputs = ["-i", &r1, &i1, &i2, &r2, "--lane", "1"];
    let (a, b) = (folder.path("a"), folder.path("b"));
    demux(&[&inputs[..], &["-s", &good, "-o", &text(&a)]].concat());
    let first = contents(&a, "s2.R1.fq.gz")[0].1.clone();
    assert!(first.lines().next().unwrap().starts_with("@M1:7:FC:1:1101:"), "{first}");
    let run = ok(&[&["demux"], &inputs[..], &["-s", &turned, "-o", &text(&b)]].concat());
    assert!(
        run.stderr.contains("unmatched") && run.stderr.contains("use --revcomp-index2"),
        "{run:?}"
    );
    demux(&[&inputs[..], &["-s", &turned, "-o", &text(&b), "--revcomp-index2"]].concat());
    assert!(contents(&a, ".fq.gz") == contents(&b, ".fq.gz"));
}

#[test]
fn the_summary_adds_up_and_check_compares_it() {
    let folder = Folder::new();
    let texts = run(4, 500, &SAMPLES);
    let [r1, i1, i2, r2] = written(&folder, ["r1.fq.gz", "i1.fq", "i2.fq", "r2.fq"], &texts);
    let samples = folder.file("samples.tsv", sheet(&SAMPLES));
    let (json, out) = (text(&folder.path("s.json")), text(&folder.path("o")));
    let args = [
        "-i", &r1, &i1, &i2, &r2, "-r", "+T", "8B", "8B", "+T", "-s", &samples, "-o", &out,
        "--json", &json,
    ];
    ok(&[&["demux"], &args[..]].concat());
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    let summary = &report["summary"];
    let number = |value: &serde_json::Value| value.as_u64().unwrap();
    assert_eq!(number(&summary["templates"]), 500);
    assert_eq!(
        number(&summary["templates_matched"]) + number(&summary["templates_unmatched"]),
        500
    );
    assert_eq!(summary["samples"][4]["sample"], "s5");
    let unknown = summary["unmatched_barcodes"].as_array().unwrap();
    assert!(
        unknown.len() == 20 && unknown[0]["templates"].as_u64() >= unknown[1]["templates"].as_u64()
    );
    let files = report["files"].as_array().unwrap();
    assert_eq!(files.len(), 4 + 12);
    let of_mate = |mate: usize| {
        files[4..].iter().skip(mate).step_by(2).map(|file| number(&file["reads"])).sum::<u64>()
    };
    assert_eq!([of_mate(0), of_mate(1)], [500, 500]);
    ok(&["check", "--against", &json]);
    // Whole reads to samples: by checksum, too, all that came in goes out.
    let headers = folder.file("h.csv", "sample,barcode\na,GGGGGGGG\nb,NNNNNNNN\n");
    let args = [
        "-i", &r1, "--header-barcodes", "-s", &headers, "-o", &out, "--json", &json, "-d", "0",
        "-q",
    ];
    fails(
        &[&["demux"], &args[..]].concat(),
        &["h.csv", "a (GGGGGGGG) and b (NNNNNNNN) differ in 0 bases"],
    );
    let headers = folder.file("h.csv", "sample,barcode\na,GGGGGGGG\n");
    let args =
        ["-i", &r1, "--header-barcodes", "-s", &headers, "-o", &out, "--summary", &json, "-q"];
    ok(&[&["demux"], &args[..]].concat());
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    let sum = |at: usize| {
        u64::from_str_radix(report["files"][at]["checksum"].as_str().unwrap(), 16).unwrap()
    };
    assert_eq!(sum(0), sum(1).wrapping_add(sum(2)));
}

#[test]
fn hopped_indexes_and_unknown_barcodes_are_counted() {
    let folder = Folder::new();
    let texts = run(11, 3_000, &SAMPLES);
    let [r1, i1, i2, r2] = written(&folder, ["r1.fq.gz", "i1.fq", "i2.fq", "r2.fq"], &texts);
    let samples = folder.file("samples.tsv", sheet(&SAMPLES));
    let at = |name: &str| text(&folder.path(name)).to_owned();
    let [hopping, unknown, json, out] = ["h.tsv", "u.tsv", "s.json", "o"].map(at);
    let args = [
        "demux", "-i", &r1, &i1, &i2, &r2, "-r", "+T", "8B", "8B", "+T", "-s", &samples, "-o",
        &out, "--summary", &json, "--index-hopping", &hopping, "--unknown-barcodes", &unknown,
    ];
    let mut found = Vec::new();
    for threads in ["1", "4"] {
        ok(&[&args[..], &["-@", threads]].concat());
        found.push([&hopping, &unknown].map(|name| std::fs::read_to_string(name).unwrap()));
    }
    assert!(found[0] == found[1]);
    let [hopping, unknown] = &found[0];
    // The only index with the fewest mismatches, of at most one.
    let near = |indexes: &[&str], read: &str| -> Option<usize> {
        let differ = |index: &&str| index.bytes().zip(read.bytes()).filter(|(a, b)| a != b).count();
        let counts: Vec<usize> = indexes.iter().map(differ).collect();
        let least = *counts.iter().min().unwrap();
        let is_clear = counts.iter().filter(|count| **count == least).count() == 1;
        (least <= 1 && is_clear).then(|| counts.iter().position(|count| *count == least).unwrap())
    };
    let mut indexes = [Vec::new(), Vec::new()];
    for (_, barcode) in SAMPLES {
        for (known, index) in indexes.iter_mut().zip([&barcode[..8], &barcode[8..]]) {
            if !known.contains(&index) {
                known.push(index);
            }
        }
    }
    let lines = |text: &str| -> Vec<String> { text.lines().map(str::to_owned).collect() };
    let mut unmatched = std::collections::BTreeMap::<String, u64>::new();
    let barcodes = lines(&texts[1]).into_iter().zip(lines(&texts[2])).skip(1).step_by(4);
    let mut counts = std::collections::BTreeMap::<(usize, usize), u64>::new();
    let assigned: Vec<String> = contents(&folder.path("o"), "R1.fq.gz")
        .into_iter()
        .filter(|(name, _)| name.contains("unmatched"))
        .flat_map(|(_, text)| lines(&text).into_iter().step_by(4))
        .map(|line| line.split(' ').next().unwrap().to_owned())
        .collect();
    let names = lines(&texts[0]).into_iter().step_by(4);
    for ((first, second), name) in barcodes.zip(names) {
        if assigned.iter().any(|other| *other == name.split(' ').next().unwrap()) {
            *unmatched.entry(format!("{first}\t{second}")).or_default() += 1;
            if let (Some(one), Some(two)) = (near(&indexes[0], &first), near(&indexes[1], &second))
            {
                *counts.entry((one, two)).or_default() += 1;
            }
        }
    }
    let rows: Vec<Vec<&str>> =
        hopping.lines().skip(1).map(|row| row.split('\t').collect()).collect();
    assert_eq!(rows.len(), indexes[0].len() * indexes[1].len());
    let mut hopped = 0;
    for (row, (one, two)) in rows
        .iter()
        .zip((0..indexes[0].len()).flat_map(|one| (0..indexes[1].len()).map(move |two| (one, two))))
    {
        assert_eq!(row[..2], [indexes[0][one], indexes[1][two]]);
        let barcode = row[..2].concat();
        match SAMPLES.iter().find(|(_, other)| *other == barcode) {
            Some((id, _)) => assert_eq!((row[2], row[4]), (*id, ".")),
            None => {
                let count = counts.get(&(one, two)).copied().unwrap_or(0);
                assert_eq!((row[2], row[3]), (".", count.to_string().as_str()), "{row:?}");
                hopped += count;
            }
        }
    }
    assert!(hopped > 0);
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    assert_eq!(report["summary"]["templates_hopped"], hopped);
    assert_eq!(report["summary"]["unmatched_barcodes_of_templates"], 10_000_000);
    let mut expected: Vec<(&String, &u64)> = unmatched.iter().collect();
    expected.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let rows: Vec<&str> = unknown.lines().collect();
    assert_eq!(rows[0], "barcode1\tbarcode2\ttemplates\tfrac_unknown\tfrac_templates");
    assert_eq!(rows.len(), 1 + expected.len().min(1000));
    for (row, (barcode, count)) in rows[1..].iter().zip(expected) {
        assert!(row.starts_with(&format!("{barcode}\t{count}\t")), "{row} {barcode} {count}");
    }
    // One index has no pairs.
    let one = folder.file("one.tsv", "sample_id\tbarcode\ns\tAACCGGTT\n");
    fails(
        &[
            "demux", "-i", &i1, &r2, "-r", "8B", "+T", "-s", &one, "-o", &out, "--index-hopping",
            &json,
        ],
        &["--index-hopping needs dual barcodes"],
    );
}

#[test]
fn barcodes_at_the_ends_of_long_reads_are_found_with_errors_and_cut() {
    let folder = Folder::new();
    let mut random = Random(0xe4d5);
    let mut bases =
        |n: usize| -> String { (0..n).map(|_| char::from(b"ACGT"[random.below(4)])).collect() };
    let barcodes: Vec<String> = (0..12).map(|_| bases(24)).collect();
    let mut reads = String::new();
    let mut expected = vec![Vec::new(); barcodes.len() + 1];
    for number in 0..600 {
        let insert = bases(200 + number % 300);
        let mut numbers = Random(number as u64 * 77 + 5);
        let sample = numbers.below(barcodes.len() + 1);
        let kind = numbers.below(3);
        let mut inner = insert.clone();
        let mut read = insert;
        if let Some(barcode) = barcodes.get(sample) {
            // One base less inside, or another one.
            let at = 5 + numbers.below(12);
            let barcode = match numbers.below(3) {
                0 => format!("{}{}", &barcode[..at], &barcode[at + 1..]),
                1 => format!("{}N{}", &barcode[..at], &barcode[at + 1..]),
                _ => barcode.clone(),
            };
            let (before, behind) = (bases(numbers.below(60)), bases(numbers.below(60)));
            if kind != 1 {
                read = format!("{before}{barcode}{read}");
            } else {
                inner = format!("{before}{inner}");
                read = format!("{before}{read}");
            }
            if kind != 0 {
                let turned = String::from_utf8(reverse_complement(barcode.as_bytes())).unwrap();
                read += &format!("{turned}{behind}");
            } else {
                inner += &behind;
                read += &behind;
            }
        }
        let qualities = "5".repeat(read.len());
        reads += &format!("@r{number} ch=7\n{read}\n+\n{qualities}\n");
        expected[sample].push((format!("@r{number} ch=7"), inner, kind == 2));
    }
    let input = folder.file("long.fq", &reads);
    let names: Vec<String> = (0..barcodes.len()).map(|n| format!("s{n}")).collect();
    let rows: Vec<(&str, &str)> =
        names.iter().zip(&barcodes).map(|(id, barcode)| (id.as_str(), barcode.as_str())).collect();
    let samples = folder.file("samples.tsv", sheet(&rows));
    let at = |name: &str| text(&folder.path(name)).to_owned();
    let json = at("s.json");
    for (ends, threads) in [("either", "1"), ("either", "4"), ("both", "2")] {
        let out = at(&format!("{ends}{threads}"));
        demux(&[
            "-i", &input, "--ends", ends, "-s", &samples, "-o", &out, "-@", threads, "--summary",
            &json,
        ]);
        for (sample, reads) in expected.iter().enumerate().take(barcodes.len()) {
            let file = folder.path(&format!("{ends}{threads}"));
            let written = contents(&file, &format!("s{sample}.R1.fq.gz"));
            let lines: Vec<&str> = written[0].1.lines().collect();
            let found: Vec<(&str, &str)> = lines.chunks(4).map(|read| (read[0], read[1])).collect();
            let wanted: Vec<(&str, &str)> = reads
                .iter()
                .filter(|(.., both)| ends == "either" || *both)
                .map(|(name, inner, _)| (name.as_str(), inner.as_str()))
                .collect();
            // An error at the inner end of a barcode may leave a base.
            let same = |(a, b): (&(&str, &str), &(&str, &str))| {
                a.0 == b.0 && (a.1 == b.1 || a.1.len().abs_diff(b.1.len()) <= 2)
            };
            assert_eq!(found.len(), wanted.len(), "{ends} {sample}");
            assert!(found.iter().zip(&wanted).all(same), "{ends} {sample}");
        }
    }
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    let both: usize =
        expected[..barcodes.len()].iter().flatten().filter(|(.., both)| *both).count();
    assert_eq!(report["summary"]["templates_by_ends"]["both"], both);
    ok(&["check", "--against", &json]);
    for (words, needed) in [
        (&["-i", &input, &input][..], "two inputs are"),
        (&["-i", &input, "-b", "B"], "--ends writes only templates"),
    ] {
        let more = ["--ends", "both", "-s", &samples, "-o", &at("x")];
        fails(&[&["demux"][..], words, &more].concat(), &[needed]);
    }
    let letters = folder.file("n.tsv", "sample_id\tbarcode\na\tACGTN\nb\tTTTTT\n");
    fails(
        &["demux", "-i", &input, "--ends", "both", "-s", &letters, "-o", &at("x")],
        &["n.tsv", "sample a has letters other than A, C, G and T"],
    );
}

#[cfg(unix)]
#[test]
fn hundreds_of_files_need_no_hundreds_of_descriptors() {
    let folder = Folder::new();
    let mut numbers = Random(6);
    let samples: Vec<(String, String)> = (0..200)
        .map(|at| {
            // Far from each other: each base three times.
            let digits = [at / 64 % 8, at / 8 % 8, at % 8];
            let words = ["AAAA", "CCCC", "GGGG", "TTTT", "ACGT", "CAGT", "GTAC", "TGCA"];
            (format!("s{at}"), digits.map(|digit| words[digit]).concat())
        })
        .collect();
    let rows: String = samples.iter().map(|(id, barcode)| format!("{id},{barcode}\n")).collect();
    let sheet = folder.file("s.csv", format!("sample_id,barcode\n{rows}"));
    let mut reads = [String::new(), String::new()];
    for number in 0..6_000 {
        let barcode = &samples[numbers.below(200)].1;
        let bases = "ACGTTGCA".repeat(1 + numbers.below(9));
        reads[0] += &format!("@r{number}\n{barcode}{bases}\n+\n{}\n", "I".repeat(12 + bases.len()));
        reads[1] += &format!("@r{number}\n{bases}\n+\n{}\n", "5".repeat(bases.len()));
    }
    let [r1, r2] =
        [("r1.fq", &reads[0]), ("r2.fq", &reads[1])].map(|(name, text)| folder.file(name, text));
    let limited = |limit: &str, args: &[&str]| {
        let binary = command(&[]).get_program().to_owned();
        let mut shell = Command::new("sh");
        let line = format!(
            "ulimit {limit} && exec \"$0\" demux -@ 2 -q -i {r1} {r2} -r 12B+T +T -s {sheet} \"$@\""
        );
        shell.args(["-c", &line]).arg(binary).args(args);
        finish(shell)
    };
    for name in ["{sample}.R{number}.fq", "{sample}.R{number}.fq.gz"] {
        let all = ["few", "many"].map(|folder_name| {
            let out = folder.path(&format!("{folder_name}{}", name.len()));
            let limit = if folder_name == "few" { "-n 64" } else { "-n 4096" };
            let run = limited(limit, &["-o", &text(&out), "--name", name]);
            assert_eq!(run.code, 0, "{run:?}");
            contents(&out, name.rsplit('}').next().unwrap())
        });
        assert_eq!(all[0].len(), 402);
        assert!(all[0] == all[1]);
        let reads: usize = all[0].iter().map(|(_, text)| text.lines().count() / 4).sum();
        assert_eq!(reads, 12_000);
    }
}

#[test]
#[ignore = "needs strace"]
fn a_file_that_cannot_be_opened_again_written_or_closed_is_an_error() {
    Command::new("strace").arg("-V").output().expect("strace is not installed");
    let folder = Folder::new();
    let words = ["AAAA", "CCCC", "GGGG", "TTTT", "ACGT", "CAGT", "GTAC", "TGCA"];
    let rows: String =
        (0..40).map(|at| format!("s{at},{}{}\n", words[at / 8], words[at % 8])).collect();
    let sheet = folder.file("s.csv", format!("sample_id,barcode\n{rows}"));
    let read = |number: usize| {
        let (bases, at) = ("ACGTTGCA".repeat(30), number % 41);
        let barcode = [words[at / 8 % 8], words[at % 8]].concat();
        format!("@r{number}\n{barcode}{bases}\n+\n{}\n", "I".repeat(248))
    };
    let reads = folder.file("r.fq", (0..4_000).map(read).collect::<String>());
    let out = folder.path("out");
    std::fs::create_dir(&out).unwrap();
    let run = |inject: &str| {
        let binary = command(&[]).get_program().to_owned();
        let mut shell = Command::new("sh");
        let line = format!(
            "ulimit -n 40 && exec strace -f -qq -o {} {inject} \"$0\" demux -q -@ 1 -i {reads} -r 8B+T -s {sheet} \
             --name '{{sample}}.fq' -o {}",
            text(&folder.path("log")),
            text(&out)
        );
        shell.args(["-c", &line]).arg(binary);
        finish(shell)
    };
    let whole = run("-e trace=none");
    assert_eq!(whole.code, 0, "{whole:?}");
    let expected = contents(&out, "");
    assert_eq!(expected.len(), 42);
    let mut refused = 0;
    for (call, error) in [("openat", "EMFILE"), ("write", "ENOSPC"), ("close", "EIO")] {
        for number in [40, 90, 100, 110, 130, 170] {
            std::fs::remove_dir_all(&out).unwrap();
            std::fs::create_dir(&out).unwrap();
            let run = run(&format!("-e trace={call} -e inject={call}:error={error}:when={number}"));
            let found = contents(&out, "");
            match run.code {
                0 => assert!(found == expected, "{call} {number}"),
                _ => {
                    refused += 1;
                    assert!(run.stderr.contains("error: "), "{call} {number}: {run:?}");
                    assert!(found.is_empty(), "{call} {number}: {run:?} {}", found.len());
                }
            }
        }
    }
    // How many calls a thread makes differs a little from run to run.
    assert!(refused >= 6, "{refused}");
}

#[test]
fn faults_are_named_and_no_file_appears() {
    let folder = Folder::new();
    let texts = run(2, 300, &SAMPLES);
    let [r1, i1, i2, r2] = written(&folder, ["r1.fq", "i1.fq", "i2.fq", "r2.fq"], &texts);
    let whole = bgzf(texts[0].as_bytes(), 900);
    let cut = folder.file("cut.fq.gz", &whole[..whole.len() / 2]);
    let fewer = folder.file(
        "fewer.fq",
        texts[1].lines().take(299 * 4).map(|line| format!("{line}\n")).collect::<String>(),
    );
    let other = folder.file("other.fq", texts[1].replace(":200:9 ", ":x:9 "));
    let samples = folder.file("samples.tsv", sheet(&SAMPLES));
    folder.file("near.tsv", sheet(&[("x", "AACCGGTTACGTACGT"), ("y", "AACCGGTTACGTACGA")]));
    folder.file("twice.tsv", sheet(&[("x", "AACCGGTTACGTACGT"), ("x", "AACCGGAAAAAAACGA")]));
    folder.file("climbing.tsv", sheet(&[("../x", "AACCGGTTACGTACGT")]));
    let out = text(&folder.path("o"));
    std::fs::create_dir(&out).unwrap();
    let before = listed(&folder);
    let structures = ["-r", "+T", "8B", "8B", "+T"];
    for threads in ["1", "3"] {
        let run = |files: [&str; 4], structures: &[&str]| {
            let common =
                ["demux", "-@", threads, "--chunk-size", "2000", "-s", &samples, "-o", &out, "-i"];
            biofast(&[&common[..], &files, structures].concat())
        };
        assert_error(&run([&cut, &i1, &i2, &r2], &structures), &["cut.fq.gz"]);
        assert_error(&run([&r1, &fewer, &i2, &r2], &structures), &["fewer.fq"]);
        assert_error(&run([&r1, &other, &i2, &r2], &structures), &["other.fq", "record 201"]);
        assert_error(&run([&r1, &i1, &i1, &r2], &structures), &["two inputs are", "i1.fq"]);
        let long = ["-r", "30T", "8B", "8B", "+T"];
        assert_error(
            &run([&r1, &i1, &i2, &r2], &long),
            &["r1.fq", "record 1", "20 bases", "30T needs 30"],
        );
    }
    for (line, needed) in [
        (
            "demux -o o -i r1.fq i1.fq i2.fq r2.fq -s samples.tsv -r +T 8B 8B",
            "got 3 read structures for 4 inputs",
        ),
        ("demux -o o -i r1.fq i1.fq i2.fq r2.fq -s samples.tsv", "no read structures"),
        (
            "demux -o o -i r1.fq i1.fq i2.fq r2.fq -s samples.tsv -r +T 8B 7B +T",
            "15 bases in the read structures but 16",
        ),
        (
            "demux -o o -i r1.fq i1.fq i2.fq r2.fq -s samples.tsv -r +T 8T 8T +T",
            "no read structure has a barcode",
        ),
        (
            "demux -o o -i r1.fq i1.fq i2.fq r2.fq -s samples.tsv -r +T8B 8B 8B +T",
            "'+' is allowed only before the last letter",
        ),
        (
            "demux -o o -i r1.fq i1.fq i2.fq r2.fq -s samples.tsv -r +T 8B 8B +T -b M",
            "no read structure has a segment M",
        ),
        (
            "demux -o o -i r1.fq i1.fq i2.fq r2.fq -s samples.tsv -r +T 8B 8B +T -b X",
            "expected T, B, M or C",
        ),
        (
            "demux -o o -i r1.fq i1.fq i2.fq r2.fq -s near.tsv -r +T 8B 8B +T",
            "differ in 1 base, but at least 2 are needed",
        ),
        (
            "demux -o o -i r1.fq i1.fq i2.fq r2.fq -s twice.tsv -r +T 8B 8B +T",
            "twice.tsv, line 3: sample x is also on line 2",
        ),
        (
            "demux -o o -i r1.fq i1.fq i2.fq r2.fq -s climbing.tsv -r +T 8B 8B +T",
            "can't be a file name",
        ),
        ("demux -o o -i r1.fq i1.fq i2.fq r2.fq -s r1.fq -r +T 8B 8B +T", "r1.fq, line 1"),
        (
            "demux -o o -i r1.fq i1.fq i2.fq r2.fq -s samples.tsv -r +T 8B 8B +T --name-template x{number}.fq",
            "{sample}",
        ),
        (
            "demux -o o -i r1.fq i1.fq i2.fq r2.fq -s samples.tsv -r +T 8B 8B +T --name-template {sample}.fq",
            "{number}",
        ),
        (
            "demux -o o -i r1.fq i1.fq i2.fq r2.fq -s samples.tsv -r +T 8B 8B +T --name-template a/{sample}{number}.fq",
            "without a folder",
        ),
        (
            "demux -o o -i r1.fq i1.fq i2.fq r2.fq -s samples.tsv -r +T 8B 8B +T --name-template {sample}{number}.bam",
            "would hold FASTQ",
        ),
        (
            "demux -o o -i r1.fq i1.fq i2.fq r2.fq -s samples.tsv -r +T 8B 8B +T -u s1",
            "a sample is named s1",
        ),
        (
            "demux -o o -i r1.fq i1.fq i2.fq r2.fq -s samples.tsv -r +T 8B 8B +T --summary r1.fq",
            "input",
        ),
        (
            "demux -o o -i r1.fq i1.fq i2.fq r2.fq -s samples.tsv -r +T 8B 8B +T --metrics samples.tsv",
            "input",
        ),
        ("demux -o o -i r1.fq i1.fq i2.fq r2.fq -s none -r +T 8B 8B +T", "none"),
    ] {
        refused(&folder, line, needed);
    }
    assert_eq!(listed(&folder), before);
    assert_eq!(std::fs::read_dir(&out).unwrap().count(), 0);
    // No output replaces an input that lies there.
    let inside = folder.path("o").join("s1.R1.fq.gz");
    std::fs::write(&inside, gzip(texts[0].as_bytes())).unwrap();
    fails(
        &[
            &["demux", "-o", &out, "-s", &samples, "-i", &text(&inside), &i1, &i2, &r2],
            &structures[..],
        ]
        .concat(),
        &["s1.R1.fq.gz", "input"],
    );
}

/// Runs in the folder with this sheet and these reads.
fn with_sheet(folder: &Folder, sheet: &str, reads: &str, more: &[&str]) -> common::Run {
    folder.file("sheet", sheet);
    folder.file("r.fq", reads);
    let run = ["demux", "-i", "r.fq", "-s", "sheet", "-o", "out", "--name-template", "{sample}.fq"];
    common::run_in(folder, &[&run[..], more].concat())
}

fn of_sample(folder: &Folder, id: &str) -> String {
    std::fs::read_to_string(folder.path(&format!("out/{id}.fq"))).unwrap()
}

#[test]
fn a_column_that_is_not_known_is_an_error() {
    let folder = Folder::new();
    let sheet = "sample_id\tbarcode\tIndex3\tproject\ns1\tAC\tGG\tx\n";
    let reads = "@a\nACGT\n+\nFFFF\n";
    let run = with_sheet(&folder, sheet, reads, &["-r", "2B+T"]);
    assert_error(&run, &["sheet, line 1: unknown column 'Index3'", "--ignore-columns"]);
    assert!(!folder.path("out").exists());
    let run = with_sheet(&folder, sheet, reads, &["-r", "2B+T", "--ignore-columns", "index_3"]);
    assert_eq!(run.code, 0, "{run:?}");
    for (option, value, why) in [
        ("--ignore-columns", "foo", "sheet, line 1: no column 'foo' to ignore"),
        ("--lane", "9", "sheet, line 1: no column lane"),
        ("--umi-in", "comment", "--umi-in has no effect"),
    ] {
        let sheet = sheet.replace("Index3", "note");
        assert_error(&with_sheet(&folder, &sheet, reads, &["-r", "2B+T", option, value]), &[why]);
    }
    let twice = sheet.replace("Index3", "Barcode");
    assert_error(
        &with_sheet(&folder, &twice, reads, &["-r", "2B+T"]),
        &["two columns are named 'Barcode'"],
    );
}

#[test]
fn read_structures_of_samples_are_obeyed() {
    let folder = Folder::new();
    let reads = "@a\nACGTTT\n+\nFFFFFF\n@b\nGGCAAA\n+\nFFFFFF\n@c\nTTCAAA\n+\nFFFFFF\n";
    let sheet = "sample_id\tbarcode\tread_structure\ns1\tAC\t2B1S+T\ns2\tGG\t2B2M+T\n";
    let run = with_sheet(&folder, sheet, reads, &["-r", "2B+T"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(of_sample(&folder, "s1"), "@a 1:N:0:AC\nTTT\n+\nFFF\n");
    assert_eq!(of_sample(&folder, "s2"), "@b:CA 1:N:0:GG\nAA\n+\nFF\n");
    assert_eq!(of_sample(&folder, "unmatched"), "@c 1:N:0:TT\nCAAA\n+\nFFFF\n");
    // Without -r that of the first sample says where barcodes are, and what is unmatched.
    let run = with_sheet(&folder, sheet, reads, &["-d", "1"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(of_sample(&folder, "s2"), "@b:CA 1:N:0:GG\nAA\n+\nFF\n");
    for (own, why) in [
        ("3B+T", "sample s1: its barcode has 2 bases, but its read structure 3B+T has 3"),
        ("+B", "barcodes (B) must be at the same positions in all reads"),
        ("2B2T1S+T", "different numbers of segments"),
        ("2B+T 8M", "2 structures for 1 inputs"),
        ("2B4X", "is not a valid read structure"),
    ] {
        let run = with_sheet(&folder, &sheet.replace("2B1S+T", own), reads, &["-r", "2B+T"]);
        assert_error(&run, &["sheet", why]);
    }
    let short = sheet.replace("2B1S+T", "2B9S+T");
    assert_error(&with_sheet(&folder, &short, reads, &["-r", "2B+T"]), &["2B9S+T needs 12"]);
    let run = with_sheet(&folder, &short, reads, &["-r", "2B+T", "-S", "too-few-bases"]);
    assert_eq!((run.code, of_sample(&folder, "s1")), (0, String::new()));
}

#[test]
fn barcodes_may_differ_in_length_and_position_between_samples() {
    let folder = Folder::new();
    let random = |random: &mut Random, len| -> String {
        (0..len).map(|_| ['A', 'C', 'G', 'T'][random.below(4)]).collect()
    };
    let mut seed = Random(77);
    // Spacers of different lengths in front of barcodes of different lengths, UMIs behind some.
    let samples = [
        ("s1", "ACGTAC", 0, 0),
        ("s2", "GGATTCAG", 0, 4),
        ("s3", "TTGCA", 1, 0),
        ("s4", "CATGCCTT", 3, 2),
    ];
    let structure = |spacer: usize, barcode: &str, umi: usize| {
        let part =
            |len: usize, letter| if len > 0 { format!("{len}{letter}") } else { String::new() };
        format!("{}{}B{}+T", part(spacer, 'S'), barcode.len(), part(umi, 'M'))
    };
    let mut sheet = "sample_id\tbarcode\tread_structure\n".to_owned();
    for (id, barcode, spacer, umi) in samples {
        sheet += &format!("{id}\t{barcode}\t{}\n", structure(spacer, barcode, umi));
    }
    let (mut reads, mut expected) = (String::new(), [const { String::new() }; 4]);
    for i in 0..400 {
        let at = seed.below(4);
        let (_, barcode, spacer, umi) = samples[at];
        let mut read = barcode.to_owned();
        // One mismatch in some.
        if seed.below(3) == 0 {
            let place = seed.below(barcode.len());
            let other = if read.as_bytes()[place] == b'A' { "C" } else { "A" };
            read.replace_range(place..=place, other);
        }
        let (observed, tag, template) =
            (read.clone(), random(&mut seed, umi), random(&mut seed, 12 + i % 9));
        read = format!("{}{read}{tag}{template}", random(&mut seed, spacer));
        // One that another sample matches as well belongs to none; such are left out here, by the plain rule.
        let distance = |(_, barcode, spacer, _): (&str, &str, usize, usize)| {
            let own = read.as_bytes()[spacer..].iter();
            own.zip(barcode.as_bytes()).filter(|(a, b)| a != b).count()
        };
        let own = distance(samples[at]);
        let mut others = (0..4).filter(|&other| other != at);
        if others.any(|other| distance(samples[other]) < own + 2) {
            continue;
        }
        reads += &format!("@r{i}\n{read}\n+\n{}\n", "F".repeat(read.len()));
        let tag = if umi > 0 { format!(":{tag}") } else { String::new() };
        let qualities = "F".repeat(template.len());
        expected[at] += &format!("@r{i}{tag} 1:N:0:{observed}\n{template}\n+\n{qualities}\n");
    }
    for threads in ["1", "3"] {
        let run = with_sheet(&folder, &sheet, &reads, &["-@", threads]);
        assert_eq!(run.code, 0, "{run:?}");
        for ((id, ..), expected) in samples.iter().zip(&expected) {
            assert!(expected.lines().count() > 200);
            assert_eq!(&of_sample(&folder, id), expected, "{id}");
        }
        assert_eq!(of_sample(&folder, "unmatched"), "");
    }
    // One barcode begins another: nothing tells their samples apart.
    let begins = "sample_id\tbarcode\tread_structure\na\tACGT\t4B+T\nb\tACGTTT\t6B+T\n";
    let run = with_sheet(&folder, begins, &reads, &[]);
    assert_error(&run, &["a (ACGTNN) and b (ACGTTT) differ in 0 bases, but at least 2 are needed"]);
    let begins = begins.replace("ACGT\t", "GGGT\t");
    let twice = with_sheet(&folder, &begins, &reads, &["--revcomp-index2"]);
    assert_error(&twice, &["--revcomp-index2"]);
}

#[test]
fn barcodes_of_headers_that_can_never_match_are_an_error() {
    let folder = Folder::new();
    let sheet = "sample_id\tbarcode1\tbarcode2\nS1\tAAATCCAG\tCACAACAT\n";
    let read = |line: &str| format!("@{line}\nACGT\n+\nFFFF\n");
    let long = read("a 1:N:0:AAATCCAGAC+CACAACATTC");
    let run = with_sheet(&folder, sheet, &long, &["--header-barcodes"]);
    assert_error(&run, &["barcodes have 20 bases in the reads but 16 in sheet", "AAATCCAGAC+C"]);
    assert!(!folder.path("out/S1.fq").exists());
    let none = read("HWI:6:73:941:1#AAATCC/1");
    let run = with_sheet(&folder, sheet, &none, &["--header-barcodes"]);
    assert_error(&run, &["no header line has a barcode", "HWI:6:73:941:1#AAATCC/1"]);
    // One that fits is enough; the others are counted.
    let some = long + &read("b 1:N:0:AAATCCAG+CACAACAT");
    let run = with_sheet(&folder, sheet, &some, &["--header-barcodes"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stderr.contains("1 of 2 reads can't match"), "{run:?}");
    // That none does match isn't that none could.
    let run =
        with_sheet(&folder, sheet, &read("b 1:N:0:TTTTTTTT+CACAACAT"), &["--header-barcodes"]);
    assert_eq!(run.code, 0, "{run:?}");
    for empty in [&b""[..], &gzip(b"")] {
        folder.file("e.fq.gz", empty);
        let run = ["demux", "-i", "e.fq.gz", "-s", "sheet", "-o", "out", "--header-barcodes"];
        let run = common::run_in(&folder, &run);
        // No bytes at all aren't even gzip.
        assert_eq!(run.code, if empty.is_empty() { 2 } else { 0 }, "{run:?}");
    }
}

#[test]
fn index_files_may_hold_umis_alone() {
    let folder = Folder::new();
    folder.file("i.fq", "@a 1:N:0:ACGT\nTTGG\n+\nFFFF\n");
    let reads = "@a 1:N:0:ACGT\nACGT\n+\nFFFF\n";
    let inputs = ["-i", "r.fq", "i.fq", "-r", "+T", "4M"];
    // The barcode comes from the header …
    let sheet = "sample_id\tbarcode\ns1\tACGT\n";
    let run =
        with_sheet(&folder, sheet, reads, &[&inputs[..], &["--header-barcodes"]].concat()[2..]);
    assert_eq!(run.code, 2, "one input and two structures: {run:?}");
    folder.file("sheet", sheet);
    let demux = |more: &[&str]| {
        let run = ["demux", "-s", "sheet", "-o", "out", "--name-template", "{sample}.fq"];
        common::run_in(&folder, &[&run[..], &inputs, more].concat())
    };
    assert_eq!(demux(&["--header-barcodes"]).code, 0);
    assert_eq!(of_sample(&folder, "s1"), "@a:TTGG 1:N:0:ACGT\nACGT\n+\nFFFF\n");
    assert_eq!(demux(&["--header-barcodes", "--barcode-in", "tag"]).code, 0);
    assert_eq!(of_sample(&folder, "s1"), "@a:TTGG BC:Z:ACGT\nACGT\n+\nFFFF\n");
    // … or all reads are of one sample.
    for sheet in [sheet, "sample_id\ns1\n"] {
        folder.file("sheet", sheet);
        let run = demux(&[]);
        assert_eq!(run.code, 0, "{run:?}");
        assert_eq!(of_sample(&folder, "s1"), "@a:TTGG 1:N:0:ACGT\nACGT\n+\nFFFF\n");
        assert_eq!(of_sample(&folder, "unmatched"), "");
    }
    folder.file("sheet", "sample_id\tbarcode\ns1\tACGT\ns2\tTTTT\n");
    assert_error(&demux(&[]), &["no read structure has a barcode (B)"]);
}
