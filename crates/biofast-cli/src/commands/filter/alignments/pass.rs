//! The pass over the records, and what is made of them.

use anyhow::Result;
use biofast_bam::{self as bam, Batch, Query, Record};
use biofast_io::pipeline::Copies;
use biofast_ops::filter::alignment::{Choice, TemplateDecisions, TemplateRule, TemplateWorker};
use biofast_ops::filter::report::FilterReport;
use biofast_ops::filter::{Filter, unaligned};

use super::outputs::{Outputs, Writers};
use crate::output;
use crate::watch::Watch;

/// What every pass needs.
pub(super) struct Pass<'a> {
    pub(super) watch: &'a Watch,
    pub(super) choice: &'a Choice,
    /// What the report says of the run.
    pub(super) command_line: String,
}

/// An error if the records that were decided about aren't those that were read again.
fn check_unchanged(
    worker: &TemplateWorker<'_>,
    decisions: Option<&TemplateDecisions>,
    name: &str,
) -> Result<()> {
    if decisions.is_some_and(|decisions| !worker.has_seen(decisions)) {
        anyhow::bail!("{name} changed while it was being read");
    }
    Ok(())
}

/// Takes a record that is kept or not.
type Put<'a> = dyn FnMut(&Record<'_>, bool) -> Result<(), bam::Error> + 'a;

impl Pass<'_> {
    /// Writes the records that are chosen.
    pub(super) fn select(&self, query: Query, outputs: &mut Outputs) -> Result<FilterReport> {
        let worker = self.write(
            outputs,
            query,
            false,
            || self.choice.worker(),
            |worker, batch, put| {
                for record in batch {
                    let keeps = worker.keeps(&record, batch.header())?;
                    put(&record, keeps)?;
                }
                Ok(())
            },
            |worker, other| worker.merge(&other),
        )?;
        Ok(FilterReport::alignments(worker.tally(), &self.command_line))
    }

    /// Writes the records of the templates that are chosen, about which `decisions` has been made unless they stand together.
    pub(super) fn select_templates(
        &self,
        rule: TemplateRule,
        decisions: Option<&TemplateDecisions>,
        query: Query,
        outputs: &mut Outputs,
    ) -> Result<FilterReport> {
        let name = query.name().to_owned();
        let worker = self.write(
            outputs,
            query,
            decisions.is_none(),
            || TemplateWorker::new(self.choice, rule),
            |worker, batch, put| match decisions {
                None => worker.apply(batch, put),
                Some(decisions) => worker.apply_decided(batch, decisions, put),
            },
            |worker, other| worker.merge(&other),
        )?;
        check_unchanged(&worker, decisions, &name)?;
        Ok(FilterReport::alignments(worker.tally(), &self.command_line))
    }

    /// How many records are of templates that are chosen.
    pub(super) fn count_templates(
        &self,
        rule: TemplateRule,
        decisions: Option<&TemplateDecisions>,
        query: Query,
    ) -> Result<u64> {
        let name = query.name().to_owned();
        let result = bam::Transform::new(query)
            .options(&self.watch.options)
            .keep_names_together(decisions.is_none())
            .run(
                &mut [],
                || TemplateWorker::new(self.choice, rule),
                |worker, batch, _| match decisions {
                    None => worker.apply(batch, |_, _| Ok(())),
                    Some(decisions) => worker.apply_decided(batch, decisions, |_, _| Ok(())),
                },
                |worker, other| worker.merge(&other),
            );
        let (_, worker) = result.map_err(output::failed)?;
        check_unchanged(&worker, decisions, &name)?;
        Ok(worker.tally().kept().reads)
    }

    /// Writes unaligned reads as they are trimmed and selected.
    pub(super) fn trim(
        &self,
        chain: &Filter,
        query: Query,
        outputs: &mut Outputs,
    ) -> Result<FilterReport> {
        let worker = self.write(
            outputs,
            query,
            true,
            || unaligned::UnalignedWorker::new(chain, self.choice),
            |worker, batch, put| worker.apply(batch, put),
            |worker, other| worker.merge(other),
        )?;
        let tally = worker.tally();
        Ok(FilterReport::new(tally, &self.command_line).with_depleted(chain.depleted(), tally))
    }

    /// How many records are chosen.
    pub(super) fn count(&self, query: Query) -> Result<u64> {
        let result = bam::Transform::new(query).options(&self.watch.options).run(
            &mut [],
            || 0,
            |n, batch, _| {
                for record in batch {
                    let objection = self.choice.objection(&record, batch.header())?;
                    *n += u64::from(objection.is_none());
                }
                Ok::<_, bam::Error>(())
            },
            |n, other| *n += other,
        );
        Ok(result.map_err(output::failed)?.1)
    }

    /// How many unaligned reads are kept.
    pub(super) fn count_reads(&self, chain: &Filter, query: Query) -> Result<u64> {
        let result =
            bam::Transform::new(query).options(&self.watch.options).keep_names_together(true).run(
                &mut [],
                || unaligned::UnalignedWorker::new(chain, self.choice),
                |worker, batch, _| worker.apply(batch, |_, _| Ok(())),
                |worker, other| worker.merge(other),
            );
        let (_, worker) = result.map_err(output::failed)?;
        Ok(worker.tally().output.iter().map(|amount| amount.reads).sum())
    }

    /// Writes what `each` makes of the records.
    fn write<C: Send>(
        &self,
        outputs: &mut Outputs,
        query: Query,
        together: bool,
        init: impl Fn() -> C + Sync,
        each: impl Fn(&mut C, Batch<'_>, &mut Put<'_>) -> Result<(), bam::Error> + Sync,
        merge: impl Fn(&mut C, C),
    ) -> Result<C> {
        let Outputs { all, writers, .. } = outputs;
        let writers: &Writers = writers;
        let result = bam::Transform::new(query)
            .options(&self.watch.options)
            .keep_names_together(together)
            .run_copying(
                all,
                init,
                |so_far, batch, texts: &mut [Vec<u8>], copies: &mut [Copies]| {
                    let before = writers.lengths(texts);
                    let mut put = |record: &Record<'_>, to: usize| -> Result<(), bam::Error> {
                        let at = texts[to].len();
                        writers.write(record, to, texts)?;
                        batch.copied(record, at, &mut copies[to]);
                        Ok(())
                    };
                    each(so_far, batch, &mut |record, kept| match kept {
                        true => put(record, 0),
                        false if writers.has_unselected() => put(record, 1),
                        false => Ok(()),
                    })?;
                    writers.note(before, texts);
                    Ok::<_, bam::Error>(())
                },
                merge,
            );
        Ok(result.map_err(output::failed)?.1)
    }
}
