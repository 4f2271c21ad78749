//! Checksums of records that don't depend on their order, as `samtools checksum` computes them.
//!
//! Each value is a product, modulo 2^31 − 1, of the CRC-32 of every record's fields. Products of parts of the records, and of
//! read groups, multiply to that of all.

mod collector;
mod groups;
mod report;
mod rules;
mod sums;
mod tags;

use std::ops::ControlFlow;
use std::sync::Arc;

use biofast_bam::{Fold, Query};
use biofast_fastq::{Inputs, Readable, Transform};
use biofast_io::Options;

use crate::Error;
use collector::{Counted, OrderedPiece, OrderedRecords};

pub use report::{ChecksumComparison, ChecksumFile, ChecksumReport, ChecksumRulesReport};
pub use rules::{ChecksumOrder, ChecksumRules, ChecksumVersion};
pub use sums::{
    ChecksumColumn, ChecksumDifference, ChecksumGroup, ChecksumRow, Checksums, DifferingValue,
    GroupName,
};
pub use tags::{ChecksumTags, InvalidTagList};

impl ChecksumRules {
    /// The checksums of a BAM input's records, or of those of a query.
    ///
    /// ```
    /// use biofast_bam::{Input, InputOptions};
    /// use biofast_io::{Options, Source};
    /// use biofast_ops::checksum::ChecksumRules;
    ///
    /// let sums = |sam: &'static [u8]| {
    ///     let options = Options::default();
    ///     let source = Source::from_reader("example", sam);
    ///     let input = Input::open(source, &InputOptions::new(&options))?;
    ///     ChecksumRules::default().collect(input.source, &options)
    /// };
    /// // Aligned to the reverse strand, it is the same read.
    /// let aligned = sums(b"@SQ\tSN:c\tLN:9\nr\t16\tc\t3\t60\t3M\t*\t0\t0\tACC\tIJK\n")?;
    /// let unaligned = sums(b"r\t4\t*\t0\t0\t*\t*\t0\t0\tGGT\tKJI\n")?;
    /// assert_eq!((aligned.all.all.count, &aligned), (1, &unaligned));
    /// # Ok::<(), biofast_ops::Error>(())
    /// ```
    ///
    /// # Errors
    /// The first fault of the input, or that records name too many read groups.
    pub fn collect(&self, input: impl Into<Query>, options: &Options) -> Result<Checksums, Error> {
        let query: Query = input.into();
        let name: Arc<str> = query.name().into();
        let fold = Fold::new(query).options(options);
        if !self.depends_on_order() {
            let (_, counted) = fold.run(
                || Counted::new(self, &name),
                |counted, batch| counted.accept(batch),
                |mine, theirs| mine.merge(theirs),
            )?;
            return counted.finish();
        }
        let mut in_order = OrderedRecords::new(self);
        let result = fold.ordered(
            || Counted::new(self, &name),
            |counted, batch, piece: &mut OrderedPiece| counted.list(batch, piece),
            |_, _| {},
            |piece| in_order.append(piece),
        );
        result?;
        in_order.finish(&name)
    }

    /// The checksums of reads, which have the flags that `samtools import` gives them: those of the first and second reads of
    /// pairs, or of a name that ends in /1 or /2. Names are without these endings.
    ///
    /// ```
    /// use biofast_fastq::Inputs;
    /// use biofast_io::{Options, Source};
    /// use biofast_ops::checksum::ChecksumRules;
    ///
    /// let reads = Source::from_reader("example", &b"@r/1\nAC\n+\nII\n"[..]);
    /// let options = [Options::default(), Options::default()];
    /// let sums = ChecksumRules::default().collect_reads(Inputs::Single(reads), options)?;
    /// assert_eq!(sums.all.all.count, 1);
    /// # Ok::<(), biofast_ops::Error>(())
    /// ```
    ///
    /// # Errors
    /// The first fault of the inputs.
    ///
    /// # Panics
    /// If order or a limit counts, but flags exclude reads: [`keeps_all_reads`](Self::keeps_all_reads).
    pub fn collect_reads<S: Readable>(
        &self,
        inputs: Inputs<S>,
        options: [Options; 2],
    ) -> Result<Checksums, Error> {
        assert!(!self.depends_on_order() || self.keeps_all_reads(), "reads are excluded");
        let per_unit = if inputs.is_paired() { 2 } else { 1 };
        let mates = options[0].mates;
        // Reads have no read groups that an error would name.
        let name: Arc<str> = "".into();
        let units = self.limit.map(|limit| limit.div_ceil(per_unit));
        let counted = Transform::new(inputs).options_of_each(options).limit(units).run(
            &mut [],
            || Counted::new(self, &name),
            |counted, unit, _| -> Result<ControlFlow<()>, Error> {
                counted.add_reads(&unit, mates);
                Ok(ControlFlow::Continue(()))
            },
            |mine, theirs| mine.merge(theirs),
        )?;
        counted.finish()
    }
}
