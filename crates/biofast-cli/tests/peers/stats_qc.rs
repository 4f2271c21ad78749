//! Files of `stats --out-dir` beside samtools and mosdepth.

use biofast_testkit::sam::{self, SamShape};

use crate::common::Folder;
use crate::common::alignment_stats::comparable;
use crate::common::coverage::{at, content, folder};
use crate::common::stats_qc::{files, names, run, write_one_by_one};
use crate::tools::{self, corpus, need};

#[test]
#[ignore = "needs samtools"]
fn files_of_cram_are_those_of_commands_of_their_own() {
    for seed in 1..4 {
        let folder = Folder::new();
        let shape =
            SamShape { records: 2000, sorted: true, longest: 150, oddities: seed > 1, seed };
        let sam = folder.file("x.sam", sam::text(&shape));
        let (fasta, cram) = (folder.file("ref.fa", sam::fasta(seed)), at(&folder, "x.cram"));
        let args = ["view", "-C", "-T", &fasta, "-o", &cram, &sam];
        tools::run(need("samtools").args(args));
        let reference = ["-r", &fasta];
        write_one_by_one(&folder, &cram, &[], &reference);
        let out = at(&folder, "qc");
        run(&[&["stats", "--quiet", &cram, "--out-dir", &out], &reference[..]].concat());
        let (found, expected) = (files(&folder, "qc"), files(&folder, "own"));
        assert_eq!(names(&found), names(&expected));
        for (found, expected) in found.iter().zip(&expected) {
            assert!(found.1 == expected.1, "{} of seed {seed}", found.0);
        }
    }
}

fn compare(folder: &Folder, bam: &str) {
    let out = at(folder, "qc");
    // The recipe of docs/recipes.md.
    let bed: Vec<String> = match folder.path("x.bed").exists() {
        true => vec!["--by".into(), at(folder, "x.bed")],
        false => Vec::new(),
    };
    let bed: Vec<&str> = bed.iter().map(String::as_str).collect();
    let common = ["stats", "--quiet", bam, "--out-dir", &out, "--sample", "x"];
    let qc = ["--qc", "stats,flagstat,idxstats,coverage,depth,mosdepth"];
    let compat = ["--compat", "samtools=1.16,mosdepth=0.3.3"];
    run(&[&common[..], &qc, &compat, &bed].concat());
    for (command, name) in [
        (&["stats"][..], "stats"),
        (&["flagstat"], "flagstat"),
        (&["idxstats"], "idxstats"),
        (&["coverage"], "mapped.coverage"),
        (&["depth"], "depth"),
    ] {
        let theirs = tools::run(need("samtools").args(command).arg(bam));
        let own = String::from_utf8(content(&at(folder, &format!("qc/x.{name}")))).unwrap();
        let theirs = String::from_utf8(theirs.stdout).unwrap();
        assert!(comparable(&own) == comparable(&theirs), "{command:?} of {bam}");
    }
    std::fs::create_dir_all(folder.path("theirs")).unwrap();
    let mut mosdepth = need("mosdepth");
    let theirs = mosdepth.args(&bed).args([&at(folder, "theirs/x"), bam]).output().unwrap();
    assert!(theirs.status.success(), "{}", String::from_utf8_lossy(&theirs.stderr));
    for (name, _) in files(folder, "theirs").iter().filter(|(name, _)| !name.ends_with(".csi")) {
        let both = ["qc", "theirs"].map(|part| content(&at(folder, &format!("{part}/{name}"))));
        assert!(both[0] == both[1], "{name} of {bam}");
    }
}

#[test]
#[ignore = "needs samtools 1.16 and mosdepth 0.3.3"]
fn files_are_those_of_samtools_and_mosdepth() {
    for seed in 51..54 {
        let folder = folder(seed);
        compare(&folder, &at(&folder, "x.bam"));
    }
}

/// Third-party files.
mod corpus {
    use super::*;

    #[test]
    #[ignore = "needs samtools 1.16, mosdepth 0.3.3 and the corpus"]
    fn files_of_real_alignments_are_those_of_samtools_and_mosdepth() {
        let real = corpus("real/ecoli_k12_minimap2.bam");
        compare(&Folder::new(), real.to_str().unwrap());
    }
}
