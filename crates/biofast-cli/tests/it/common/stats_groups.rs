//! What the cases of `stats_groups` share with those beside peers.

use biofast_testkit::random::Random;
use biofast_testkit::sam::{self, SamShape};
use serde_json::Value;

/// `[ID, SM, LB]` of each read group; two share a sample, two a library, and one has neither.
pub(crate) const GROUPS: [(&str, &str, &str); 4] =
    [("a.1", "s1", "l1"), ("a.2", "s1", "l/2"), ("b", "s2", "l1"), ("odd", "", "")];

/// Sorted records, of which some have no read group.
pub(crate) fn records(seed: u64) -> String {
    let shape = SamShape { records: 2500, sorted: true, longest: 140, oddities: false, seed };
    let mut random = Random(seed);
    let (mut out, mut groups_written) = (String::new(), false);
    for line in sam::text(&shape).lines() {
        let is_header = line.starts_with('@');
        if !is_header && !groups_written {
            groups_written = true;
            for (id, sample, library) in GROUPS {
                out += &format!("@RG\tID:{id}");
                for (tag, value) in [("SM", sample), ("LB", library)] {
                    if !value.is_empty() {
                        out += &format!("\t{tag}:{value}");
                    }
                }
                out.push('\n');
            }
        }
        out += line;
        if !is_header && !random.chance(10) {
            out += &format!("\tRG:Z:{}", GROUPS[random.below(GROUPS.len())].0);
        }
        out.push('\n');
    }
    out
}

pub(crate) fn rows(report: &str) -> Vec<Value> {
    let report: Value = serde_json::from_str(report).unwrap();
    report["files"].as_array().unwrap().clone()
}
