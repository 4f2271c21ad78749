//! Picard's metrics of `stats --out-dir`, on any threads and from any source. `tests/peers` has them beside Picard.

use biofast_testkit::sam;

use crate::common::coverage::at;
use crate::common::stats_picard::{ALL, records, rows};
use crate::common::{Folder, fails, ok, ok_with, silent};

#[test]
fn format_order_threads_and_other_reports_make_no_difference() {
    for seed in [5, 8] {
        let folder = Folder::new();
        let sorted = records(seed, seed == 8);
        let (head, body): (Vec<&str>, Vec<&str>) =
            sorted.lines().partition(|line| line.starts_with('@'));
        let mut body = body;
        body.reverse();
        let unsorted = [head, body].concat().join("\n") + "\n";
        let unsorted = unsorted.replace("SO:coordinate", "SO:unsorted");
        let (input, other) = (folder.file("x.sam", &sorted), folder.file("y.sam", unsorted));
        let fasta = folder.file("ref.fa", sam::fasta(seed));
        let bam = at(&folder, "x.bam");
        ok(&["view", "--quiet", "-b", &input, "-o", &bam]);
        let read = |part: &str| ALL.map(|(ending, _)| rows(&folder, &format!("{part}/s.{ending}")));
        let run = |part: &str, args: &[&str]| {
            let all = ["stats", "--quiet", "--sample", "s", "-r", &fasta, "--out-dir"];
            silent(&[&all[..], &[&at(&folder, part)], args].concat());
            read(part)
        };
        let expected = run("one", &[&input, "--qc", "picard", "-@", "1"]);
        for ((ending, _), text) in ALL.iter().zip(&expected) {
            // The summary is a single row below its columns.
            let least = if ending.ends_with("summary_metrics") { 3 } else { 10 };
            assert!(text.lines().filter(|line| !line.is_empty()).count() >= least, "{ending}");
        }
        let several = ["--chunk-size", "3000", "-@", "5"];
        assert!(run("five", &[&[&bam[..], "--qc", "picard"], &several[..]].concat()) == expected);
        assert!(run("unsorted", &[&other, "--qc", "picard", "-@", "3"]) == expected);
        // Cycles are counted once for samtools and Picard.
        assert!(run("all", &[&bam, "-@", "2"]) == expected);
        for (ending, name) in
            ["alignment-summary", "insert-size", "quality-by-cycle", "quality-distribution"]
                .iter()
                .zip(ALL)
        {
            let (name, (file, _)) = (*ending, name);
            let found = run(name, &[&bam, "--qc", name]);
            for (number, (other, _)) in ALL.iter().enumerate() {
                let wanted = if *other == file { &expected[number][..] } else { "" };
                assert!(found[number] == wanted, "{name}: {other}");
            }
        }
        let piped = ["stats", "--quiet", "-", "--sample", "s", "-r", &fasta, "--out-dir"];
        let out = at(&folder, "piped");
        let piped = [&piped[..], &[&out, "--qc", "picard"]].concat();
        ok_with(&piped, sorted.as_bytes());
        assert!(read("piped") == expected);
    }
}

#[test]
fn without_pairs_there_are_no_insert_sizes_and_bad_fields_are_told() {
    let folder = Folder::new();
    let sam = "@SQ\tSN:c\tLN:99\nr\t0\tc\t3\t60\t4M\t*\t0\t0\tACGT\tIIII\n";
    let input = folder.file("x.sam", sam);
    let out = at(&folder, "qc");
    ok(&["stats", &input, "--out-dir", &out, "--qc", "picard"]);
    assert!(!folder.path("qc/x.insert_size_metrics").exists());
    assert_eq!(
        rows(&folder, "qc/x.quality_distribution_metrics"),
        "\n\n## HISTOGRAM\tjava.lang.Byte\nQUALITY\tCOUNT_OF_Q\n40\t4\n\n"
    );
    let bam = at(&folder, "x.bam");
    ok(&["view", "--quiet", "-u", &input, "-o", &bam]);
    let region = ["stats", &bam, "--out-dir", &out, "--qc", "insert-size", "--region", "c"];
    fails(&region, &["--qc insert-size", "regions"]);
    let without = ["stats", &bam, "--out-dir", &out, "--qc", "gc-bias"];
    fails(&without, &["--qc gc-bias", "--reference"]);
    let gone = ["stats", &input, "--out-dir", &out, "--qc", "picard", "-r", &at(&folder, "no.fa")];
    fails(&gone, &["no.fa"]);
}
