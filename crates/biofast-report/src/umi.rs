//! Statistics of UMIs as `umi_tools dedup --output-stats` (1.1.6) writes them.

use biofast_ops::umi::{MoleculeCounts, UmiCorrectionCounts, UmiMethod, UmiStatistics, UmiSummary};

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

/// How many families have each number of templates, as fgbio's and fgumi's histograms of family sizes say it.
///
/// ```
/// use biofast_ops::umi::MoleculeCounts;
///
/// let counts = MoleculeCounts { family_sizes: [(1, 3), (4, 1)].into(), ..MoleculeCounts::default() };
/// let text = biofast_report::umi::family_sizes(&counts);
/// assert_eq!(text.lines().nth(1), Some("1\t3\t0.75\t1"));
/// ```
pub fn family_sizes(counts: &MoleculeCounts) -> String {
    let all = counts.family_sizes.values().sum::<u64>() as f64;
    let mut cumulative = 0.0;
    let rows = counts.family_sizes.iter().rev().map(|(size, count)| {
        let fraction = *count as f64 / all;
        cumulative += fraction;
        format!("{size}\t{count}\t{fraction}\t{cumulative}\n")
    });
    let rows: Vec<String> = rows.collect();
    let header = "family_size\tcount\tfraction\tfraction_gt_or_eq_family_size\n".to_owned();
    rows.into_iter().rev().fold(header, |text, row| text + &row)
}

/// How many reads were grouped, and why others weren't, as fgbio's and fgumi's grouping metrics say it.
pub fn grouping_metrics(counts: &MoleculeCounts) -> String {
    let MoleculeCounts { accepted, qc_fail, poor_alignment, n_in_umi, short_umi, .. } = counts;
    format!(
        "accepted_sam_records\tdiscarded_non_pf\tdiscarded_poor_alignment\tdiscarded_ns_in_umi\tdiscarded_umis_to_short\n\
         {accepted}\t{qc_fail}\t{poor_alignment}\t{n_in_umi}\t{short_umi}\n"
    )
}

/// How often each UMI of a list was found, as fgbio's and fgumi's metrics of corrected UMIs say it. The row of `N` has those that were like none.
///
/// ```
/// use biofast_ops::umi::UmiCorrectionCounts;
///
/// let counts = UmiCorrectionCounts { matches: vec![[2, 1, 0, 0], [1, 0, 0, 0]], ..Default::default() };
/// let text = biofast_report::umi::correction_metrics(&["AC".into(), "GT".into()], &counts);
/// assert_eq!(text.lines().nth(1), Some("AC\t3\t2\t1\t0\t0\t0.75\t1.5"));
/// assert_eq!(text.lines().nth(3), Some("NN\t0\t0\t0\t0\t0\t0\t0"));
/// ```
pub fn correction_metrics(umis: &[String], counts: &UmiCorrectionCounts) -> String {
    let sum = |matches: &[u64; 4]| matches.iter().sum::<u64>();
    let matched = counts.matches.iter().map(sum).sum::<u64>();
    let all = (matched + counts.unmatched_umis) as f64;
    let mean = matched as f64 / umis.len() as f64;
    let mut rows: Vec<(&str, u64, [u64; 4])> = umis
        .iter()
        .zip(&counts.matches)
        .map(|(umi, matches)| (umi.as_str(), sum(matches), *matches))
        .collect();
    let unmatched = "N".repeat(umis.first().map_or(0, String::len));
    rows.push((&unmatched, counts.unmatched_umis, [0; 4]));
    rows.sort_unstable();
    let header = "umi\ttotal_matches\tperfect_matches\tone_mismatch_matches\ttwo_mismatch_matches\tother_matches\tfraction_of_matches\trepresentation\n";
    rows.into_iter().fold(header.to_owned(), |text, (umi, total, [zero, one, two, more])| {
        let (fraction, representation) = (java(total as f64 / all), java(total as f64 / mean));
        text + &format!(
            "{umi}\t{total}\t{zero}\t{one}\t{two}\t{more}\t{fraction}\t{representation}\n"
        )
    })
}

/// A number as Java reads it.
fn java(number: f64) -> String {
    if number.is_infinite() { "Infinity".into() } else { number.to_string() }
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
