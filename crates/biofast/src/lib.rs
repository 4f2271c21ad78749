//! Read FASTQ and BAM at the speed of decompression, from Rust.
//!
//! What programs need of the toolkit, under one name:
//!
//! - [`io`]: sources, containers, the parallel pipeline, outputs that appear when they are complete;
//! - [`fastq`]: records of FASTQ and FASTA, a plain reader, parallel folds and transforms;
//! - [`bam`]: alignments in BAM, SAM and CRAM: a plain reader and writer, records to change, indexes and regions, parallel folds;
//! - [`kernels`]: vector code for sequences and qualities;
//! - [`stats`], [`filter`], [`sort`] and [`markdup`]: what the program of the same name measures, selects, trims, sorts and marks;
//! - [`edit`]: alignments rewritten: mate fields, tags, read groups, reference names, back to unaligned reads;
//! - [`cat`], [`split`], [`salvage`]: files concatenated, split by a tag, and saved from damage;
//! - [`faidx`] and [`dict`]: indexes, regions and dictionaries of FASTA.
//!
//! The crates `biofast-…` are internals of this one: their interface changes with every release.
//!
//! # Features
//!
//! All but `noodles` and `remote` are on by default. `default-features = false` leaves FASTQ, plain or in gzip or BGZF, and compiles in a
//! fraction of the time; what a build was compiled without is an error that names the feature, never a misreading.
//!
//! | feature | what it is for |
//! |---|---|
//! | `bam` | the module [`bam`]: BAM and SAM |
//! | `cram` | CRAM, and FASTA files of reference sequences; brings `bam` |
//! | `bzip2`, `xz`, `zstd` | reading these containers, and writing zstd |
//! | `mmap` | memory maps of large files |
//! | `ops` | the modules [`stats`], [`filter`], [`sort`], [`markdup`], [`edit`], [`cat`], [`split`], [`salvage`], [`umi`], [`faidx`] and [`dict`]; brings `bam` |
//! | `remote` | remote inputs (`https://`, `s3://`, …): the module `remote`; off by default |
//! | `regex` | patterns in filters |
//! | `noodles` | headers and records of alignments to and from the types of noodles; brings `bam` |
//!
//! The [`guide`] shows the things people do: [reading FASTQ](guide::read_fastq), [folding in
//! parallel](guide::fold_in_parallel), also [until enough is known](guide::stop_early) and with [your own sources and
//! collectors](guide::bring_your_own), filtering [to BGZF](guide::filter_to_bgzf) and [pairs](guide::filter_pairs), [querying a
//! region](guide::query_a_region), [changing records](guide::change_records), [rewriting files of alignments](guide::rewrite_alignments),
//! [marking duplicates](guide::mark_duplicates) and [using a kernel](guide::use_a_kernel).
//!
//! ```
//! use biofast::io::{Options, Source};
//! use biofast::stats::reads::Collector;
//!
//! let source = Source::from_reader("example", &b"@a\nACGT\n+\nIIII\n"[..]);
//! let statistics = Collector::collect(source, &Options::default(), Collector::new)
//!     .map_err(|fault| fault.error)?;
//! assert_eq!(statistics.summary().gc.value(), 50.0);
//! # Ok::<(), biofast::fastq::Error>(())
//! ```

// Its examples use all of them.
#[cfg(all(feature = "bam", feature = "ops"))]
pub mod guide;

// What is public is named here, item by item, and listed in docs/api. The program, the laboratory and the Python module use the crates.

/// Sources, containers, options, and outputs that appear when they are complete.
///
/// A [`Source`](io::Source) decides how bytes arrive: as a memory map, in reads, or as a stream. A [`Container`](io::Container) is what
/// they are wrapped in, recognised by content. A [`Reader`](io::Reader) gives what is inside through [`std::io::Read`].
pub mod io {
    #[doc(inline)]
    pub use biofast_io::{
        CancellationToken, Container, Error, ErrorKind, IoMode, Kind, Located, Location,
        MMAP_THRESHOLD, MateNaming, Notes, Options, Phase, Progress, Reader, Source, Warning,
        available_threads,
    };

    /// BGZF: the gzip in blocks that genomics uses.
    pub mod bgzf {
        #[doc(inline)]
        pub use biofast_io::bgzf::{VirtualOffset, compress};
    }

    /// Output files: compressed on all threads, and in place only when they are complete.
    pub mod output {
        #[doc(inline)]
        pub use biofast_io::output::{
            Compression, Error, Format, InvalidLevel, Level, Output, UnknownFormat, UnknownLevel,
            commit, is_closed_by_reader,
        };
    }

    /// How folds and transforms end when they fail.
    pub mod pipeline {
        #[doc(inline)]
        pub use biofast_io::pipeline::{Failure, Fault, Outcome};
    }
}

/// Records of FASTQ and FASTA: a plain reader, parallel folds and transforms.
///
/// - [`Reader`](fastq::Reader): records one after the other, borrowed from the chunk they were read with;
/// - [`Fold`](fastq::Fold): the records in batches, or pairs, on several threads, folded and merged;
/// - [`Transform`](fastq::Transform): reads, pairs or those of several files on several threads, turned into outputs in their order.
///
/// All accept LF and CRLF, a missing final newline, reads of no length and wrapped records, and all check every record. A fault names
/// the input, the record and the line; the records before it are delivered first.
pub mod fastq {
    #[doc(inline)]
    pub use biofast_fastq::{
        Batch, Error, ErrorKind, Fold, Inputs, Readable, Reader, Record, Records, Refusal,
        Transform, UncheckedLetters, Unit, UnitOutcome, write_record,
    };

    /// FASTA: sequences without qualities, read in the same ways.
    pub mod fasta {
        #[doc(inline)]
        pub use biofast_fastq::fasta::{LINE_WIDTH, Sequences, is_fasta, write_record};
    }

    /// Mates and their names.
    pub mod pair {
        #[doc(inline)]
        pub use biofast_fastq::pair::{
            find_interleaved_mismatch, find_mismatch, mate_number, split_mate, template_name,
        };
    }
}

/// Alignments in BAM, SAM and CRAM: a plain reader and writer, records to change, indexes and regions, parallel folds.
///
/// [`Reader`](bam::Reader) gives records one after the other, whole or of some regions; [`Writer`](bam::Writer) writes them, with an index
/// if wanted; [`RecordBuf`](bam::RecordBuf) is a record to keep or to change. A [`Fold`](bam::Fold) gives batches of
/// [`Record`](bam::Record)s borrowed from the chunk they were inflated into, on several threads.
#[cfg(feature = "bam")]
pub mod bam {
    #[doc(inline)]
    pub use biofast_bam::{
        Array, Batch, Cigar, CigarBuf, CramOptions, CramVersion, Detail, DetectedData, Element,
        Elements, Encode, Error, ErrorKind, Fold, Format, Header, Input, InputOptions, Interval,
        Losses, Modification, ModificationCode, Modifications, Op, Phred, Program, Query, Reader,
        ReaderBuilder, Record, RecordBuf, RecordBufs, RecordBuilder, Records, Reference, Region,
        Regions, SamWriter, Selection, Sequence, Tag, Tags, Transform, Value, Writer,
        WriterBuilder, peek_header, query::Note, read_header,
    };

    /// The flags of alignments.
    pub mod flag {
        #[doc(inline)]
        pub use biofast_bam::flag::{
            DUPLICATE, Filter, MATE_REVERSE, MATE_UNMAPPED, PAIRED, PROPER_PAIR, QC_FAIL, READ1,
            READ2, REVERSE, SECONDARY, SUPPLEMENTARY, UNMAPPED, parse,
        };
    }

    /// BAI and CSI indexes: read, and made. CRAI: made.
    pub mod index {
        #[doc(inline)]
        pub use biofast_bam::index::{BuildOptions, Built, Index, IndexFormat, Metadata, build};
        #[doc(inline)]
        pub use biofast_bam::index_cram;
    }

    #[cfg(feature = "noodles")]
    #[doc(inline)]
    pub use biofast_bam::noodles;
}

/// SIMD over sequences and qualities.
///
/// Every function takes any bytes, needs no alignment and is safe. The instruction set is chosen at run time, once, and all give the same
/// results bit for bit. Qualities are ASCII, Phred+33.
pub mod kernels {
    #[doc(inline)]
    pub use biofast_kernels::{
        BaseColumns, BaseCounts, ERROR_SCALE, Isa, OverrideError, PHRED_VALUES, QualityColumns,
        QualitySummary, active, check_override, count_at_least, count_bases, count_gc, count_n,
        count_qualities, find_invalid_base, find_invalid_quality, mean_error_probability,
        mean_phred, sum_error_probability, sum_qualities, summarize_qualities,
    };
}

/// Statistics of reads and alignments: collectors that threads and parts of an input merge, and their results.
#[cfg(feature = "ops")]
pub mod stats {
    /// Statistics of FASTQ and FASTA: everything in one pass.
    pub mod reads {
        #[doc(inline)]
        pub use biofast_ops::reads::{
            Collector, Encoding, PairCheck, Percent, SequenceType, Summary,
        };
    }

    /// The depth of alignments, by position, reference and target.
    pub mod coverage {
        #[doc(inline)]
        pub use biofast_ops::coverage::{
            ColumnRun, ColumnSink, Counting, DepthRules, DepthRun, DepthSink, Distribution,
            Interval, Intervals, PerReference, TargetDepth, TargetDepths, collect, collect_columns,
        };
    }

    /// What `samtools checksum` computes: checksums of records that don't depend on their order.
    pub mod checksum {
        #[doc(inline)]
        pub use biofast_ops::checksum::{
            ChecksumColumn, ChecksumDifference, ChecksumGroup, ChecksumOrder, ChecksumRow,
            ChecksumRules, ChecksumTags, ChecksumVersion, Checksums, DifferingValue, GroupName,
            InvalidTagList,
        };
    }

    /// What `samtools flagstat` counts.
    pub mod flagstat {
        #[doc(inline)]
        pub use biofast_ops::flagstat::{FlagStat, FlagstatCollector};
    }

    /// What `samtools idxstats` counts.
    pub mod idxstats {
        #[doc(inline)]
        pub use biofast_ops::idxstats::IdxstatsCollector;
    }
}

/// Selecting and trimming reads: a chain of trimmers and predicates, applied to a read or to both reads of a pair at once.
///
/// A [`Filter`](filter::Filter) is a list of [`Trimmer`](filter::Trimmer)s, run in their order, and of
/// [`Predicate`](filter::Predicate)s, of which the first that objects gives the [`Reason`](filter::Reason).
#[cfg(feature = "ops")]
pub mod filter {
    #[doc(inline)]
    pub use biofast_ops::filter::{
        EditedBases, Filter, FilterRoutes, FilterTally, FilterWorker, PairRule, Predicate, Reason,
        Trim, TrimCounts, TrimUnit, TrimmedRead, Trimmer,
    };
    #[doc(inline)]
    pub use biofast_ops::measure::records::Amount;

    /// Conditions on reads.
    pub mod predicate {
        #[doc(inline)]
        pub use biofast_ops::filter::predicate::{
            Gc, MaxDust, MaxExpectedErrors, MaxExpectedErrorsPerBase, MaxLen, MaxLowQualityPercent,
            MaxMeanQuality, MaxN, MaxNPercent, Mean, MinComplexity, MinEntropy, MinLen,
            MinMeanQuality,
        };
    }

    /// Trimmers of reads.
    pub mod trim {
        #[doc(inline)]
        pub use biofast_ops::filter::trim::{
            Adapters, Crop, CutFront, CutRight, CutTail, InvalidAdapter, KeepFirst, MaskDust,
            NextSeqTrim, Overlap, PolyA, PolyG, PolyX, QualityCutoff, QualityWindow, TrimN, Umi,
            UmiSource,
        };
    }

    /// Removing, keeping or masking reads of a host or a contaminant, by minimizers.
    pub mod deplete {
        #[doc(inline)]
        pub use biofast_kernels::MinimizerScheme;
        #[doc(inline)]
        pub use biofast_ops::filter::deplete::{
            Deplete, DepleteAction, IndexedSequences, MinimizerIndex, MinimizerIndexBuilder,
        };
    }

    /// Selecting by name: listed ones, and patterns.
    pub mod names {
        #[doc(inline)]
        pub use biofast_ops::filter::names::{ListedNames, NameFilter, Regex};
    }

    /// Expressions in the language of samtools, which select alignments.
    pub mod expression {
        #[doc(inline)]
        pub use biofast_ops::filter::expression::{
            EvalError, EvalErrorKind, Expression, ParseError, ParseErrorKind,
        };
    }

    /// A sample of the reads.
    pub mod sample {
        #[doc(inline)]
        pub use biofast_ops::filter::sample::{SampleFilter, SampledBases};
    }
}

/// Sorting alignments, in memory and in temporary files.
///
/// [`Order::NameHash`](sort::Order::NameHash) only brings the records of a name together, like `samtools collate`:
///
/// ```
/// use biofast::bam::Reader;
/// use biofast::sort::{Order, SortLimits, Sorter};
///
/// let line = |name, flags| format!("{name}\t{flags}\t*\t0\t0\t*\t*\t0\t0\tA\tI\n");
/// let sam = [line("x", 141), line("y", 77), line("x", 77), line("y", 141)].concat();
/// let mut reader = Reader::from_reader("example", std::io::Cursor::new(sam))?;
/// let mut sorter = Sorter::new(Order::NameHash, &SortLimits::default());
/// while let Some(record) = reader.next_record()? {
///     sorter.add(&record)?;
/// }
/// let mut sorted = sorter.finish(reader.header(), 1)?;
/// for _ in 0..2 {
///     let first = sorted.next_record()?.ok_or("no record")?.name().to_vec();
///     let second = sorted.next_record()?.ok_or("no record")?;
///     assert_eq!((second.name(), second.flags()), (&first[..], 141));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(feature = "ops")]
pub mod sort {
    #[doc(inline)]
    pub use biofast_ops::Error;
    #[doc(inline)]
    pub use biofast_ops::sort::{Order, SortLimits, SortSummary, Sorted, Sorter, is_sorted, sort};
}

/// Marking duplicates in alignments of any order, which is kept. The [guide](guide::mark_duplicates) has an example.
#[cfg(feature = "ops")]
pub mod markdup {
    #[doc(inline)]
    pub use biofast_ops::markdup::{
        FoundDuplicates, MarkedDuplicates, MarkedFormat, find_duplicates,
    };
    #[doc(inline)]
    pub use biofast_ops::sort::duplicates::{
        BarcodeSource, DuplicateCounts, DuplicateRule, LibraryCounts, Marking, Mode, NamePattern,
        SetSizes,
    };
}

/// Grouping and deduplicating sorted alignments by UMI, like `umi_tools group` and `dedup`; molecules and their consensus reads, like fgbio
/// and fgumi.
///
/// ```
/// use biofast::bam::{Input, InputOptions, Query};
/// use biofast::edit::RewrittenFormat;
/// use biofast::io::output::{Output, commit};
/// use biofast::io::{Options, Source};
/// use biofast::umi::{UmiReports, UmiRules, UmiTask, find_umis};
///
/// # let folder = std::env::temp_dir().join(format!("biofast-doc-umis-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("unique.sam");
/// let sam = b"@SQ\tSN:c\tLN:99\n\
///     x_ACGT\t0\tc\t7\t60\t3M\t*\t0\t0\tACG\tIII\n\
///     y_ACGA\t0\tc\t7\t60\t3M\t*\t0\t0\tACG\tIII\n";
/// let options = Options::default();
/// let open = || -> Result<Query, biofast::bam::Error> {
///     let source = Source::from_reader("example", &sam[..]);
///     Ok(Input::open(source, &InputOptions::new(&options))?.source.into())
/// };
/// let rules = UmiRules::default();
/// let found = find_umis(open()?, &options, &rules, UmiTask::Group, UmiReports::default())?;
/// let (header, query) = open()?.peek_header()?;
/// let mut outputs = vec![Output::create_with(&path, Default::default())?];
/// found.write(query, &options, &mut outputs, &RewrittenFormat::sam(&header))?;
/// commit(outputs, false)?;
/// assert!(std::fs::read_to_string(&path)?.ends_with("y_ACGA\t0\tc\t7\t60\t3M\t*\t0\t0\tACG\tIII\tUG:i:0\tBX:Z:ACGA\n"));
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(feature = "ops")]
pub mod umi {
    #[doc(inline)]
    pub use biofast_ops::demux::MatchRules;
    #[doc(inline)]
    pub use biofast_ops::umi::{
        BarcodeTag, ConsensusCounts, ConsensusFilter, ConsensusFilterCounts, ConsensusFilterRules,
        ConsensusMaker, ConsensusRules, FoundUmis, GenePattern, MoleculeCounts, MoleculeGrouper,
        MoleculeRules, MoleculeStrategy, MultimappingTag, PerUmi, UmiCorrectionCounts,
        UmiCorrectionRules, UmiCorrector, UmiGene, UmiListError, UmiLocation, UmiMethod,
        UmiPlaceCounts, UmiPolicy, UmiReadCounts, UmiReports, UmiRules, UmiStatistics, UmiSummary,
        UmiTask, WrittenUmis, cluster_umis, find_umis,
    };
}

/// Alignments rewritten in their order. The [guide](guide::rewrite_alignments) has an example.
///
/// | type | what it does | like |
/// |---|---|---|
/// | [`MateFixer`](edit::MateFixer) | fills in mate fields | `samtools fixmate` |
/// | [`Reset`](edit::Reset) | turns alignments back into unaligned reads | `samtools reset` |
/// | [`Retag`](edit::Retag) | removes, keeps and renames tags, moves UMIs | `samtools view -x` |
/// | [`RenameContigs`](edit::RenameContigs) | renames reference sequences | |
/// | [`GroupChange`](edit::GroupChange) | sets the read group | `samtools addreplacerg` |
///
/// A change of your own is a [`RecordEdit`](edit::RecordEdit).
#[cfg(feature = "ops")]
pub mod edit {
    #[doc(inline)]
    pub use biofast_ops::{
        addreplacerg::{GroupChange, GroupMode, NewGroup, NewGroupError},
        edit::{EditCounts, RecordEdit, Rewrite, RewrittenFormat},
        fixmate::{FixMate, MateCounts, MateFixer, SanitizeRules, UnknownRule},
        import::ReadGroup,
        rename_contigs::{ContigNames, RenameContigs, RenameError},
        reset::{Reset, ResetRules, UnknownProgram},
        retag::{KeptTags, Retag, RetagRules, UmiMove},
    };
}

/// Concatenating BAM or FASTQ files. Compressed blocks are copied, and everything in them is checked.
///
/// ```
/// use biofast::cat::{Cat, CatInput};
/// use biofast::io::output::{Compression, Output, commit};
/// use biofast::io::{Options, bgzf};
///
/// # let folder = std::env::temp_dir().join(format!("biofast-doc-cat-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("all.fq.gz");
/// let mut cat = Cat::new(Output::create_with(&path, Compression::default())?);
/// for reads in [b"@a\nA\n+\nI\n", b"@b\nC\n+\nI\n"] {
///     let part = CatInput::from_reader("example", std::io::Cursor::new(bgzf::compress(reads)));
///     cat.add(part, &Options::default())?;
/// }
/// let (output, summary) = cat.finish()?;
/// commit(vec![output], false)?;
/// assert_eq!(summary.records, 2);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(feature = "ops")]
pub mod cat {
    #[doc(inline)]
    pub use biofast_ops::cat::{Cat, CatContent, CatInput, CatSummary};
}

/// Splitting alignments by the values of a tag: the values are found first, then each record goes to the output of its value.
///
/// ```
/// use biofast::bam::{Input, InputOptions, Query, SamWriter, Transform};
/// use biofast::io::output::{Output, commit};
/// use biofast::io::{Options, Source};
/// use biofast::split::{TagSplit, TagValues};
///
/// # let folder = std::env::temp_dir().join(format!("biofast-doc-split-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// let line = |name, cell| format!("{name}\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\tCB:Z:{cell}\n");
/// let sam = [line("a", "AC"), line("b", "GT"), line("c", "AC")].concat();
/// let options = Options::default();
/// let open = || -> Result<Query, biofast::bam::Error> {
///     let source = Source::from_reader("example", std::io::Cursor::new(sam.clone()));
///     Ok(Input::open(source, &InputOptions::new(&options))?.source.into())
/// };
/// let (header, found) = TagValues::find(open()?, &options, *b"CB", 1000)?;
/// assert_eq!(found.values, [b"AC", b"GT"]);
/// let split = TagSplit::new(*b"CB", &found.values, false);
/// let mut outputs = Vec::new();
/// for value in &found.values {
///     let path = folder.join(String::from_utf8_lossy(value).as_ref());
///     outputs.push(Output::create_with(&path, Default::default())?);
/// }
/// let writer = SamWriter::new(&header);
/// Transform::new(open()?).options(&options).run(
///     &mut outputs,
///     Vec::new,
///     |text, batch, texts| {
///         for record in batch {
///             if let Some(number) = split.output_of(&record, text)? {
///                 writer.write(&record, &mut texts[number])?;
///             }
///         }
///         Ok::<_, biofast::bam::Error>(())
///     },
///     |_, _| {},
/// )?;
/// commit(outputs, false)?;
/// let written = std::fs::read_to_string(folder.join("AC"))?;
/// assert_eq!(written, [line("a", "AC"), line("c", "AC")].concat());
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(feature = "ops")]
pub mod split {
    #[doc(inline)]
    pub use biofast_ops::split::{TagSplit, TagValues};
}

/// The whole records of damaged or truncated files, and what is missing between them.
///
/// ```
/// use biofast::io::bgzf;
/// use biofast::io::output::{Compression, Output, commit};
/// use biofast::salvage::Salvage;
///
/// # let folder = std::env::temp_dir().join(format!("biofast-doc-salvage-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("salvaged.fq");
/// let mut damaged = bgzf::compress(b"@a\nA\n+\nI\n");
/// damaged.extend_from_slice(&bgzf::compress(b"@b\nC\n+\nI\n@c\nG\n+\nI\n"));
/// damaged[20] ^= 0xff;
/// let salvage = Salvage::open("example.fq.gz", std::io::Cursor::new(damaged))?;
/// let mut output = Output::create_with(&path, Compression::default())?;
/// let summary = salvage.run(&mut output, None)?;
/// commit(vec![output], false)?;
/// assert_eq!((summary.records, summary.missing.len()), (2, 1));
/// assert_eq!(std::fs::read(&path)?, b"@b\nC\n+\nI\n@c\nG\n+\nI\n");
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(feature = "ops")]
pub mod salvage {
    #[doc(inline)]
    pub use biofast_ops::salvage::{
        DamagedBytes, MissingInterval, NeighborRecord, Salvage, SalvageSummary,
    };
}

/// Indexes of FASTA and FASTQ files, and regions of their sequences.
#[cfg(feature = "ops")]
pub mod faidx {
    #[doc(inline)]
    pub use biofast_bam::{Fasta, FastaIndex, SequencePart, UnindexedSequence};
    #[doc(inline)]
    pub use biofast_ops::faidx::{ExtractedPart, Extraction, FaidxIndexes, build};
}

/// Sequence dictionaries of FASTA files.
#[cfg(feature = "ops")]
pub mod dict {
    #[doc(inline)]
    pub use biofast_ops::dict::{Dictionary, DictionarySummary};
}

/// Remote inputs: `https://` and `http://`, and the object stores behind `s3://`, `gs://` and `az://`.
#[cfg(feature = "remote")]
pub mod remote {
    #[doc(inline)]
    pub use biofast_remote::{Settings, install};
}
