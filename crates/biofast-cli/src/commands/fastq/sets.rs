//! `biofast fastq --10x`: the files that were the input of Cell Ranger.

use std::path::Path;

use anyhow::{Context, Result};
use biofast_bam as bam;
use biofast_io::output::{Compression, Format, Output, allow_open_files, commit};
use biofast_io::{Source, display_name};
use biofast_ops::number::counted;
use biofast_ops::to_fastq::{
    self, Collation, FastqFormat, FastqPlan, SetFile, SetLayout, SetsPlan, SetsSummary,
};

use super::{Args, NOT_PRIMARY};
use crate::console::Hinted;
use crate::inputs::Input;
use crate::options;
use crate::output::{self, OTHER_FILES};
use crate::session::{Exit, Session};
use crate::watch::Watch;

/// Of read groups with more files than this, files are open only while they are written to.
const MANY_FILES: u64 = 400;

pub(super) struct Sets<'a> {
    pub(super) args: &'a Args,
    pub(super) folder: &'a Path,
    pub(super) header: &'a bam::Header,
    pub(super) format: FastqFormat,
}

impl Sets<'_> {
    pub(super) fn write(
        self,
        source: Source,
        input: &Input,
        watch: &Watch,
        session: &mut Session,
    ) -> Result<Exit> {
        let Sets { args, folder, header, format } = self;
        let layout = layout(args, header, &input.name())?;
        let has_files = match std::fs::read_dir(folder) {
            Ok(mut listed) => listed.next().is_some(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => false,
            Err(error) => {
                let shown = format!("can't read the folder {}", display_name(folder));
                return Err(anyhow::Error::new(error).context(shown));
            }
        };
        if has_files {
            return Err(Hinted::error(
                format!("the folder {} isn't empty", display_name(folder)),
                "name a new folder: Cell Ranger takes all files of a folder as one run",
            ));
        }
        output::make_folder(session, folder)?;
        let report = output::optional_report(session, args.json.as_deref())?;
        let filter = args.flags.filter(NOT_PRIMARY);
        let tag = options::tag_filter(&args.tags, &args.tag_files, options::ListedValues::Lines)?;
        let plan = SetsPlan {
            reads: FastqPlan { filter, tag, format, ..FastqPlan::default() },
            layout,
            sets_per_file: args.reads_per_fastq,
            skip_incomplete: args.skip_incomplete,
        };
        let compression = Compression::new(Format::Bgzf, args.level)?;
        let few = allow_open_files(MANY_FILES + OTHER_FILES).is_ok();
        let files = &mut session.files;
        let mut opened = 0;
        let open = |file: &SetFile| -> Result<Output> {
            let folder = folder.join(&file.folder);
            let shown = || format!("can't create the folder {}", display_name(&folder));
            files.make_folder(&folder).with_context(shown)?;
            let output = output::file(files, &folder.join(&file.name), compression)?;
            opened += 1;
            let stays_open = few && opened <= MANY_FILES;
            Ok(if stays_open { output } else { output.closed_between_writes()? })
        };
        let bar = watch.bar(input.len(), &args.reading.messages);
        // Beside the files of the groups, if it isn't given.
        let temporary = options::temp_dir(args.temp_dir.as_deref(), Some(&folder.join("x")));
        let collation = Collation { memory: args.memory.0, folder: &temporary };
        let result = to_fastq::sets::<anyhow::Error, _>(
            source, header, &watch.options, &plan, open, collation,
        );
        drop(bar);
        args.reading.tell(watch, input);
        let (summary, mut outputs) = result.map_err(output::failed)?;
        if let Some(report) = report {
            let text = output::summary(&session.command_line(), serde_json::to_value(summary)?)?;
            outputs.push(output::filled(report, text)?);
        }
        commit(outputs, false)?;
        if !args.reading.messages.quiet {
            tell(&summary, session);
        }
        Ok(Exit::Fine)
    }
}

/// What reads are made of.
fn layout(args: &Args, header: &bam::Header, name: &str) -> Result<SetLayout> {
    if let [pipeline] = &args.layout[..]
        && let Some(layout) = SetLayout::of_pipeline(pipeline)
    {
        return Ok(layout);
    }
    if !args.layout.is_empty() {
        let layout = SetLayout::parse(args.layout.iter().map(String::as_str));
        return layout.map_err(|why| anyhow::anyhow!("--layout: {why}"));
    }
    match SetLayout::of_header(header) {
        Ok(Some(layout)) => Ok(layout),
        Ok(None) => Err(Hinted::error(
            format!("{name}: the header doesn't say what reads are made of (@CO 10x_bam_to_fastq)"),
            "for files of old 10x pipelines use --layout gemcode, lr20 or cr11; for others, --layout 'R1(CR:CY,UR:UY)' --layout 'R2(SEQ:QUAL)' or the like",
        )),
        Err(why) => Err(Hinted::error(
            format!("{name}: invalid header: {why}"),
            "--layout says what reads are made of in place of the header",
        )),
    }
}

fn tell(summary: &SetsSummary, session: &Session) {
    let SetsSummary { reads, sets, left_out, shortened, files } = *summary;
    let [sets, records] = [counted(sets, "read"), counted(reads, "record")];
    session.console.note(&format!("{sets} of {records} written to {}", counted(files, "file")));
    for (count, what) in [
        (left_out, "left out: what they were made of is missing"),
        (shortened, "lack the tags of the end of a read, which was left out"),
    ] {
        if count > 0 {
            session.console.warning(&format!("{} {what}", counted(count, "record")));
        }
    }
}
