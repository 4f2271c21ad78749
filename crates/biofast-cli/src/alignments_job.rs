//! What commands have in common that rewrite one file of alignments in its order: all but the change itself.

use anyhow::Result;
use biofast_bam::{self as bam, Detail, Header, Query};
use biofast_io::output::commit;
use biofast_ops::edit::{Rewrite, RewrittenFormat};

use crate::inputs::{self, Input};
use crate::options::{
    AlignmentsOut, InFile, OneFile, OpenedAlignments, ProgramLineArgs, tell_losses,
};
use crate::output;
use crate::session::Session;
use crate::watch::Reading;

/// What is read and written.
#[derive(clap::Args)]
pub(crate) struct AlignmentsJob {
    #[command(flatten)]
    file: OneFile,

    #[command(flatten)]
    pub(crate) writing: AlignmentsOut,

    #[command(flatten)]
    program: ProgramLineArgs,

    /// Reference sequences (FASTA) for CRAM; a .fai index is optional
    #[arg(short = 'T', long, value_name = "FASTA")]
    reference: Option<InFile>,

    #[command(flatten)]
    pub(crate) reading: Reading,
}

impl AlignmentsJob {
    /// Writes what the change that `plan` makes for a header makes of the records, in the format `default` if nothing says
    /// otherwise. Returns the change and what it counted.
    pub(crate) fn run<R: Rewrite>(
        &self,
        default: bam::Format,
        session: &mut Session,
        plan: impl FnOnce(&Input, &Header) -> Result<R>,
    ) -> Result<(R, R::Counts)> {
        let input = self.file.input(session)?;
        let watch = self.reading.watch(session);
        let reference = self.reference.as_deref();
        let opening = watch.opening(reference, Detail::Full);
        let mut source = input.open()?;
        let quiet = self.reading.messages.quiet;
        let target = self.writing.target(default, reference, watch.options.threads);
        if !target.needs_reference() {
            inputs::tell_unused_reference(&session.console, reference, &mut source, quiet);
        }
        // A header that can't be read is noticed before any output is touched.
        let query = Query::from(bam::Input::open(source, &opening)?.source);
        let (header, query) = query.peek_header()?;
        let change = plan(&input, &header)?;
        let opened = target.open(session, change.header())?;
        let is_bam = opened.takes_bam();
        let copies = is_bam && self.writing.copies();
        let OpenedAlignments { output, lost, .. } = opened;
        let mut outputs = vec![if copies { output.copying() } else { output }];
        let mut start = Vec::new();
        let shown = self.program.header(change.header(), session);
        let (written, format) = match is_bam {
            true => (shown.write_bam(&mut start), RewrittenFormat::bam()),
            false => (shown.write_sam(&mut start), RewrittenFormat::sam(change.header())),
        };
        written.map_err(|error| input.blamed(error.into()))?;
        outputs[0].append(&start)?;
        let bar = watch.bar(input.len(), &self.reading.messages);
        let result = change.write(query, &watch.options, &format, &mut outputs);
        drop(bar);
        self.reading.tell(&watch, &input);
        let counts = result.map_err(output::failed)?;
        commit(outputs, false)?;
        if !quiet {
            tell_losses(lost.as_ref(), Some(&session.console));
        }
        Ok((change, counts))
    }
}
