//! Depths as a measure beside others.

use std::any::TypeId;
use std::sync::Mutex;

use biofast_bam::{Batch, Header};

use super::collector::{DepthCollector, Unsorted};
use super::run::DepthSink;
use super::spans::{Counting, DepthRules, ReferenceSums, SpanRules, Spans};
use crate::measure::qc::{Finished, Flow, Measure, Ordered, ReadingEnd};

/// Passes the depths of sorted records to a sink, which is then found; with [`DepthRules::sums`] also the [`ReferenceSums`] of
/// each reference.
pub struct DepthMeasure<D> {
    rules: DepthRules,
    /// Taken by those who have them to themselves: no lock is waited for.
    sinks: Mutex<Vec<Option<D>>>,
}

impl<D: DepthSink + Send + 'static> DepthMeasure<D> {
    /// By these rules, with a sink for all records, and one for each group.
    pub fn new(rules: DepthRules, sinks: impl IntoIterator<Item = D>) -> DepthMeasure<D> {
        DepthMeasure { rules, sinks: Mutex::new(sinks.into_iter().map(Some).collect()) }
    }
}

impl<D: DepthSink + Send + 'static> Measure for DepthMeasure<D> {
    type Counts = ();
    type Ordered = Option<DepthCollector<D>>;

    fn gives(&self) -> Vec<TypeId> {
        vec![TypeId::of::<D>()]
    }

    fn spans(&self) -> Option<SpanRules> {
        Some(SpanRules { rules: self.rules.clone(), is_part: false })
    }

    fn start(&self) {}

    fn begin(&mut self, header: &Header, part: usize) -> Option<DepthCollector<D>> {
        let sink = self.sinks.get_mut().ok()?.get_mut(part)?.take()?;
        Some(match self.rules.counting {
            Counting::Once => DepthCollector::new(header, sink),
            // The spans may be those of others, for whom mates count once.
            Counting::Each | Counting::Whole | Counting::Behind => {
                DepthCollector::of_each(header, sink)
            }
        })
    }

    fn accept(&self, (): &mut (), _: Batch<'_>, (): &mut ()) {}

    fn merge(&self, (): &mut (), (): ()) {}

    fn finish(
        &self,
        (): (),
        depths: Option<DepthCollector<D>>,
        end: &mut ReadingEnd<'_>,
    ) -> Finished {
        if let Some(depths) = depths {
            end.found.put(depths.finish());
        }
        if self.rules.sums {
            let mut sums = end.sums.to_vec();
            sums.resize(end.header.references().len(), ReferenceSums::default());
            end.found.put(sums);
        }
        Ok(())
    }
}

impl<D: DepthSink + Send + 'static> Ordered for DepthCollector<D> {
    type Piece = ();

    fn append(&mut self, (): &mut (), spans: Option<&Spans>) -> Flow {
        Unsorted::flow(spans.map_or(Ok(()), |spans| self.take(spans)))
    }
}
