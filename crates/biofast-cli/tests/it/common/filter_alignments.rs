//! What the cases of `filter_alignments` share with those beside peers.

use biofast_testkit::sam::{self, SamShape};

use super::{Folder, ok, text};

/// Alignments with read groups and more optional fields.
pub(crate) fn alignments(records: usize, sorted: bool, seed: u64) -> String {
    let plain = sam::text(&SamShape { records, sorted, longest: 150, oddities: false, seed });
    let mut out = String::new();
    for (n, line) in plain.lines().enumerate() {
        out.push_str(line);
        if line.starts_with("@SQ") && line.contains("chr1\t") {
            out.push_str("\n@RG\tID:one\tSM:s\n@RG\tSM:s\tID:two\n@RG\tID:three");
        }
        if !line.starts_with('@') {
            match n * 7 % 11 {
                0..3 => out.push_str("\tRG:Z:one"),
                3..6 => out.push_str("\tRG:Z:two\tXA:A:x"),
                6..8 => out.push_str("\tXX:i:-5\tRG:Z:three"),
                8 => out.push_str("\tXX:i:70000\tXA:A:y\tXF:f:1.5"),
                9 => out.push_str("\tXX:Z:some text\tXB:B:c,1,2"),
                _ => {}
            }
        }
        out.push('\n');
    }
    out
}

/// A folder with `a.sam`, `a.bam` and its index, and lists.
pub(crate) struct Inputs {
    pub(crate) folder: Folder,
    pub(crate) sam: String,
    pub(crate) bam: String,
}

impl Inputs {
    pub(crate) fn new(records: usize, seed: u64) -> Inputs {
        let folder = Folder::new();
        let sam = folder.file("a.sam", alignments(records, true, seed));
        let bam = text(&folder.path("a.bam"));
        ok(&["view", "--no-PG", "-b", &sam, "-o", &bam]);
        ok(&["index", &bam]);
        let (first, second) = (sam::REFERENCES[0].0, sam::REFERENCES[2].0);
        folder.file("a.bed", format!("{first}\t10\t5000\n{second}\t0\t300\n{first}\t9000\t9100\n"));
        let names: String = (0..records).step_by(7).map(|n| format!("read{n}\n")).collect();
        folder.file("names", format!("{names}read1 read3\tread5\r\n"));
        folder.file("groups", "three\ntwo\n");
        folder.file("values", "-5 70000\nsome\n");
        folder.file("none", "");
        Inputs { folder, sam, bam }
    }

    /// Arguments in which `FOLDER/` stands for the folder.
    pub(crate) fn args(&self, args: &[&str]) -> Vec<String> {
        let folder = text(&self.folder.path(""));
        args.iter().map(|arg| arg.replace("FOLDER/", &folder)).collect()
    }
}

pub(crate) fn as_strs(args: &[String]) -> Vec<&str> {
    args.iter().map(String::as_str).collect()
}
