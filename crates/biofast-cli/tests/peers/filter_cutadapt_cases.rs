//! Chosen adapters, and files by adapter, beside cutadapt: the same reads, byte for byte.

use std::process::Stdio;

use crate::common::filter_cutadapt::{
    ADAPTER, NAMED, PRIMER, by_adapter, is_paired, ours, outputs, reads,
};
use crate::common::{Folder, biofast, files_below, text};
use crate::tools::{corpus, need};

fn cutadapt(args: &[&str]) -> String {
    // Several adapters tied to an end are looked up in an index otherwise, which leaves reads that fit two of them alone.
    let mut command = need("cutadapt");
    command.args(["--quiet", "--no-index"]).args(args).stderr(Stdio::piped());
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cutadapt {args:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

fn compare(args: &[&str], input: &[&str]) -> usize {
    let theirs = cutadapt(&[args, &["-m", "1"], input].concat());
    let mut command = ours(args);
    command.splice(0..0, ["filter", "--quiet", "--min-len", "1"].map(str::to_owned));
    command
        .extend(input.iter().map(|&input| input.to_owned()).filter(|arg| arg != "--interleaved"));
    let command: Vec<&str> = command.iter().map(String::as_str).collect();
    let run = biofast(&command);
    assert_eq!(run.code, 0, "{args:?}: {}", run.stderr);
    if run.stdout != theirs {
        let pairs = run.stdout.lines().zip(theirs.lines());
        let differ = pairs.clone().filter(|(a, b)| a != b).count();
        let first = pairs.clone().position(|(a, b)| a != b);
        let lines = [&run.stdout, &theirs].map(|text| text.lines().count());
        let at = first.unwrap_or(0) / 4 * 4;
        let ours: Vec<_> = run.stdout.lines().skip(at).take(2).collect();
        let theirs: Vec<_> = theirs.lines().skip(at).take(2).collect();
        panic!("{args:?}: {differ} lines differ, of {lines:?}: {ours:?}, but {theirs:?}");
    }
    theirs.lines().count() / 4
}

const LONE: &[&[&str]] = &[
    &["-a", ADAPTER],
    &["-a", ADAPTER, "-e", "0.2"],
    &["-a", ADAPTER, "-e", "0"],
    &["-a", ADAPTER, "-e", "3", "-O", "8"],
    &["-a", ADAPTER, "--no-indels", "-e", "0.15"],
    &["-a", ADAPTER, "-O", "1", "-n", "3"],
    &["-a", "AGATCGGAAGAGCACACGTCTGAACTCCAGTCAX", "-e", "0.2"],
    &["-a", "AGATCGGAAGAGCACACGTCTGAACTCCAGTCA$", "-e", "0.2"],
    &["-a", "AGATCGGAAGAGC$", "-e", "0.2", "--no-indels"],
    &["-a", "AGATCGGAAGAGC;rightmost", "-e", "0.2"],
    &["-a", "AGATCGGAAGAGC;anywhere", "-e", "0.2"],
    &["-g", PRIMER],
    &["-g", PRIMER, "-e", "0.25", "-O", "5"],
    &["-g", "^GTGCCAGCMGCCGCGGTAA", "-e", "0.2"],
    &["-g", "^GTGCCAGCMGCCGCGGTAA", "-e", "0.2", "--no-indels"],
    &["-g", "XGTGCCAGCMGCCGCGGTAA", "-e", "0.2"],
    &["-g", "GTGCCAGCMGCCGCGGTAA;rightmost;e=0.2"],
    &["-g", PRIMER, "-N", "-e", "0.2"],
    &["-b", PRIMER, "-e", "0.2"],
    &["-b", ADAPTER, "-b", PRIMER, "-n", "2"],
    &["-a", "^GTGCCAGCMGCCGCGGTAA...AGATCGGAAGAGCACACG", "-e", "0.2"],
    &["-a", "GTGCCAGCMGCCGCGGTAA...AGATCGGAAGAGCACACG", "-e", "0.2"],
    &["-g", "GTGCCAGCMGCCGCGGTAA...AGATCGGAAGAGCACACG", "-e", "0.2", "--discard-untrimmed"],
    &["-g", "GTGCCAGCMGCCGCGGTAA;optional...AGATCGGAAGAGCACACG$"],
    &["-g", "GTGCCAGCMGCCGCGGTAA;optional...AGATCGGAAGAGCACACGX;o=3;required"],
    &["-a", "AGATCGGNNNAGCACNCG", "-e", "0.2"],
    &["-a", "AGATCGGNNNAGCACNCG", "-e", "0.2", "--no-indels", "-O", "2"],
    &["-a", ADAPTER, "--match-read-wildcards", "-e", "0.15"],
    &["-a", "AGATCGGA{2}GAGC", "--match-read-wildcards", "-g", "NNGCMGCCGCGG"],
    &["-a", ADAPTER, "-g", PRIMER, "-n", "2", "--action", "mask"],
    &["-a", ADAPTER, "-g", PRIMER, "-n", "2", "--action", "lowercase"],
    &["-a", ADAPTER, "-g", PRIMER, "--action", "none", "--discard-trimmed"],
    &["-a", ADAPTER, "-g", PRIMER, "--action", "retain"],
    &["-a", ADAPTER, "-g", PRIMER, "--action", "crop"],
    &["-a", "one=AGATCGGAAGAGC", "-a", "two=AGATCGCAACAGC", "-a", "CACACGTCT", "-e", "0.2"],
    &["-g", "^GTGCCAGC", "-g", "^GTGCCTGC;e=0.3", "-a", "TCCAGTCA$", "-a", "TCCACTCA$"],
];

#[test]
#[ignore = "needs cutadapt"]
fn made_reads_are_cut_as_cutadapt_cuts_them() {
    let folder = Folder::new();
    let [one, _] = reads(1, 6000);
    let input = folder.file("r.fq", one);
    // Beyond the end of a read that is shorter than the adapter cutadapt sees what is there in memory, and so finds now and then
    // that the read lies inside of the adapter.
    let long = text(&folder.path("long.fq"));
    let run = biofast(&["filter", "--quiet", "--min-len", "40", &input, "-o", &long]);
    assert_eq!(run.code, 0);
    for args in LONE {
        let anywhere = args.iter().any(|arg| *arg == "-b" || arg.contains("anywhere"));
        let input = if anywhere { &long } else { &input };
        assert!(compare(args, &[input]) > 100, "{args:?}");
    }
    let list =
        folder.file("a.fa", format!(">x y\n{}\n{}\n>z\nTCCAGTCA\n", &ADAPTER[..9], &ADAPTER[9..]));
    compare(&["-a", &format!("file:{list}"), "-e", "0.2"], &[&input]);
    compare(&["-a", &format!("file$:{list};e=0.2;noindels")], &[&input]);
    compare(&["-g", &format!("^file:{list};max_error_rate=0.2"), "-n", "2"], &[&input]);
}

#[test]
#[ignore = "needs cutadapt"]
fn made_pairs_are_cut_as_cutadapt_cuts_them() {
    let folder = Folder::new();
    let [one, two] = reads(2, 3000);
    let (one, two) = (folder.file("1.fq", one), folder.file("2.fq", two));
    for args in [
        &["-a", ADAPTER, "-A", ADAPTER, "-e", "0.2"][..],
        &["-a", ADAPTER, "-G", PRIMER, "-A", "CACACGTCTGAA"],
        &["-a", ADAPTER, "--discard-untrimmed"],
        &["-A", ADAPTER, "--discard-trimmed"],
        &["-a", ADAPTER, "-A", ADAPTER, "--discard-untrimmed"],
        &["-g", PRIMER, "-G", PRIMER, "--action", "mask", "-e", "0.2"],
    ] {
        assert!(compare(args, &["--interleaved", &one, &two]) > 100, "{args:?}");
    }
}

/// Each read is in the file of the adapter that was cut last.
#[test]
#[ignore = "needs cutadapt"]
fn reads_go_to_the_files_of_their_adapters_as_with_cutadapt() {
    let folder = Folder::new();
    let [one, two] = reads(9, 300);
    let inputs = [folder.file("1.fq", one), folder.file("2.fq", two)];
    for (number, set) in NAMED.into_iter().enumerate() {
        let theirs = Folder::new();
        let [first, second] = outputs(number, &theirs);
        let mut command = set.to_vec();
        command.extend(["-m", "1", "-o", &first]);
        if is_paired(number) {
            command.extend(["-p", &second]);
        }
        command.extend(inputs[..1 + usize::from(is_paired(number))].iter().map(String::as_str));
        cutadapt(&command);
        let (written, theirs) = (by_adapter(number, &inputs, "3"), files_below(&theirs.path("")));
        assert_eq!(
            written.keys().collect::<Vec<_>>(),
            theirs.keys().collect::<Vec<_>>(),
            "{set:?}"
        );
        for (name, ours) in &written {
            assert!(*ours == theirs[name], "{set:?}: {name} differs");
        }
    }
}

/// Third-party files.
mod corpus {
    use super::*;

    #[test]
    #[ignore = "needs cutadapt and the corpus"]
    fn real_reads_are_cut_as_cutadapt_cuts_them() {
        let folder = Folder::new();
        for name in ["chipseq_SRR5204809-10_R1", "novaseq4_metagenome_R1", "bacteroides_6level_R2"]
        {
            let path = corpus(&format!("real/{name}.fastq.gz"));
            let few = text(&folder.path("few.fq"));
            let head = ["filter", "--quiet", "--head", "20000", path.to_str().unwrap(), "-o", &few];
            assert_eq!(biofast(&head).code, 0);
            compare(&["-a", ADAPTER], &[&few]);
            compare(&["-a", ADAPTER, "-e", "0.2", "-O", "1", "-n", "2"], &[&few]);
            compare(
                &["-b", "CTGTCTCTTATACACATCT", "-g", "AGATGTGTATAAGAGACAG", "-n", "2"],
                &[&few],
            );
        }
    }
}
