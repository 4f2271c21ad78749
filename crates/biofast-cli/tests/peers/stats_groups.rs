//! `stats --by` beside samtools.

use crate::common::stats_groups::{GROUPS, records, rows};
use crate::common::{Folder, biofast};
use crate::tools::need;

#[test]
#[ignore = "needs samtools"]
fn groups_that_samtools_selects_have_the_counts_it_finds() {
    let folder = Folder::new();
    let input = folder.file("x.sam", records(7));
    let found = rows(&biofast(&["stats", "--json", "--by", "RG", &input]).stdout);
    for (row, (id, ..)) in found[1..].iter().zip(GROUPS) {
        // With -r it counts those without a read group, too.
        let field = format!("RG:{id}");
        let view = ["view", "-c", "-d", &field, &input];
        let output = need("samtools").args(view).output().unwrap();
        let n: u64 = String::from_utf8(output.stdout).unwrap().trim().parse().unwrap();
        let records = &row["records"];
        let sum = |of: &str| records[of]["total"].as_u64().unwrap();
        assert_eq!(sum("passed") + sum("failed"), n);
    }
}
