//! CRAM that biofast writes, read by samtools 1.16 and 1.24 and by Picard (htsjdk); indexes beside those of `samtools index`.

use std::process::Command;

use biofast_testkit::sam::{self, SamShape};

use crate::common::cram_out::{WAYS, fasta, held, odd};
use crate::common::{Folder, biofast, text, words};
use crate::fixmate::real_alignments;
use crate::tools::{ThirdParty, need, picard, run, samtools_of_pysam, third_party};

/// Writes CRAM in a way of `WAYS`, with its index; returns its path, and the option that readers need.
fn written(folder: &Folder, input: &str, (format, options): (&str, &str)) -> (String, Vec<String>) {
    let (cram, reference) = (text(&folder.path("o.cram")), text(&folder.path("r.fa")));
    let options = options.replace("r.fa", &reference);
    let line =
        format!("filter --quiet --no-PG {input} --write-index -O {format} {options} -o {cram}");
    let run = biofast(&words(&line));
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{line}");
    let needs = options.starts_with("-T") && !options.contains("embed");
    (cram, if needs { vec!["-T".to_owned(), reference] } else { Vec::new() })
}

/// The records that each version of samtools finds.
fn read_by_samtools(cram: &str, needs: &[String]) -> [Vec<String>; 2] {
    let needs = needs.iter().map(String::as_str);
    let words: Vec<&str> = ["view", "--no-PG", cram].into_iter().chain(needs).collect();
    [samtools(&words), samtools_of_pysam(&words)].map(|mut program| held(&output(&mut program)))
}

fn samtools(words: &[&str]) -> Command {
    let mut command = need("samtools");
    command.args(words);
    command
}

fn output(command: &mut Command) -> String {
    String::from_utf8(run(command).stdout).unwrap()
}

fn records(input: &str) -> Vec<String> {
    let run = biofast(&["view", input]);
    assert_eq!(run.code, 0, "{run:?}");
    held(&run.stdout)
}

#[track_caller]
fn assert_same(found: &[String], expected: &[String], what: &dyn std::fmt::Debug) {
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found, expected, "{what:?}");
    }
    assert_eq!(found.len(), expected.len(), "{what:?}");
}

/// Records of all kinds, and random ones: sorted, and in no order.
fn inputs(folder: &Folder) -> Vec<(String, String)> {
    let sort = |from: &str, to: &str| {
        let to = text(&folder.path(to));
        let run = biofast(&["sort", "-q", "--no-PG", from, "-o", &to]);
        assert_eq!(run.code, 0, "{run:?}");
        to
    };
    let shape = SamShape { records: 25_000, sorted: false, longest: 150, oddities: true, seed: 3 };
    // A read that starts behind the end of its reference stops Picard.
    let odd = odd("unsorted");
    let kept = odd.lines().filter(|line| !line.starts_with("behind-end"));
    let odd = folder.file("odd.sam", kept.map(|line| format!("{line}\n")).collect::<String>());
    let random = folder.file("random.sam", sam::text(&shape));
    let (odd_sorted, random_sorted) = (sort(&odd, "odd.bam"), sort(&random, "random.bam"));
    let of_odd = fasta();
    let of_random = sam::fasta(shape.seed);
    vec![
        (odd, of_odd.clone()),
        (odd_sorted, of_odd),
        (random, of_random.clone()),
        (random_sorted, of_random),
    ]
}

#[test]
#[ignore = "needs samtools 1.16 and 1.24 (pysam)"]
fn samtools_reads_the_records_and_makes_the_same_index() {
    let folder = Folder::new();
    for (input, fasta) in inputs(&folder) {
        folder.file("r.fa", fasta);
        let _ = std::fs::remove_file(folder.path("r.fa.fai"));
        let expected = records(&input);
        for way in WAYS {
            if way.1.contains("embed") && input.ends_with(".sam") {
                continue;
            }
            let (cram, needs) = written(&folder, &input, way);
            for found in read_by_samtools(&cram, &needs) {
                assert_same(&found, &expected, &(&input, way));
            }
            if input.ends_with(".sam") {
                // samtools indexes what is sorted.
                continue;
            }
            let theirs = text(&folder.path("theirs.crai"));
            output(&mut samtools(&["index", &cram, &theirs]));
            let lines = |path: &str| output(need("zcat").arg(path));
            assert_eq!(lines(&format!("{cram}.crai")), lines(&theirs), "{input} {way:?}");
        }
    }
}

#[test]
#[ignore = "needs Picard 3.4 and samtools 1.16"]
fn picard_reads_the_records() {
    let folder = Folder::new();
    for (input, fasta) in inputs(&folder) {
        let reference = folder.file("r.fa", fasta);
        let _ = std::fs::remove_file(folder.path("r.fa.fai"));
        output(&mut samtools(&["faidx", &reference]));
        let dictionary = text(&folder.path("r.dict"));
        output(&mut samtools(&["dict", &reference, "-o", &dictionary]));
        // It knows 3.0 only, doesn't make MD and NM, shows htslib's note that there were none, and changes some tags.
        let without_tags = |records: &[String]| -> Vec<String> {
            let fields = |record: &String| {
                let mut fields: Vec<String> = record.split('\t').take(11).map(Into::into).collect();
                if fields[6] == "*" {
                    // The mate's position of a read that isn't paired.
                    fields[7] = "0".into();
                }
                let flags: u16 = fields[1].parse().unwrap();
                if flags & 1 == 0 {
                    // Flags of the mate of a read that isn't paired.
                    fields[1] = (flags & !0xea).to_string();
                }
                fields[5] = fields[5].replace("3S4S", "7S");
                fields.join("\t")
            };
            records.iter().map(fields).collect()
        };
        let expected = without_tags(&records(&input));
        for way in &WAYS[..3] {
            if way.1.contains("embed") && input.ends_with(".sam") {
                continue;
            }
            let (cram, needs) = written(&folder, &input, *way);
            let sam = text(&folder.path("picard.sam"));
            let mut program = picard("SamFormatConverter");
            program.args(["-I", &cram, "-O", &sam, "--VALIDATION_STRINGENCY", "SILENT"]);
            if !needs.is_empty() {
                program.args(["-R", &reference]);
            }
            output(&mut program);
            let found = without_tags(&held(&std::fs::read_to_string(&sam).unwrap()));
            assert_same(&found, &expected, &(&input, way));
        }
    }
}

#[test]
#[ignore = "needs samtools 1.16 and 1.24 (pysam) and the corpus"]
fn samtools_reads_what_was_made_of_the_corpus() {
    let folder = Folder::new();
    let mut compared = 0;
    let files = third_party()
        .into_iter()
        .filter(|file| matches!(file.kind.as_str(), "sam" | "bam") && file.verdict == "valid");
    let paths = files.map(|ThirdParty { path, .. }| text(&path)).chain(real_alignments());
    for path in paths {
        let read = biofast(&["view", &path]);
        if read.code != 0 {
            // Positions beyond those of BAM.
            continue;
        }
        let expected = held(&read.stdout);
        // samtools 1.24 can't open CRAM with empty comments, its own included; and some headers can't be written.
        let run = biofast(&["view", "-H", "--no-PG", &path]);
        let header = run.stdout;
        if run.code != 0 || header.lines().any(|line| matches!(line, "@CO" | "@CO\t")) {
            continue;
        }
        for way in [WAYS[2], WAYS[5]] {
            let (cram, needs) = written(&folder, &path, way);
            for found in read_by_samtools(&cram, &needs) {
                assert_same(&found, &expected, &(&path, way));
            }
        }
        compared += 1;
    }
    assert!(compared > 500, "{compared}");
}
