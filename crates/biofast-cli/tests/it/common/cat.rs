//! What the cases of `cat` share with those beside peers.

use biofast_testkit::sam::{self, SamShape};

use super::{Folder, biofast, text};

/// BAM files of the same references.
pub(crate) fn parts(folder: &Folder, n: u64) -> Vec<String> {
    let part = |seed| {
        let records = 100 + 50 * seed as usize;
        let shape = SamShape { records, sorted: false, longest: 150, oddities: true, seed };
        let sam = folder.file("x.sam", sam::text(&shape));
        let bam = text(&folder.path(&format!("{seed}.bam")));
        assert_eq!(biofast(&["view", "-b", "--no-PG", &sam, "-o", &bam]).code, 0);
        bam
    };
    (1..=n).map(part).collect()
}
