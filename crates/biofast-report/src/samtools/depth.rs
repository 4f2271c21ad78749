//! The lines of `samtools depth`.

use biofast_bam::{Header, Interval, Regions};
use biofast_io::output::{Error, Output};

use biofast_ops::measure::coverage::{ColumnRun, ColumnSink};

use crate::depth_text::DepthText;

/// Which positions get lines.
#[derive(Clone, Debug, Default)]
pub struct DepthLineRules {
    /// 0: those that a counted record reaches over; 1: also all others of references with counted records, and of `regions`; 2: all.
    pub all: u8,
    /// Only positions in here.
    pub regions: Option<Regions>,
    /// Whether the regions are named, and not listed in a file: they are covered anyway.
    pub are_named: bool,
}

/// A line for each position that an alignment spans, with the depth in each file, written while runs come.
///
/// ```
/// use biofast_bam::Header;
/// use biofast_io::output::{Compression, Output};
/// use biofast_ops::coverage::{DepthColumns, DepthRun, DepthSink};
/// use biofast_report::samtools::depth::{DepthLineRules, DepthLines};
///
/// let header = Header::from_text(b"@SQ\tSN:c\tLN:200\n")?;
/// let output = Output::stream("x", std::io::sink(), Compression::default());
/// let lines = DepthLines::new(&header, output, None, DepthLineRules::default());
/// let mut lines = DepthColumns::new(&header, lines);
/// lines.spanned(10, 12);
/// lines.run(DepthRun { from: 0, to: 10, depth: 0 });
/// lines.run(DepthRun { from: 10, to: 12, depth: 1 });
/// lines.end(0, true);
/// lines.into_sink().finish()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DepthLines {
    text: DepthText,
    rules: DepthLineRules,
    reference: usize,
}

impl DepthLines {
    /// For the references of this header, or the `only` one.
    pub fn new(
        header: &Header,
        output: Output,
        only: Option<&[u8]>,
        rules: DepthLineRules,
    ) -> DepthLines {
        DepthLines { text: DepthText::new(header, output, only), rules, reference: 0 }
    }

    /// The output with all lines.
    ///
    /// # Errors
    /// If something couldn't be written.
    pub fn finish(self) -> Result<Output, Error> {
        self.text.finish()
    }
}

impl ColumnSink for DepthLines {
    fn run(&mut self, run: ColumnRun<'_>) {
        let DepthLineRules { all, regions, are_named } = &self.rules;
        let is_whole = *all > 1 || (*all == 1 && (run.is_covered || *are_named));
        if !self.text.is_wanted() || !(run.is_spanned || is_whole) {
            return;
        }
        let Some(regions) = regions else {
            return self.text.positions(run.from..run.to, run.depths);
        };
        let on = regions.on(self.reference);
        let first = on.partition_point(|interval| interval.end <= run.from as i64);
        for &Interval { start, end } in &on[first..] {
            // Starts are no smaller than 0.
            let (start, end) = (run.from.max(start.max(0) as u64), run.to.min(end.max(0) as u64));
            if start >= run.to {
                break;
            }
            self.text.positions(start..end, run.depths);
        }
    }

    fn end(&mut self) {
        self.reference += 1;
        self.text.next_reference();
    }

    fn has_ended(&self) -> bool {
        self.text.has_failed()
    }
}
