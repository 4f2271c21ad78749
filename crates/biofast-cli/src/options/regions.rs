//! Which records are wanted, by regions.

use anyhow::Result;
use biofast::bam::query::Note;
use biofast::bam::{self, InputOptions, Query, Selection};
use biofast::io::Source;

use super::InFile;
use crate::console::message;
use crate::inputs::Input;

/// Which records are wanted.
#[derive(clap::Args)]
pub(crate) struct RegionArgs {
    /// Only records that overlap REGION (may be given several times): NAME, NAME:START,
    /// NAME:START-END (from 1, END included), or * for unplaced records
    ///
    /// With a BAI or CSI index beside the file only the blocks needed are read. If a name
    /// contains ':', braces tell it from the positions: {HLA:01}:1-100. A record that
    /// overlaps several regions counts once.
    #[arg(long = "region", value_name = "REGION")]
    pub(crate) regions: Vec<String>,

    /// Only records that overlap an interval of the BED file
    #[arg(short = 'L', long, aliases = ["region-file", "targets-file", "target-file"], value_name = "BED")]
    pub(crate) regions_file: Option<InFile>,
}

impl RegionArgs {
    /// Whether records of some regions are wanted.
    pub(crate) fn any(&self) -> bool {
        !self.regions.is_empty() || self.regions_file.is_some()
    }

    /// The query for an input that has been opened; without regions all its records.
    pub(crate) fn query(
        &self,
        input: &Input,
        source: Source,
        options: &InputOptions<'_>,
    ) -> Result<Query> {
        if !self.any() {
            return Ok(bam::Input::open(source, options)?.source.into());
        }
        RegionArgs::select(&self.selection()?, input, source, options)
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
        selection: &Selection,
        input: &Input,
        source: Source,
        options: &InputOptions<'_>,
    ) -> Result<Query> {
        let query = match input {
            // Only a regular file can be read in parts.
            Input::Path(path) if source.len().is_some() => Query::open(path, selection, options)?,
            _ => {
                let (header, source) = bam::peek_header(bam::Input::open(source, options)?.source)?;
                selection.behind_end(&header).iter().for_each(tell);
                Query::scan(source, selection)
            }
        };
        query.notes().iter().for_each(tell);
        Ok(query)
    }
}

/// Says what is worth telling of how regions are looked up.
fn tell(note: &Note) {
    match note {
        Note::NoIndex { is_sorted: true, .. } => {
            message("note", &format!("{note}; `biofast index` makes one"));
        }
        Note::UnusedIndex { .. } => {
            message("warning", &note.to_string());
            message("hint", "make a new one with `biofast index FILE`");
        }
        Note::BehindEnd { .. } => message("warning", &note.to_string()),
        _ => message("note", &note.to_string()),
    }
}
