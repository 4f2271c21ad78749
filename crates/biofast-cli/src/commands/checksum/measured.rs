//! Files whose checksums are computed: alignments, reads, and the two files of mates.

use anyhow::{Result, bail};
use biofast_bam::{self as bam, Detail};
use biofast_io::Source;
use biofast_ops::checksum::ChecksumRules;

use super::{Args, Named};
use crate::inputs::{self, Input, Layout};
use crate::output;
use crate::reads_job::ReadsJob;
use crate::session::Session;

/// An input, which is open if it can't be opened again.
pub(super) type MaybeOpen = (Input, Option<Source>);

impl Args {
    /// The values of each file, one after the other on all threads.
    pub(super) fn measure_all(
        &self,
        inputs: impl IntoIterator<Item = MaybeOpen>,
        rules: &ChecksumRules,
        session: &Session,
    ) -> Result<Vec<Named>> {
        let mut found = Vec::new();
        let mut inputs = inputs.into_iter();
        while let Some((input, opened)) = inputs.next() {
            let mut source = opened.map_or_else(|| input.open(), Ok)?;
            if !inputs::holds_reads(&mut source)? {
                found.push(self.measure_alignments(&input, source, rules, session)?);
                continue;
            }
            let mut both = vec![input];
            let mut sources = vec![source];
            if self.paired {
                let Some((mate, opened)) = inputs.next() else {
                    let name = both[0].name();
                    bail!("--paired needs two files of reads, but {name} has no mate");
                };
                sources.extend(opened);
                both.push(mate);
                inputs::are_two(&both)?;
            }
            found.push(self.measure_reads(both, sources, rules, session)?);
        }
        Ok(found)
    }

    /// Refuses what is said of files of reads where there are none, and of alignments where all are of reads.
    pub(super) fn refuse_in_vain<'n>(
        &self,
        named: impl IntoIterator<Item = &'n Named>,
    ) -> Result<()> {
        let (of_reads, others): (Vec<_>, Vec<_>) =
            named.into_iter().partition(|one| one.is_of_reads);
        let is_given = self.paired || self.interleaved;
        if is_given && of_reads.is_empty() {
            let option = if self.paired { "--paired" } else { "--interleaved" };
            bail!("{option} is for files of reads, but there are none");
        }
        let of_alignments = [
            (self.no_reverse_complement, "-c (--no-rev-comp)"),
            (self.sanitize.is_some(), "-z (--sanitize)"),
        ];
        let given = of_alignments.into_iter().find(|(is_given, _)| *is_given);
        if let (Some((_, option)), [read, ..], []) = (given, &of_reads[..], &others[..]) {
            bail!("{option} applies to alignments, but {} holds reads", read.name);
        }
        Ok(())
    }

    fn measure_alignments(
        &self,
        input: &Input,
        mut source: Source,
        rules: &ChecksumRules,
        session: &Session,
    ) -> Result<Named> {
        let watch = self.reading.watch(session);
        let opening = watch.opening(self.reference.as_deref(), Detail::Full);
        let quiet = self.reading.messages.quiet;
        inputs::tell_unused_reference(
            &session.console,
            self.reference.as_deref(),
            &mut source,
            quiet,
        );
        let opened = bam::Input::open(source, &opening)?;
        let bar = watch.bar(input.len(), &self.reading.messages);
        let result = rules.collect(opened.source, &watch.options);
        drop(bar);
        self.reading.tell(&watch, input);
        let sums = result.map_err(output::failed)?;
        Ok(Named { name: input.name(), sums, is_of_reads: false, has_tags: true })
    }

    fn measure_reads(
        &self,
        inputs: Vec<Input>,
        mut opened: Vec<Source>,
        rules: &ChecksumRules,
        session: &Session,
    ) -> Result<Named> {
        if rules.depends_on_order() && !rules.keeps_all_reads() {
            let option = if rules.limit.is_some() { "--count" } else { "--in-order" };
            bail!("{option} can't be combined with flags that exclude reads of FASTQ");
        }
        let layout = Layout::of(&inputs, self.interleaved)?;
        let quiet = self.reading.messages.quiet;
        for source in &mut opened {
            inputs::tell_unused_reference(
                &session.console,
                self.reference.as_deref(),
                source,
                quiet,
            );
        }
        let options = self.pairing.apply(self.reading.reads());
        let messages = &self.reading.messages;
        let names: Vec<String> = inputs.iter().map(Input::name).collect();
        let mut job =
            ReadsJob::new((inputs, layout), options, self.reading.threads(), messages, session);
        let sources = job.open(opened)?;
        let sources = job.sequences(sources)?;
        let sums = job.run(|options| rules.collect_reads(sources, options))?;
        Ok(Named { name: names.join(" "), sums, is_of_reads: true, has_tags: false })
    }
}
