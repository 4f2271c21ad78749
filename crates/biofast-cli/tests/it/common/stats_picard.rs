//! What the cases of `stats_picard` share with those beside peers.

use biofast_testkit::random::Random;
use biofast_testkit::sam::{self, SamShape};

use super::Folder;

/// Files of `CollectMultipleMetrics` and their programs; the last two need a reference.
pub(crate) const ALL: [(&str, &str); 7] = [
    ("alignment_summary_metrics", "CollectAlignmentSummaryMetrics"),
    ("insert_size_metrics", "CollectInsertSizeMetrics"),
    ("quality_by_cycle_metrics", "MeanQualityByCycle"),
    ("quality_distribution_metrics", "QualityScoreDistribution"),
    ("base_distribution_by_cycle_metrics", "CollectBaseDistributionByCycle"),
    ("gc_bias.detail_metrics", "CollectGcBiasMetrics"),
    ("gc_bias.summary_metrics", "CollectGcBiasMetrics"),
];

/// Records of all shapes, with the optional fields that matter, and starts of adapters.
pub(crate) fn records(seed: u64, oddities: bool) -> String {
    of_shape(&SamShape { records: 3000, sorted: true, longest: 140, oddities, seed })
}

/// The same of a number of records.
pub(crate) fn of_shape(shape: &SamShape) -> String {
    let seed = shape.seed;
    let mut random = Random(seed);
    let adapter = "AGATCGGAAGAGCGGTTCAGCAGGAATGCCGAGACCGATCTCGTATGCCGTCTTCTGCTTG";
    let mut out = String::new();
    for line in sam::text(shape).lines() {
        if line.starts_with('@') {
            out += &format!("{line}\n");
            continue;
        }
        let mut fields: Vec<String> = line.split('\t').map(str::to_owned).collect();
        if random.chance(10) && fields[9].len() > 16 {
            let start = random.below(adapter.len() - 16);
            let own = &adapter[start..adapter.len().min(start + fields[9].len())];
            fields[9].replace_range(..own.len(), own);
        }
        let bases = fields[9].len();
        if random.chance(50) {
            fields.push(format!("MQ:i:{}", [0, 19, 20, 60][random.below(4)]));
        }
        if random.chance(5) {
            fields.push("SA:Z:chr1,10,+,10M,60,0;".into());
        }
        if random.chance(5) {
            fields.push(format!("XN:i:{}", random.below(2)));
        }
        if seed % 2 == 1 && fields[10] != "*" {
            let letter = |_| char::from(33 + random.below(41) as u8);
            fields.push(format!("OQ:Z:{}", (0..bases).map(letter).collect::<String>()));
        }
        out += &format!("{}\n", fields.join("\t"));
    }
    out
}

/// The rows of a file, without the four lines that tell command and time.
pub(crate) fn rows(folder: &Folder, name: &str) -> String {
    let file = std::fs::read_to_string(folder.path(name)).unwrap_or_default();
    assert!(file.is_empty() || file.starts_with("## htsjdk.samtools.metrics.StringHeader\n# "));
    file.lines().skip(4).fold(String::new(), |all, line| all + line + "\n")
}
