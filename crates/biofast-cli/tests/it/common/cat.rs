//! What the cases of `cat` share with those beside peers.

use biofast_testkit::sam::{self, SamShape};

use super::{Folder, biofast, ok, text};

/// BAM files of the same references.
pub(crate) fn parts(folder: &Folder, n: u64) -> Vec<String> {
    let part = |seed| {
        let records = 100 + 50 * seed as usize;
        let shape = SamShape { records, sorted: false, longest: 150, oddities: true, seed };
        let sam = folder.file("x.sam", sam::text(&shape));
        let bam = text(&folder.path(&format!("{seed}.bam")));
        ok(&["view", "-b", "--no-PG", &sam, "-o", &bam]);
        bam
    };
    (1..=n).map(part).collect()
}

/// SAM with two read groups, of which some records have one, in front of other tags or behind them.
pub(crate) fn grouped(folder: &Folder) -> String {
    let path = parts(folder, 1).remove(0);
    let sam = biofast(&["view", "-h", "--no-PG", &path]).stdout;
    let mut text = String::new();
    for (number, line) in sam.lines().enumerate() {
        let fields: Vec<&str> = line.split('\t').collect();
        text += &match number % 3 {
            _ if line.starts_with("@HD") => format!("{line}\n@RG\tID:known\tSM:k\n@RG\tID:other"),
            1 if !line.starts_with('@') => format!("{line}\tRG:Z:other"),
            2 if !line.starts_with('@') => {
                let (first, tags) = fields.split_at(11);
                [first, &["RG:Z:known"], tags].concat().join("\t")
            }
            _ => line.to_owned(),
        };
        text += "\n";
    }
    text
}
