//! What a page of depths is made of.

use biofast_ops::measure::coverage::{Distribution, TargetDepths};
use biofast_ops::measure::verdicts::{Assessment, VerdictRules};

/// About as many windows cover all references.
const WINDOWS: u64 = 1500;

/// How long the windows are whose depths are drawn along references of these lengths.
pub fn window_length(lengths: impl Iterator<Item = u64>) -> u32 {
    u32::try_from(lengths.sum::<u64>().div_ceil(WINDOWS).max(1)).unwrap_or(u32::MAX)
}

/// The depths of a sample.
///
/// ```
/// use biofast_ops::coverage::{DepthRun, Distribution};
/// use biofast_report::html::{Depths, coverage};
///
/// let mut all = Distribution::default();
/// all.add(DepthRun { from: 0, to: 100, depth: 12 });
/// let references = vec![("chr1".into(), all.clone())];
/// let lane = Depths { sample: "lane1.bam".into(), all, references, windows: None, targets: None, verdicts: None };
/// let page = coverage(None, &[lane]);
/// assert!(page.contains("<td class=\"n\">12.00</td>"));
/// ```
pub struct Depths {
    /// The file.
    pub sample: String,
    /// Of all positions.
    pub all: Distribution,
    /// Of each reference, by the name it is listed by.
    pub references: Vec<(String, Distribution)>,
    /// Of windows of [`window_length`] along the references, if they are drawn.
    pub windows: Option<TargetDepths>,
    /// Of targets, if there are any.
    pub targets: Option<TargetDepths>,
    /// What they are worth, if they were judged.
    pub verdicts: Option<Assessment>,
}

impl Depths {
    /// Judges the depths of the targets, or of all positions where there are none.
    pub fn judge(&mut self, rules: &VerdictRules) -> Assessment {
        let found = Assessment::of_depths(self.main(), self.targets.is_some(), rules);
        self.verdicts = Some(found.clone());
        found
    }

    /// What is judged by: the targets, where there are some.
    pub(super) fn main(&self) -> &Distribution {
        self.targets.as_ref().map_or(&self.all, TargetDepths::together)
    }
}
