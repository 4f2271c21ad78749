//! What the cases of `html` share with those beside peers.

use std::path::PathBuf;

use biofast_testkit::sam::{self, SamShape};

use super::{Folder, biofast, long_reads, ok, reads, sample, silent, text};

/// A name that would leave its place anywhere in a page.
pub(crate) const EVIL: &str = "</script><script>fail()</script>\"'&\n\u{202e}<!--";

/// A sorted BAM file of generated records.
pub(crate) fn bam(folder: &Folder, name: &str) -> String {
    let shape = SamShape { records: 2000, sorted: true, longest: 150, oddities: false, seed: 7 };
    let sam = folder.file(&format!("{name}.sam"), sam::text(&shape));
    let path = text(&folder.path(name));
    silent(&["view", "-b", &sam, "-o", &path]);
    path
}

/// Pages of reads and alignments, of alignments, and of a filter's run.
pub(crate) fn pages(folder: &Folder) -> Vec<(&'static str, PathBuf)> {
    let [mixed, filter, chosen] =
        ["mixed.html", "filter.html", "chosen.html"].map(|name| folder.path(name));
    let broken = folder.file("broken.fq", &reads("r", 40)[..3000]);
    let long = folder.file("long.fq", long_reads(60));
    let empty = folder.file("empty.fq", "");
    let aligned = bam(folder, "a.bam");
    let bare = "@SQ\tSN:c\tLN:99\nr\t0\tc\t1\t60\t8M\t*\t0\t0\tACGTACGT\t*\n";
    let bare = folder.file("bare.sam", bare);
    let (r1, r2) = (sample("sample_R1.fq.bgz"), sample("sample_R2.fq.bgz"));
    let files = [&r1, &r2, &broken, &long, &empty, &aligned, &bare];
    let mut args = vec!["stats", "-q", "--html", mixed.to_str().unwrap()];
    for (file, name) in files.iter().zip([EVIL, "10", "9", "long", "empty", "aligned", "bare"]) {
        args.extend([file.as_str(), "--sample", name]);
    }
    assert_eq!(biofast(&args).code, 2, "one of the files is broken");
    let [out, out2] = ["1.fq", "2.fq"].map(|name| text(&folder.path(name)));
    let args = ["filter", &r1, &r2, "-o", &out, "--out2", &out2, "--min-mean-qual", "20"];
    let more = ["--cut-tail", "--detect-adapter", "--html", filter.to_str().unwrap()];
    let fastp = text(&folder.path("filter.fastp.json"));
    let more = [&more[..], &["--fastp-json", &fastp]].concat();
    ok(&[&args[..], &more].concat());
    let out = text(&folder.path("chosen.bam"));
    ok(&["filter", "-q", "30", &aligned, "-o", &out, "--html", chosen.to_str().unwrap()]);
    let depths = folder.path("depths.html");
    let targets = (0..40).map(|i| format!("chr1\t{}\t{}\texon<{i}>\n", 900 * i, 900 * i + 100));
    let bed = folder.file("targets.bed", targets.collect::<String>());
    ok(&["coverage", "--quiet", "--by", &bed, &aligned, "--html", depths.to_str().unwrap()]);
    let [past, trend] = ["past.html", "trend.html"].map(|name| text(&folder.path(name)));
    let runs = text(&folder.path("runs"));
    std::fs::create_dir(&runs).unwrap();
    for i in 0..15 {
        let file = folder.file(&format!("past{i}.fq"), reads("r", 60 + i));
        ok(&[
            "stats",
            "-q",
            "--json",
            "--library",
            "any",
            &file,
            "-o",
            &format!("{runs}/{i}.json"),
        ]);
    }
    let few = folder.file("few.fq", reads("r", 8));
    ok(&["stats", "-q", "--baseline", &runs, &few, "--html", &past]);
    ok(&["merge", "--baseline", &runs, "--html", &trend]);
    vec![
        ("mixed", mixed),
        ("filter", filter),
        ("chosen", chosen),
        ("depths", depths),
        ("past", past.into()),
        ("trend", trend.into()),
    ]
}
