//! What the cases of `stats_qc` share with those beside peers.

use super::{Folder, files_below, silent};
use crate::common::alignment_stats::comparable;
use crate::common::coverage::at;

/// All files in a folder, by name; without the lines that name a command. Those of Picard have no command of their own: see
/// `stats_picard.rs`.
pub(crate) fn files(folder: &Folder, part: &str) -> Vec<(String, Vec<u8>)> {
    let comparable = |(name, bytes): (String, Vec<u8>)| match name.ends_with(".stats") {
        true => (name, comparable(&String::from_utf8(bytes).unwrap()).into_bytes()),
        false => (name, bytes),
    };
    let all = files_below(&folder.path(part)).into_iter();
    all.filter(|(name, _)| !name.ends_with("_metrics")).map(comparable).collect()
}

pub(crate) fn names(files: &[(String, Vec<u8>)]) -> Vec<&str> {
    files.iter().map(|(name, _)| name.as_str()).collect()
}

pub(crate) fn run(args: &[&str]) -> String {
    silent(args).stdout
}

/// Writes the files that are in `folder/qc` to `folder/own` by commands of their own.
pub(crate) fn write_one_by_one(folder: &Folder, input: &str, depths: &[&str], reference: &[&str]) {
    std::fs::create_dir_all(folder.path("own")).unwrap();
    let own = |ending: &str| at(folder, &format!("own/x{ending}"));
    let with = |args: &[&str], more: &[&str]| run(&[args, more, &[input, "--quiet"]].concat());
    with(&["stats", "--format", "samtools", "-o", &own(".stats")], reference);
    with(&["flagstat", "-o", &own(".flagstat")], &[]);
    with(&["idxstats", "-o", &own(".idxstats")], &[]);
    // What is for the files of mosdepth alone, and what counts, is told apart by the letter.
    let counting = depths.iter().position(|option| matches!(*option, "-F" | "-i" | "-Q" | "-R"));
    let counting = counting.map_or(&[][..], |first| &depths[first..]);
    let fasta: Vec<&str> =
        reference.iter().map(|word| if *word == "-r" { "-f" } else { word }).collect();
    let table = ["coverage", "--format", "samtools-coverage", "-o", &own(".mapped.coverage")];
    with(&[&table[..], &fasta].concat(), counting);
    with(&["coverage", "--prefix", &own("")], depths);
    let json = own(".biofast.json");
    with(&["stats", "--json", "-o", &json, "--html", &own(".biofast.html")], reference);
}
