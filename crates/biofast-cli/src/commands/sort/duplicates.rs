//! Options of `--mark-duplicates`.

use anyhow::{Result, bail};
use biofast_ops::sort::Order;
use biofast_ops::sort::duplicates::Marking;

use crate::options::MarkingArgs;

/// Duplicates are marked, and how.
#[derive(clap::Args)]
#[command(mut_group("MarkingArgs", |group| group.requires("mark_duplicates")))]
pub(super) struct Duplicates {
    /// Mark duplicates: the work of `samtools fixmate -m`, `sort` and `markdup` in one run
    ///
    /// The input must be grouped by name, as aligners write it. To mark duplicates in the order of the input, use `biofast markdup`.
    #[arg(long, group = "of_alignments")]
    mark_duplicates: bool,

    #[command(flatten)]
    pub(super) how: MarkingArgs,
}

impl Duplicates {
    /// What is asked for, if duplicates are marked.
    pub(super) fn marking(&self, order: Order) -> Result<Option<Marking>> {
        if !self.mark_duplicates {
            return Ok(None);
        }
        if order != Order::Coordinate {
            bail!("--mark-duplicates sorts by coordinate: leave out -n, -N or -t");
        }
        self.how.marking().map(Some)
    }
}
