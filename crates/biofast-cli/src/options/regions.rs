//! Which records are wanted, by regions.

use anyhow::Result;
use biofast_bam::query::Note;
use biofast_bam::{self as bam, InputOptions, Query, Selection};
use biofast_io::Source;

use super::InFile;
use super::depth::tell_empty;
use crate::console::Console;
use crate::inputs::Input;

/// Which records are wanted.
#[derive(clap::Args)]
pub(crate) struct RegionArgs {
    /// Include only records that overlap REGION, such as chr1:1000-2000; may be repeated
    ///
    /// REGION is NAME, NAME:START or NAME:START-END (1-based, END included), or '*' for unplaced records. If a name
    /// contains ':', put it in braces: {HLA:01}:1-100. A record that overlaps several regions counts once. If the file
    /// has an index (BAI, CSI or CRAI), only the required blocks are read.
    #[arg(long = "region", value_name = "REGION")]
    pub(crate) regions: Vec<String>,

    /// Include only records that overlap an interval in a BED file
    #[arg(short = 'L', long, aliases = ["region-file", "targets-file", "target-file"], value_name = "BED")]
    pub(crate) regions_file: Option<InFile>,
}

impl RegionArgs {
    /// Whether records of some regions are wanted.
    pub(crate) fn any(&self) -> bool {
        !self.regions.is_empty() || self.regions_file.is_some()
    }

    /// The query for an input that has been opened; without regions all its records. Notes go to `console`, if they are wanted.
    pub(crate) fn query(
        &self,
        console: Option<&Console>,
        input: &Input,
        source: Source,
        options: &InputOptions<'_>,
    ) -> Result<Query> {
        if !self.any() {
            return Ok(bam::Input::open(source, options)?.source.into());
        }
        RegionArgs::select(console, &self.selection()?, input, source, options)
    }

    /// All the regions.
    pub(crate) fn selection(&self) -> Result<Selection> {
        let mut selection = Selection::new();
        for region in &self.regions {
            selection.add(region);
        }
        if let Some(path) = &self.regions_file {
            selection.add_bed(path)?;
        }
        Ok(selection)
    }

    /// The query for these regions and an input that has been opened.
    pub(crate) fn select(
        console: Option<&Console>,
        selection: &Selection,
        input: &Input,
        source: Source,
        options: &InputOptions<'_>,
    ) -> Result<Query> {
        if let Some(console) = console {
            if selection.has_no_intervals() {
                console.warning("the BED file has no intervals: it selects no records");
            }
            tell_empty(console, selection.empty_intervals());
        }
        let query = match input {
            // Only a regular file can be read in parts.
            Input::Path(path) if source.len().is_some() => Query::open(path, selection, options)?,
            _ => {
                let (header, source) = bam::peek_header(bam::Input::open(source, options)?.source)?;
                tell_all(console, &selection.behind_end(&header));
                Query::scan(source, selection)
            }
        };
        tell_all(console, query.notes());
        Ok(query)
    }
}

/// Says what is worth telling of how regions are looked up.
fn tell_all<'n>(console: Option<&Console>, notes: impl IntoIterator<Item = &'n Note>) {
    let Some(console) = console else { return };
    notes.into_iter().for_each(|note| tell(console, note));
}

pub(crate) fn tell(console: &Console, note: &Note) {
    match note {
        Note::NoIndex { is_sorted: true, .. } => {
            console.note(&format!("{note}"));
        }
        Note::UnusedIndex { .. } => {
            console.warning(&note.to_string());
            console.hint("rebuild it with `biofast index FILE`");
        }
        Note::BehindEnd { .. } => console.warning(&note.to_string()),
        _ => console.note(&note.to_string()),
    }
}
