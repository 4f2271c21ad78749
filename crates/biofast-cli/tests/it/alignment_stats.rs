//! `biofast stats` of alignments: its figures against what they must be.

use std::collections::HashMap;

use biofast_testkit::random::Random;
use biofast_testkit::sam::{self, SamShape};
use serde_json::Value;

use crate::common::alignment_stats::{SHAPES, SORTED, comparable};
use crate::common::{Folder, biofast, biofast_with, command, fails, finish, ok};

#[test]
fn figures_and_report_are_the_same_on_any_threads_chunk_and_source() {
    let folder = Folder::new();
    let reference = folder.file("ref.fa", sam::fasta(7));
    let text = sam::text(&SamShape { records: 600, ..SHAPES[1] });
    let path = folder.file("x.sam", &text);
    for format in [&["--json"][..], &["--format", "samtools", "-r", &reference], &["-T"]] {
        let args = [&["stats", "--stdin-label", &path][..], format].concat();
        let strip = |out: &str| comparable(out);
        let expected = ok(&[&args[..], &[&path]].concat());
        // Its bases are those of no reference.
        let doubts =
            expected.stderr.lines().filter(|line| !line.contains("differ from the reference"));
        assert_eq!(doubts.count(), 0, "{}", expected.stderr);
        for chunk in ["100", "5000"] {
            for threads in ["1", "2", "5"] {
                let more = ["--chunk-size", chunk, "-@", threads, &path];
                let run = biofast(&[&args[..], &more[..]].concat());
                assert_eq!(run.stderr, expected.stderr, "{chunk} {threads}");
                assert!(strip(&run.stdout) == strip(&expected.stdout), "{chunk} {threads}");
            }
        }
        for simd in ["scalar", "avx2", "avx512", "neon"] {
            let mut command = command(&[&args[..], &[&path]].concat());
            command.env("BIOFAST_SIMD", simd);
            let run = finish(command);
            if run.code == 2 && run.stderr.contains("BIOFAST_SIMD") {
                continue;
            }
            assert!(strip(&run.stdout) == strip(&expected.stdout), "{simd}");
        }
        let run = biofast_with(&args, text.as_bytes());
        assert!(strip(&run.stdout) == strip(&expected.stdout), "standard input");
    }
}

fn figures(path: &str) -> Value {
    let run = ok(&["stats", "--json", path]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    report["files"][0].clone()
}

/// Depths counted base by base from the lines of SAM.
fn depths(text: &str) -> HashMap<(String, u64), u64> {
    let mut depths = HashMap::new();
    for line in text.lines().filter(|line| !line.starts_with('@')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let flags: u32 = fields[1].parse().unwrap();
        // As `biofast coverage` by default; no two records share a name.
        if flags & 0x704 != 0 {
            continue;
        }
        let mut position: u64 = fields[3].parse().unwrap();
        let mut len = 0;
        for letter in fields[5].bytes() {
            match letter {
                b'0'..=b'9' => len = 10 * len + u64::from(letter - b'0'),
                b'M' | b'=' | b'X' => {
                    for at in position..position + len {
                        *depths.entry((fields[2].to_owned(), at)).or_default() += 1;
                    }
                    position += std::mem::take(&mut len);
                }
                b'D' | b'N' => position += std::mem::take(&mut len),
                _ => len = 0,
            }
        }
    }
    depths
}

#[test]
fn coverage_is_the_true_depth_even_with_skips_and_long_reads() {
    let folder = Folder::new();
    for shape in [SHAPES[1], SHAPES[3]] {
        let text = sam::text(&shape);
        let expected = depths(&text);
        let file = figures(&folder.file("x.sam", &text));
        let mut histogram = HashMap::<u64, u64>::new();
        expected.values().for_each(|depth| *histogram.entry(*depth).or_default() += 1);
        let found = file["coverage"]["histogram"].as_array().unwrap();
        let found: HashMap<u64, u64> =
            found.iter().map(|e| (e[0].as_u64().unwrap(), e[1].as_u64().unwrap())).collect();
        assert_eq!(found, histogram);
        for (index, (name, length)) in sam::REFERENCES.into_iter().enumerate() {
            let own = || expected.iter().filter(|((reference, _), _)| reference == name);
            let reference = &file["references"][index];
            assert_eq!(reference["covered"], own().count());
            let mean = own().map(|(_, depth)| depth).sum::<u64>() as f64 / length as f64;
            assert!((reference["mean_depth"].as_f64().unwrap() - mean).abs() < 1e-6);
        }
    }
}

#[test]
fn coverage_of_an_unsorted_file_is_not_given() {
    let folder = Folder::new();
    let file = figures(&folder.file("x.sam", sam::text(&SHAPES[2])));
    assert!(file["coverage"].is_null() && file["references"][0]["covered"].is_null());
    assert!(file["records"]["passed"]["total"].as_u64().unwrap() > 1000);
}

#[test]
fn reads_are_counted_as_the_fastq_they_come_from() {
    let folder = Folder::new();
    let text = sam::text(&SORTED);
    let mut fastq = [String::new(), String::new(), String::new()];
    for line in text.lines().filter(|line| !line.starts_with('@')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let flags: u32 = fields[1].parse().unwrap();
        if flags & 0x900 != 0 {
            continue;
        }
        let (mut bases, mut qualities) = (fields[9].to_owned(), fields[10].to_owned());
        if flags & 0x10 != 0 {
            let complement = |base: char| match base {
                'A' => 'T',
                'C' => 'G',
                'G' => 'C',
                'T' => 'A',
                other => other,
            };
            bases = bases.chars().rev().map(complement).collect();
            qualities = qualities.chars().rev().collect();
        }
        let fragment = match (flags & 1, flags & 0xc0) {
            (0, _) | (1, 0x40) => 0,
            (1, 0x80) => 1,
            _ => 2,
        };
        fastq[fragment].push_str(&format!("@r\n{bases}\n+\n{qualities}\n"));
    }
    let file = figures(&folder.file("x.sam", &text));
    for (fragment, fastq) in ["first", "last", "other"].into_iter().zip(fastq) {
        let expected = figures(&folder.file("x.fq", fastq));
        let found = file["reads"][fragment].as_object().unwrap();
        for (name, value) in found {
            assert_eq!(*value, expected[name], "{fragment} {name}");
        }
        assert!(found.len() >= 7);
    }
}

/// Of first and of last reads, at each position from 0: bases counted, and all bases.
type AtPositions = [HashMap<u64, [u64; 2]>; 2];

/// Rows of a report as they must be of counts base by base.
fn compare_rows(rows: &Value, expected: &AtPositions) {
    let mut all = [0; 2];
    for row in rows.as_array().unwrap() {
        let row: Vec<u64> = row.as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
        assert!(row[0] == row[1] || row[0] > 1000, "{row:?}");
        for read in 0..2 {
            let at = (row[0] - 1..row[1]).filter_map(|at| expected[read].get(&at));
            let sum = at.fold([0, 0], |sum, n| [sum[0] + n[0], sum[1] + n[1]]);
            assert_eq!(row[2 + 2 * read..][..2], sum, "{row:?} {read}");
            all[read] += sum[1];
        }
    }
    for read in 0..2 {
        assert_eq!(all[read], expected[read].values().map(|n| n[1]).sum::<u64>());
        assert!(expected[read].values().any(|n| n[0] > 0));
    }
}

#[test]
fn soft_clips_and_mismatches_are_at_their_positions_as_sequenced() {
    let folder = Folder::new();
    for shape in [SHAPES[1], SHAPES[3], SHAPES[4]] {
        let (mut text, mut compared) = (String::new(), 0);
        let (mut clips, mut mismatches) = (AtPositions::default(), AtPositions::default());
        let mut random = 1u64;
        for (number, line) in sam::text(&shape).lines().enumerate() {
            let fields: Vec<&str> = line.split('\t').collect();
            if line.starts_with('@') || fields[9] == "*" {
                text += &format!("{line}\n");
                continue;
            }
            let (mut read, mut md, mut matching, mut column) = (Vec::new(), String::new(), 0, 0u64);
            let mut len = 0;
            for letter in fields[5].chars().filter(|_| fields[5] != "*") {
                let Some(op_len) = letter.to_digit(10).map(|digit| 10 * len + digit) else {
                    for _ in 0..len {
                        random = random.wrapping_mul(6364136223846793005).wrapping_add(1);
                        let differs = "M=X".contains(letter) && random >> 60 == 0;
                        match letter {
                            'M' | '=' | 'X' if differs => {
                                md += &format!("{matching}G");
                                matching = 0;
                            }
                            'M' | '=' | 'X' => matching += 1,
                            _ => {}
                        }
                        column += u64::from("M=X".contains(letter));
                        if "M=XISH".contains(letter) {
                            read.push((letter, differs));
                        }
                    }
                    if letter == 'D' && len > 0 {
                        md += &format!("{matching}^{}", "A".repeat(len as usize));
                        matching = 0;
                    }
                    len = 0;
                    continue;
                };
                len = op_len;
            }
            md += &matching.to_string();
            // In the place aligners give it, elsewhere, of another alignment, and none.
            let tags = match number % 4 {
                0 => format!("NM:i:7\tMD:Z:{md}"),
                1 => format!("MD:Z:{md}\tAS:i:3\tNM:i:7"),
                2 => format!("NM:i:0\tMD:Z:{}", column + 1),
                _ => "NM:i:2".into(),
            };
            text += &format!("{}\t{tags}\n", fields[..11].join("\t"));
            let flags: u32 = fields[1].parse().unwrap();
            let fragment = match (flags & 1, flags & 0xc0) {
                (0, _) | (1, 0x40) => 0,
                (1, 0x80) => 1,
                _ => continue,
            };
            if flags & 0x904 != 0 {
                continue;
            }
            if fields[5] == "*" {
                read = vec![('*', false); fields[9].len()];
            }
            if flags & 0x10 != 0 {
                read.reverse();
            }
            let fits = number % 4 < 2;
            compared += u64::from(fits);
            for (at, (letter, differs)) in (0..).zip(read) {
                let clip = clips[fragment].entry(at).or_default();
                *clip = [clip[0] + u64::from(letter == 'S'), clip[1] + 1];
                if fits && "M=X".contains(letter) {
                    let mismatch = mismatches[fragment].entry(at).or_default();
                    *mismatch = [mismatch[0] + u64::from(differs), mismatch[1] + 1];
                }
            }
        }
        let found = figures(&folder.file("x.sam", text));
        let found = &found["alignment"];
        compare_rows(&found["soft_clipped"], &clips);
        assert_eq!(found["mismatches"]["records"], compared);
        compare_rows(&found["mismatches"]["positions"], &mismatches);
    }
}

/// Reads of a reference, with MD: some bases differ, some are inserted, missing, clipped or N.
fn reads_of(reference: &[u8], n: usize) -> Vec<String> {
    let mut random = Random(0x5eed);
    let mut lines = Vec::new();
    for number in 0..n {
        // Operations and their lengths; the sum is that of the read.
        let ops: &[(char, usize)] = match random.below(5) {
            0 => &[('S', 7), ('M', 53)],
            1 => &[('M', 20), ('I', 3), ('M', 37)],
            2 => &[('M', 25), ('D', 4), ('M', 30), ('S', 5)],
            _ => &[('M', 60)],
        };
        let (mut read, mut md, mut matching, mut nm) = (Vec::new(), String::new(), 0, 0);
        let start = random.below(reference.len() - 80);
        let mut at = start;
        for &(op, len) in ops {
            for _ in 0..len {
                match op {
                    'M' if random.chance(4) => {
                        let base = reference[at];
                        read.push(if random.chance(30) {
                            b'N'
                        } else {
                            b"CAGT"[base as usize / 2 % 4]
                        });
                        md += &format!("{matching}{}", char::from(base));
                        (matching, nm) = (0, nm + 1);
                    }
                    'M' => {
                        read.push(reference[at]);
                        matching += 1;
                    }
                    'D' => {}
                    _ => read.push(b"ACGT"[random.below(4)]),
                }
                at += usize::from("MD".contains(op));
            }
            if op == 'D' {
                let gone = std::str::from_utf8(&reference[at - len..at]).unwrap();
                md += &format!("{matching}^{gone}");
                matching = 0;
            }
            nm += if "ID".contains(op) { len } else { 0 };
        }
        md += &matching.to_string();
        let cigar: String = ops.iter().map(|(op, len)| format!("{len}{op}")).collect();
        // Some are marked, and of some of these it is known why.
        let (mark, kind) = match random.below(6) {
            0 => (1024, "\tdt:Z:SQ"),
            1 => (1024, "\tDT:Z:LB"),
            2 => (1024, ""),
            _ => (0, ""),
        };
        let flags = [0, 16, 65, 145][random.below(4)] + mark;
        let (sequence, qualities) =
            (String::from_utf8(read.clone()).unwrap(), "I".repeat(read.len()));
        let position = start + 1;
        lines.push(format!(
            "r{number}\t{flags}\tc\t{position}\t60\t{cigar}\t*\t0\t0\t{sequence}\t{qualities}\tNM:i:{nm}\tMD:Z:{md}{kind}\n"
        ));
    }
    lines.sort_by_key(|line| line.split('\t').nth(3).unwrap().parse::<u64>().unwrap());
    lines
}

#[test]
fn mismatches_are_those_of_the_reference_where_md_is_missing_and_gc_bias_is_picards() {
    const READS: usize = 2700;
    let folder = Folder::new();
    let mut random = Random(0x6c);
    // Its GC content rises from end to end.
    let reference: Vec<u8> = (0..6000)
        .map(|at| match random.below(6000) < at {
            true => b"GC"[random.below(2)],
            false => b"AT"[random.below(2)],
        })
        .collect();
    let fasta =
        folder.file("ref.fa", format!(">c\n{}\n", std::str::from_utf8(&reference).unwrap()));
    let header = "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c\tLN:6000\n@RG\tID:g\tSM:s\n";
    let lines = reads_of(&reference, READS);
    let with_md = folder.file("md.sam", header.to_owned() + &lines.concat());
    let without = |line: &String| {
        let fields = line.trim_end().split('\t').filter(|field| !field.starts_with("MD:"));
        fields.collect::<Vec<_>>().join("\t") + "\n"
    };
    let text = header.to_owned() + &lines.iter().map(without).collect::<String>();
    let no_md = folder.file("x.sam", &text);
    let of = |words: &[&str]| -> Value {
        let run = ok(&[&["stats", "--json"][..], words].concat());
        serde_json::from_str::<Value>(&run.stdout).unwrap()["files"][0].clone()
    };
    let (expected, bare) = (of(&[&with_md]), of(&[&no_md]));
    let mismatches = |file: &Value| file["alignment"]["mismatches"].clone();
    assert_eq!(mismatches(&expected)["records"], READS);
    assert_eq!(mismatches(&bare)["records"], 0);
    assert!(bare["gc_bias"].is_null());
    let found = of(&["-r", &fasta, &no_md]);
    assert_eq!(mismatches(&found), mismatches(&expected));
    // The field goes before the reference, and both are the same.
    assert_eq!(mismatches(&of(&["-r", &fasta, &with_md])), mismatches(&expected));
    for words in [&["-@", "1"][..], &["-@", "3", "--chunk-size", "700"]] {
        assert_eq!(of(&[words, &["-r", &fasta, &no_md]].concat()), found, "{words:?}");
    }

    let qc = crate::common::text(&folder.path("qc"));
    ok(&["stats", "--out-dir", &qc, "--qc", "gc-bias,json", "-r", &fasta, &no_md]);
    let files: Vec<String> = std::fs::read_dir(&qc)
        .unwrap()
        .map(|entry| crate::common::text(&entry.unwrap().path()))
        .collect();
    let read = |end: &str| {
        let path = files.iter().find(|path| path.ends_with(end)).expect(end);
        std::fs::read_to_string(path).unwrap()
    };
    let details = read("gc_bias.detail_metrics");
    let rows: Vec<Vec<u64>> = details
        .lines()
        .filter(|line| line.starts_with("All Reads"))
        .map(|line| line.split('\t').skip(2).take(3).map(|n| n.parse().unwrap()).collect())
        .collect();
    assert_eq!(rows.len(), 101);
    for row in &rows {
        let gc = row[0] as usize;
        assert_eq!(found["gc_bias"]["windows"][gc], row[1]);
        assert_eq!(found["gc_bias"]["by_gc"][gc][0], row[2]);
    }
    let summary = read("gc_bias.summary_metrics");
    let summary: Vec<Vec<&str>> = summary
        .lines()
        .filter(|line| line.contains('\t') && !line.starts_with('#'))
        .map(|line| line.split('\t').collect())
        .collect();
    let dropouts = ["at", "gc"].map(|base| {
        let name = base.to_uppercase() + "_DROPOUT";
        let place = summary[0].iter().position(|own| *own == name).unwrap();
        let picard: f64 = summary[1][place].parse().unwrap();
        let own = found["gc_bias"][format!("{base}_dropout_percent")].as_f64().unwrap();
        assert!((own - picard).abs() < 1e-6, "{own} {picard}");
        own
    });
    // Where a read starts at an end of the reference there is no window.
    assert!(
        (READS as u64 - 30..=READS as u64).contains(&rows.iter().map(|row| row[2]).sum::<u64>())
    );
    let folders: Value = serde_json::from_str(&read(".json")).unwrap();
    assert_eq!(folders["files"][0]["gc_bias"], found["gc_bias"]);

    // Parts are parts of the whole, and neither groups nor regions have windows of their own.
    let bam = crate::common::text(&folder.path("x.bam"));
    ok(&["view", "--quiet", "-b", &no_md, "-o", &bam]);
    let plan = folder.file("plan.json", ok(&["shards", "--number", "2", &bam]).stdout);
    let parts: Vec<String> = (1..=2)
        .map(|part| {
            let shard = format!("{plan}#{part}");
            let run = ok(&["stats", "--json", "-r", &fasta, "--shard", &shard]);
            folder.file(&format!("p{part}.json"), run.stdout)
        })
        .collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let merged = ok(&[&["merge", "--json"][..], &parts[..]].concat());
    let merged: Value = serde_json::from_str(&merged.stdout).unwrap();
    let merged = &merged["files"][0];
    assert_eq!(merged["gc_bias"], found["gc_bias"]);
    assert_eq!(mismatches(merged), mismatches(&found));
    assert_eq!(merged["duplicate_types"], found["duplicate_types"]);
    assert!(of(&["-r", &fasta, "--by", "SM", &no_md])["gc_bias"].is_null());

    let count = |needle: &str| lines.iter().filter(|line| line.contains(needle)).count();
    let types = &found["duplicate_types"];
    assert_eq!((&types["optical"], &types["library"]), (&count("SQ").into(), &count("LB").into()));
    let page = crate::common::text(&folder.path("page.html"));
    // GC bias is drawn where 100 reads are expected.
    let many: String = lines.iter().map(|line| without(line).repeat(5)).collect();
    let many = folder.file("many.sam", header.to_owned() + &many);
    ok(&["stats", "--html", &page, "-r", &fasta, &many]);
    let bare_page = crate::common::text(&folder.path("bare.html"));
    ok(&["stats", "--html", &bare_page, &no_md]);
    let [page, bare_page] = [page, bare_page].map(|page| std::fs::read_to_string(page).unwrap());
    assert!(page.contains("<h4>GC bias</h4>") && page.contains("<h4>Mismatches by position</h4>"));
    // GC is what the terminal shows, without N.
    let shown = ok(&["stats", "-q", &no_md]).stdout;
    let gc: Vec<&str> = shown.lines().last().unwrap().split_whitespace().rev().skip(3).collect();
    let row = |head: &str, cells: &[String]| {
        let titles: String = [head]
            .into_iter()
            .chain(["AT dropout %", "GC dropout %"].into_iter().take(cells.len() - 1))
            .map(|title| {
                format!("<th scope=\"col\" class=\"n\" aria-sort=\"none\"><button type=\"button\">{title}</button></th>")
            })
            .collect();
        let cells: String =
            cells.iter().map(|cell| format!("<td class=\"n\">{cell}</td>")).collect();
        (titles + "</tr>", cells + "</tr>")
    };
    let cells = [gc[0].to_owned()].into_iter().chain(dropouts.map(|share| format!("{share:.2}")));
    for (head, page) in [
        (row("GC %", &cells.collect::<Vec<_>>()), &page),
        (row("GC %", &[gc[0].to_owned()]), &bare_page),
    ] {
        assert!(page.contains(&head.0) && page.contains(&head.1), "{head:?}");
    }
    let fact = page.split("<dt>Optical duplicates</dt><dd>").nth(1).expect("a fact");
    let share: f64 = fact.split(" %").next().unwrap().parse().unwrap();
    assert!((share - 100.0 * count("SQ") as f64 / READS as f64).abs() < 0.006, "{share}");

    let other = folder.file("other.fa", ">other\nACGT\n");
    fails(&["stats", "--json", "-r", &other, &no_md], &["x.sam"]);
}

#[test]
fn what_cannot_be_counted_is_an_error_that_says_why() {
    let folder = Folder::new();
    let sorted = folder.file("x.sam", sam::text(&SORTED));
    let fastq = folder.file("x.fq", "@r\nACGT\n+\nIIII\n");
    let other = folder.file("other.fa", ">other\nACGT\n");
    let not_fasta = folder.file("x.txt", "ACGT\n");
    for (args, expected) in [
        (&["stats", "-T", &sorted, &fastq][..], "separately"),
        (&["stats", "--paired", &sorted, &fastq], "apply to FASTQ"),
        (&["stats", "--format", "samtools", &fastq], "FASTQ"),
        (&["stats", "--format", "samtools", &sorted, &sorted], "one input"),
        (&["stats", "--format", "samtools", "-r", &other, &sorted], "no sequence is named"),
        (&["stats", "--format", "samtools", "-r", &not_fasta, &sorted], "not FASTA"),
        (&["stats", "--format", "samtools", "-r", "/nowhere.fa", &sorted], "/nowhere.fa"),
        (&["stats", "--sample", "s", &sorted, &fastq], "can't be combined"),
    ] {
        fails(args, &[expected]);
    }
    let mixed = ok(&["stats", &sorted, &fastq]);
    assert!(mixed.stdout.contains("mapped %") && mixed.stdout.contains("encoding"));
}

#[test]
fn a_faulty_input_keeps_the_rows_of_the_others() {
    let folder = Folder::new();
    let text = sam::text(&SORTED);
    let good = folder.file("good.sam", &text);
    let cut = folder.file("cut.sam", &text[..text.len() - 200]);
    let run = fails(&["stats", "-T", &good, &cut], &["cut.sam"]);
    let status: Vec<&str> = run.stdout.lines().map(|l| l.rsplit('\t').next().unwrap()).collect();
    assert_eq!(status[..2], ["status", "ok"]);
    assert!(status[2].starts_with("error:"), "{status:?}");
}
