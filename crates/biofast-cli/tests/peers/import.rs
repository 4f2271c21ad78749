//! `biofast import` beside samtools.

use std::process::{Command, Stdio};

use crate::common::{self, Folder, command, reads};
use crate::tools::Samtools;

/// Alignment lines of the BAM that a program writes to standard output.
fn lines(mut command: Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    let view = common::biofast_with(&["view", "-"], &output.stdout);
    assert_eq!(view.code, 0, "{}", view.stderr);
    view.stdout
}

#[test]
#[ignore = "needs samtools 1.16 and 1.24 (pysam)"]
fn reads_are_stored_as_samtools_stores_them() {
    let folder = Folder::new();
    let fastq = |suffix: &str| {
        let text = reads("r", 300).replace(" x\n", &format!("{suffix}\tXX:i:5\tRG:Z:own\n"));
        folder.file(&format!("{}.fq", suffix.len() + suffix.matches('2').count()), text)
    };
    let (plain, first, second) = (fastq(""), fastq("/1"), fastq("/2"));
    let twin = folder.file("twin.fq", std::fs::read(&plain).unwrap());
    let mixed = folder.file(
        "mixed.fq",
        "@a/1 1:N:0:ACGT\nACan\n+\nIIII\n@a/2 2:Y:0:ACGT+GT\nACGT\n+\n!~II\n@b 1:Y:0:7\nA\n+\nI\n\
         @c 2:N:0:7\tXX:i:-7\nRYkm\n+\nIIII\n@d 1:N:0\nA\n+\nI\n@e 1:N:18:AC-GT\nRYkm\n+\nIIII\n",
    );
    for options in [
        &[&*plain][..],
        &[&first, &second],
        &["-1", &plain, "-2", &twin],
        &["-1", &plain],
        &["-0", &plain],
        &["-s", &mixed],
        &["-T", "*", &first, &second],
        &["-T", "", &first, &second],
        &["-T", "XX", &plain],
        &["-R", "g", &first],
        &["-r", "ID:g", "-r", "SM:s", &first, &second],
        &["-i", &mixed],
        &["-i", "-T", "XX", "--barcode-tag", "ZB", &mixed],
    ] {
        let ours = lines(command(&[&["import", "--no-PG"], options].concat()));
        for version in Samtools::BOTH {
            let mut theirs = version.command(&[&["import", "-O", "bam"], options].concat());
            theirs.stderr(Stdio::null());
            assert!(ours == lines(theirs), "{version:?} {options:?}");
        }
    }
    for options in [
        &[&*plain][..],
        &["-r", "ID:g", "-r", "SM:s", &first],
        &[&first, &second],
        &["-1", &first, "-2", &second, "-i", "-R", "g"],
        &["-1", &first],
        &["-0", &plain, "-i"],
        &["-s", &mixed],
    ] {
        let ours = command(&[&["import", "--no-PG"], options].concat()).output().unwrap().stdout;
        let ours = common::biofast_with(&["view", "-H", "--no-PG", "-"], &ours).stdout;
        let theirs = [&["import", "--no-PG", "-O", "sam"], options].concat();
        let theirs = String::from_utf8(Samtools::Now.printed(&theirs)).unwrap();
        let theirs = theirs.lines().filter(|line| line.starts_with('@'));
        assert_eq!(ours, theirs.map(|line| format!("{line}\n")).collect::<String>(), "{options:?}");
    }
}
