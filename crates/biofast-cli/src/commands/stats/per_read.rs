//! `biofast stats --per-read`: a line for each read.

use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Result, bail};
use biofast_bam as bam;
use biofast_fastq::fasta::Sequences;
use biofast_fastq::{Inputs, Transform};
use biofast_io::Progress;
use biofast_io::output::{self as io_output, Compression, Format, Output, commit};
use biofast_ops::convert::{Holds, from_table};
use biofast_ops::measure::per_read;

use super::args::Args;
use crate::console::Bar;
use crate::inputs::{Input, holds_reads, tell_unused_reference};
use crate::output;
use crate::session::{Exit, Session};
use crate::watch::Watch;

/// Secondary and supplementary records are no reads of their own.
const NOT_PRIMARY: u16 = bam::flag::SECONDARY | bam::flag::SUPPLEMENTARY;

/// Writes the table of all inputs, one after the other.
pub(super) fn write(args: &Args, inputs: &[Input], session: &mut Session) -> Result<Exit> {
    let others = [
        ("--html", args.html.is_some()),
        ("--plot", args.plot),
        ("--sample", !args.sample.is_empty()),
        ("--paired", args.paired),
        ("--interleaved", args.interleaved),
        ("--partial", args.partial.is_some()),
        ("--region", args.regions.any()),
        ("--contaminants", args.contaminants.is_some()),
        (args.verdicts.given().unwrap_or_default(), args.verdicts.given().is_some()),
        ("--by and other depths", args.depth.given().is_some()),
    ];
    if let Some((name, _)) = others.into_iter().find(|(_, given)| *given) {
        bail!("{name} can't be combined with --per-read, which writes a line for each read");
    }
    let path = args.out.path();
    let format = path.map_or(Ok(Format::Plain), |path| {
        output::format_of_table(path).or_else(|error| {
            // That it is an input says more than its ending.
            session.files.write(path)?;
            Err(error)
        })
    })?;
    let mut table = output::records(session, path, Compression::new(format, None)?)?;
    // One table of one file, as programs expect it; of several the file is a column more.
    let several = inputs.len() > 1;
    let file = if several { "file\t" } else { "" };
    table.append(format!("{file}{}\n", per_read::COLUMNS).as_bytes())?;
    let table = Arc::new(Mutex::new(Table { output: table, problem: None }));
    let progress = Arc::new(Progress::default());
    let total: Option<u64> = inputs.iter().map(Input::len).sum();
    let bar = Bar::new(&session.console, &progress, total, args.messages.quiet);
    for input in inputs {
        let watch = Watch::sharing(
            session,
            &progress,
            args.strictness.reads(args.io.apply(args.threads.options())),
        );
        let mut source = input.open()?;
        tell_unused_reference(
            &session.console,
            args.reference.as_deref(),
            &mut source,
            args.messages.quiet,
        );
        let held = match holds_reads(&mut source)? {
            true => Holds::Fastq,
            false => Holds::sniff(&mut source)?,
        };
        let mut label = if several { input.name().into_bytes() } else { Vec::new() };
        label.iter_mut().filter(|byte| matches!(byte, b'\t' | b'\n')).for_each(|byte| *byte = b' ');
        // A run ends its outputs, and the table goes on.
        let through = Through(Arc::clone(&table));
        let mut outputs = [Output::stream("table", through, Compression::default())];
        let begin = |text: &mut Vec<u8>| {
            if several {
                text.extend_from_slice(&label);
                text.push(b'\t');
            }
        };
        let result = match held {
            Holds::Alignments => {
                let io = args.strictness.alignments(watch.options.clone());
                let reference = args.reference.as_deref().map(Path::to_owned);
                let opening = bam::InputOptions { io: &io, reference, detail: bam::Detail::Full };
                let each = |read: &mut Vec<u8>, batch: bam::Batch<'_>, texts: &mut [Vec<u8>]| {
                    let primary = |record: &bam::Record<'_>| record.flags() & NOT_PRIMARY == 0;
                    for record in batch.iter().filter(primary) {
                        for text in texts.iter_mut() {
                            begin(text);
                            per_read::write_alignment(&record, read, text)?;
                        }
                    }
                    Ok::<_, bam::Error>(())
                };
                let source = bam::Input::open(source, &opening)?.source;
                bam::Transform::new(source)
                    .options(&io)
                    .run(&mut outputs, Vec::new, each, |_, _| ())
                    .map(|_| ())
                    .map_err(output::failed)
            }
            held => {
                let source = match held {
                    Holds::Table => from_table(source, &watch.options)?,
                    _ => source,
                };
                Transform::new(Inputs::Single(Sequences(source)))
                    .options(&watch.options)
                    .run(
                        &mut outputs,
                        || (),
                        |(), unit, texts| {
                            for text in texts.iter_mut() {
                                begin(text);
                                per_read::write(&unit.first, text);
                            }
                        },
                        |(), ()| (),
                    )
                    .map(|_| ())
                    .map_err(output::failed)
            }
        };
        watch.tell(input, None, &args.messages, &args.threads);
        drop(outputs);
        let mut table = table.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(problem) = table.problem.take() {
            return Err(problem.into());
        }
        result?;
    }
    drop(bar);
    let Some(table) = Arc::into_inner(table) else { bail!("the table is still written to") };
    let table = table.into_inner().unwrap_or_else(PoisonError::into_inner);
    commit(vec![table.output], false)?;
    Ok(Exit::Fine)
}

/// The table that the rows of all inputs go to.
struct Table {
    output: Output,
    problem: Option<io_output::Error>,
}

/// What is written to the table in order.
struct Through(Arc<Mutex<Table>>);

impl Write for Through {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match table.output.append(text) {
            Ok(()) => Ok(text.len()),
            Err(error) => {
                let kind = error.kind();
                table.problem.get_or_insert(error);
                Err(kind.into())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
