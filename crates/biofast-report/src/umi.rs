//! Statistics of UMIs as `umi_tools dedup --output-stats` (1.1.6) writes them.

use biofast_ops::umi::{UmiMethod, UmiStatistics, UmiSummary};

/// What `PREFIX_per_umi_per_position.tsv` holds.
pub fn per_umi_per_position(found: &UmiStatistics) -> String {
    let mut out = String::from("counts\tinstances_pre\tinstances_post\n");
    for (count, [before, after]) in &found.per_umi_per_position {
        out += &format!("{count}\t{before}\t{after}\n");
    }
    out
}

/// What `PREFIX_per_umi.tsv` holds.
pub fn per_umi(found: &UmiStatistics) -> String {
    let mut out = String::from("UMI");
    for stage in ["pre", "post"] {
        out += &format!("\tmedian_counts_{stage}\ttimes_observed_{stage}\ttotal_counts_{stage}");
    }
    out += "\n";
    for umi in &found.per_umi {
        out += &String::from_utf8_lossy(&umi.umi);
        for UmiSummary { median, places, total } in [umi.before, umi.after] {
            out += &format!("\t{median}\t{places}\t{total}");
        }
        out += "\n";
    }
    out
}

/// What `PREFIX_edit_distance.tsv` holds. The columns of drawn UMIs differ from those of umi_tools, which draws others in each run.
///
/// ```
/// use biofast_ops::umi::{UmiMethod, UmiStatistics};
///
/// let found = UmiStatistics { edit_distance: vec![[3, 3, 4, 4], [1, 0, 0, 0]], ..UmiStatistics::default() };
/// let text = biofast_report::umi::edit_distance(&found, UmiMethod::Cluster);
/// assert_eq!(text.lines().next(), Some("unique\tunique_null\tcluster\tcluster_null\tedit_distance"));
/// assert_eq!(text.lines().nth(1), Some("3\t3\t4\t4\tSingle_UMI"));
/// ```
pub fn edit_distance(found: &UmiStatistics, method: UmiMethod) -> String {
    let method = name_of(method);
    let mut out = format!("unique\tunique_null\t{method}\t{method}_null\tedit_distance\n");
    for (bin, [before, before_null, after, after_null]) in found.edit_distance.iter().enumerate() {
        out += &format!("{before}\t{before_null}\t{after}\t{after_null}\t");
        out += &bin.checked_sub(1).map_or_else(|| "Single_UMI".into(), |bin| bin.to_string());
        out += "\n";
    }
    out
}

/// The header of the rows of `umi_tools group --group-out`.
pub const GROUP_HEADER: &str =
    "read_id\tcontig\tposition\tgene\tumi\tumi_count\tfinal_umi\tfinal_umi_count\tunique_id\n";

fn name_of(method: UmiMethod) -> &'static str {
    match method {
        UmiMethod::Unique => "unique",
        UmiMethod::Percentile => "percentile",
        UmiMethod::Cluster => "cluster",
        UmiMethod::Adjacency => "adjacency",
        UmiMethod::Directional => "directional",
    }
}
