//! Sorted alignments to one file.

use std::sync::Arc;

use anyhow::Result;
use biofast_bam as bam;
use biofast_io::output::commit;
use biofast_io::{Source, display_name};
use biofast_ops::merge::{Merge, MergeRules, SortedInput as Sorted};
use biofast_ops::number::counted;
use biofast_ops::sort::Order;

use super::Args;
use crate::commands::sort::explained;
use crate::console::Console;
use crate::inputs::{Input, header_of, warn_of_repeats};
use crate::options::{order_of, tell_losses, temp_dir};
use crate::session::{Exit, Session};

/// Merges inputs, of which those that can't be opened again are open.
pub(super) fn run(
    args: &Args,
    mut inputs: Vec<(&Input, Option<Source>)>,
    session: &mut Session,
) -> Result<Exit> {
    warn_of_repeats(&session.console, inputs.iter().map(|(input, _)| *input));
    if !args.writing.needs_reference(args.out.path()) {
        tell_unused_reference(&session.console, args, &mut inputs)?;
    }
    let order = args.order();
    if args.writing.has_index() && order != Order::Coordinate {
        anyhow::bail!("--write-index needs coordinate order: leave it out, or -n, -N or -t");
    }
    let progress = Arc::default();
    let (mut sorted, mut watches) = (Vec::new(), Vec::new());
    let total: Option<u64> = inputs.iter().map(|(input, _)| input.len()).sum();
    let count = inputs.len();
    for (input, source) in inputs {
        let watch = args.reading.sharing(session, &progress);
        sorted.push(match (source, input) {
            (Some(source), _) => Sorted::from_source(source, &watch.options),
            (None, Input::Path(path)) => Sorted::open(path, &watch.options),
            (None, input) => Sorted::from_source(input.open()?, &watch.options),
        });
        watches.push((watch, input));
    }
    let header = match &args.header {
        Some(path) => {
            session.files.read(path)?;
            Some(header_of(path)?)
        }
        None => None,
    };
    let rules = MergeRules {
        order,
        read_groups_by_name: args.rg_by_file,
        regions: args.regions.any().then(|| args.regions.selection()).transpose()?,
        header,
        combine_read_groups: args.combine_rg,
        combine_programs: args.combine_pg,
        reference: args.reference.as_deref().map(Into::into),
        folder: temp_dir(args.temp_dir.as_deref(), args.out.path()),
    };
    let Some((watch, _)) = watches.first() else { anyhow::bail!("no input") };
    let threads = watch.options.threads;
    let bar = watch.bar(total, &args.reading.messages);
    let merge = Merge::new(sorted, rules)?;
    if !args.reading.messages.quiet {
        merge.notes().iter().for_each(|note| session.console.note(&note.to_string()));
    }
    let header = args.program.header(merge.header(), session);
    let for_cram = (args.reference.as_deref(), threads);
    let target = args.writing.open(args.out.path(), session, &header, for_cram)?;
    let lost = target.lost();
    let mut merged = merge.start(threads).map_err(explained)?;
    let mut writer = target.writer(threads, 0)?;
    while let Some(record) = merged.next_record().map_err(explained)? {
        writer.write_checked(&record)?;
    }
    let outputs = writer.into_outputs()?;
    drop(bar);
    for (watch, input) in &watches {
        args.reading.tell(watch, input);
    }
    commit(outputs, args.writing.sync())?;
    if !args.reading.messages.quiet {
        let summary = merged.summary();
        if summary.dropped_fields > 0 {
            let dropped = summary.dropped_fields;
            session.console.warning(&format!(
                "{dropped} RG and PG tags were dropped: their IDs are not in the file's header"
            ));
        }
        let (records, files) = (counted(summary.records, "record"), counted(count as u64, "file"));
        session.console.note(&format!("{records} from {files} merged"));
        tell_losses(lost.as_ref(), Some(&session.console));
    }
    Ok(Exit::Fine)
}

impl Args {
    fn order(&self) -> Order {
        order_of(self.tag, self.name, self.lexicographic, self.template_coordinate)
    }
}

/// Says that reference sequences make no difference, where no input is CRAM.
fn tell_unused_reference(
    console: &Console,
    args: &Args,
    inputs: &mut [(&Input, Option<Source>)],
) -> Result<()> {
    let Some(path) = args.reference.as_deref().filter(|_| !args.reading.messages.quiet) else {
        return Ok(());
    };
    for (input, source) in inputs {
        let format = match source {
            Some(source) => bam::Format::sniff(source),
            None => bam::Format::sniff(&mut input.open()?),
        };
        if !matches!(format, Ok(bam::Format::Bam | bam::Format::Sam)) {
            return Ok(());
        }
    }
    let path = display_name(path);
    console.note(&format!("the reference {path} is not needed: no input is CRAM"));
    Ok(())
}
