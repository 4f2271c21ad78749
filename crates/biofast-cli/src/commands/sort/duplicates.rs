//! Options of `--mark-duplicates`.

use anyhow::{Result, bail};
use biofast::ops::sort::Order;
use biofast::ops::sort::duplicates::{Barcode, Counts, Marking, Mode};
use clap::ValueEnum;

use crate::console::message;

/// Duplicates are marked, and how.
#[derive(clap::Args)]
#[command(next_help_heading = "Duplicates")]
pub(super) struct Duplicates {
    /// Mark duplicates, as `samtools fixmate -m`, `sort` and `markdup` in one run; the records of a name must be together, as an
    /// aligner writes them
    #[arg(long)]
    mark_duplicates: bool,

    /// Leave duplicates out
    #[arg(short = 'r', long, requires = "mark_duplicates")]
    remove_duplicates: bool,

    /// Mark supplementary, secondary and unmapped records of duplicates, too
    #[arg(short = 'S', long, requires = "mark_duplicates")]
    mark_supplementary: bool,

    /// Where pairs must be alike
    #[arg(
        long,
        value_enum,
        default_value = "template",
        value_name = "MODE",
        requires = "mark_duplicates"
    )]
    duplicate_mode: DuplicateMode,

    /// Look at reads that failed the checks of quality, too
    #[arg(long, requires = "mark_duplicates")]
    include_fails: bool,

    /// Remove marks of the input, and the fields dt and do of marked records
    #[arg(short = 'c', long, visible_alias = "clear", requires = "mark_duplicates")]
    clear_duplicates: bool,

    /// Duplicates have the same text in this optional field, such as RX or CB
    #[arg(long, value_name = "TAG", value_parser = super::tag, requires = "mark_duplicates")]
    barcode_tag: Option<[u8; 2]>,

    /// Duplicates have the same text behind the seventh colon of their names
    #[arg(long, requires = "mark_duplicates", conflicts_with = "barcode_tag")]
    barcode_name: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DuplicateMode {
    /// The outer ends of both reads
    #[value(alias = "t")]
    Template,
    /// The first bases of both reads
    #[value(alias = "s")]
    Sequence,
}

impl Duplicates {
    /// What is asked for, if duplicates are marked.
    pub(super) fn marking(&self, order: Order) -> Result<Option<Marking>> {
        if !self.mark_duplicates {
            return Ok(None);
        }
        if order != Order::Coordinate {
            bail!("--mark-duplicates sorts by coordinate");
        }
        Ok(Some(Marking {
            mode: match self.duplicate_mode {
                DuplicateMode::Template => Mode::Template,
                DuplicateMode::Sequence => Mode::Sequence,
            },
            supplementary: self.mark_supplementary,
            include_fails: self.include_fails,
            clear: self.clear_duplicates,
            remove: self.remove_duplicates,
            barcode: match (self.barcode_tag, self.barcode_name) {
                (Some(tag), _) => Barcode::Tag(tag),
                (None, true) => Barcode::Name,
                (None, false) => Barcode::None,
            },
        }))
    }
}

/// Says what was found.
pub(super) fn tell(found: &Counts) {
    let Counts { duplicate_pair, duplicate_single, duplicate_non_primary, examined, .. } = *found;
    let alone = match found.without_mate {
        0 => String::new(),
        names => format!("; of {names} names the mate isn't there"),
    };
    message(
        "note",
        &format!(
            "of {examined} reads looked at {} are duplicates ({duplicate_pair} of pairs, {duplicate_single} single), and \
             {duplicate_non_primary} other records with them{alone}",
            duplicate_pair + duplicate_single
        ),
    );
}
