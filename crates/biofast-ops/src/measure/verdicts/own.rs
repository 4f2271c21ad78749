//! What libraries explain: the limits they have otherwise than a genome, and why.

use super::checks::CheckKind::{self, *};
use super::verdict::CheckLimits;

/// The check, its limits, and why: a phrase that goes on after the figure.
pub(super) type ReasonedLimit = (CheckKind, CheckLimits, &'static str);

const fn off(kind: CheckKind, why: &'static str) -> ReasonedLimit {
    (kind, CheckLimits::OFF, why)
}

const fn set(kind: CheckKind, [warn, fail]: [f64; 2], why: &'static str) -> ReasonedLimit {
    (kind, CheckLimits { warn: Some(warn), fail: Some(fail) }, why)
}

const fn warn(kind: CheckKind, warn: f64, why: &'static str) -> ReasonedLimit {
    (kind, CheckLimits { warn: Some(warn), fail: None }, why)
}

pub(super) const ANY: &[ReasonedLimit] = &[
    off(Length, "reads of small RNA, of barcodes and of indexes are short"),
    set(Quality, [10.0, 7.0], "long reads have more errors than short ones"),
    off(Q30, "long reads may have no such base"),
    set(LowestQuality, [5.0, 3.0], "long reads have more errors than short ones"),
    off(Gc, "targets, transcripts and mixes of organisms have a GC of their own"),
    off(FirstBases, "primers, barcodes and enzymes leave their mark there"),
    off(Bases, "amplicons, tags and converted bases are no even mix"),
    warn(Adapters, 5.0, "inserts of small RNA are shorter than reads"),
    warn(PolyG, 5.0, "inserts of small RNA are shorter than reads"),
    off(Duplication, "amplicons, RNA and enriched targets repeat themselves"),
    off(Overrepresented, "amplicons, RNA and tags repeat themselves"),
    set(Mapped, [50.0, 10.0], "in many samples are other organisms, too"),
    warn(ProperlyPaired, 50.0, "mates of spliced and circular molecules lie otherwise"),
    off(Duplicates, "amplicons, RNA and enriched targets repeat themselves"),
    set(Errors, [15.0, 30.0], "long reads have more errors than short ones"),
    off(Insert, "inserts of small RNA and of old DNA are short"),
    off(Breadth, "targets and transcripts are a part of a genome"),
    off(Evenness, "targets and transcripts are a part of a genome"),
];

pub(super) const EXOME: &[ReasonedLimit] = &[
    set(Gc, [30.0, 60.0], "expected of targets, whose GC is not the genome's"),
    set(Duplication, [50.0, 70.0], "expected of targets that are read deeply"),
    set(Duplicates, [30.0, 60.0], "expected of targets that are read deeply"),
    set(Insert, [120.0, 70.0], "fragments for capture are short"),
    off(Breadth, "expected of targets: they are a part of the genome"),
    off(Evenness, "expected of targets: they are a part of the genome"),
];

pub(super) const AMPLICON: &[ReasonedLimit] = &[
    off(Gc, "expected of amplicons: each has its own GC"),
    off(FirstBases, "expected of amplicons: reads begin at few primers"),
    off(Bases, "expected of amplicons: reads are copies of few sequences"),
    off(Duplication, "expected of amplicons: reads are copies of few sequences"),
    off(Overrepresented, "expected of amplicons: reads are copies of few sequences"),
    set(Mapped, [90.0, 70.0], "primers that pair with each other map nowhere"),
    set(ProperlyPaired, [80.0, 50.0], "primers that pair with each other map nowhere"),
    off(Duplicates, "expected of amplicons: copies begin and end at the same places"),
    off(Insert, "expected of amplicons: the primers set the size"),
    off(Breadth, "expected of amplicons: they are a part of the genome"),
    off(Evenness, "expected of amplicons: they are a part of the genome"),
];

pub(super) const RNA: &[ReasonedLimit] = &[
    set(Gc, [30.0, 60.0], "expected of transcripts: frequent ones shift the curve"),
    off(FirstBases, "expected of RNA: random primers bind some bases rather than others"),
    off(Duplication, "expected of RNA: frequent transcripts give the same reads"),
    set(Overrepresented, [1.0, 10.0], "expected of RNA: some transcripts are frequent"),
    set(Mapped, [85.0, 60.0], "ends of transcripts and rRNA map worse"),
    set(ProperlyPaired, [80.0, 50.0], "mates of spliced transcripts lie far apart"),
    off(Duplicates, "expected of RNA: frequent transcripts give the same reads"),
    set(Errors, [2.0, 5.0], "ends at splice sites are aligned with mismatches"),
    off(Insert, "introns between mates are a part of it"),
    off(Breadth, "expected of RNA: transcripts are a part of the genome"),
    off(Evenness, "expected of RNA: transcripts differ in number"),
];

pub(super) const SMALL_RNA: &[ReasonedLimit] = &[
    set(Length, [18.0, 12.0], "expected of small RNA: most have 20 to 24 bases"),
    off(Gc, "expected of small RNA: few sequences are most of the reads"),
    off(FirstBases, "expected of small RNA: many begin with U"),
    off(Bases, "expected of small RNA: few sequences are most of the reads"),
    off(Adapters, "expected of small RNA: inserts are shorter than reads"),
    off(PolyG, "expected of small RNA: inserts are shorter than reads"),
    off(Duplication, "expected of small RNA: few sequences are most of the reads"),
    off(Overrepresented, "expected of small RNA: few sequences are most of the reads"),
    set(Mapped, [60.0, 30.0], "so short reads map worse"),
    off(ProperlyPaired, "inserts are shorter than reads"),
    off(Duplicates, "expected of small RNA: few sequences are most of the reads"),
    off(Insert, "expected of small RNA"),
    off(Breadth, "expected of small RNA: it is of a small part of the genome"),
    off(Evenness, "expected of small RNA: few sequences are most of the reads"),
];

pub(super) const BISULFITE: &[ReasonedLimit] = &[
    off(Gc, "expected of converted bases: most C are read as T"),
    off(FirstBases, "expected of converted bases: most C are read as T"),
    off(Bases, "expected of converted bases: most C are read as T"),
    set(Mapped, [70.0, 50.0], "converted reads map worse"),
    set(ProperlyPaired, [70.0, 50.0], "converted reads map worse"),
    set(Duplicates, [30.0, 60.0], "conversion destroys most molecules"),
    off(Errors, "expected of converted bases: they may count as mismatches"),
    set(Insert, [100.0, 60.0], "conversion breaks molecules"),
    off(Breadth, "fragments of reduced representation are a part of the genome"),
    off(Evenness, "fragments of reduced representation are a part of the genome"),
];

pub(super) const CHIP: &[ReasonedLimit] = &[
    set(Gc, [30.0, 60.0], "expected of enriched regions, whose GC is not the genome's"),
    set(Duplication, [50.0, 80.0], "expected of enriched regions"),
    set(Mapped, [80.0, 50.0], "short reads of repeats map worse"),
    set(ProperlyPaired, [80.0, 50.0], "short reads of repeats map worse"),
    set(Duplicates, [50.0, 80.0], "expected of enriched regions"),
    set(Insert, [80.0, 50.0], "open chromatin gives short fragments"),
    off(Breadth, "expected of enrichment: most reads are of few regions"),
    off(Evenness, "expected of enrichment: most reads are of few regions"),
];

pub(super) const SINGLE_CELL: &[ReasonedLimit] = &[
    set(Length, [20.0, 8.0], "a read of barcodes is short"),
    set(
        LowestQuality,
        [15.0, 5.0],
        "expected of single cells: all reads have the same behind tags and probes",
    ),
    off(Gc, "expected of single cells: transcripts, probes and tags repeat themselves"),
    off(FirstBases, "expected of single cells: barcodes, probes and template switching"),
    off(Bases, "expected of single cells: barcodes, probes and poly-A"),
    warn(Adapters, 20.0, "expected of single cells: tags are shorter than reads"),
    warn(PolyG, 20.0, "expected of single cells: tags are shorter than reads"),
    off(Duplication, "expected of single cells: molecules are read several times"),
    off(Overrepresented, "expected of single cells: probes and tags repeat themselves"),
    set(Mapped, [70.0, 40.0], "reads end in poly-A and in oligos of the protocol"),
    off(ProperlyPaired, "the mate is a barcode"),
    off(Duplicates, "expected of single cells: molecules are read several times"),
    set(Errors, [2.0, 5.0], "ends at splice sites are aligned with mismatches"),
    off(Insert, "the mate is a barcode"),
    off(Breadth, "expected of single cells: transcripts are a part of the genome"),
    off(Evenness, "expected of single cells: transcripts differ in number"),
];

pub(super) const METAGENOME: &[ReasonedLimit] = &[
    off(Gc, "expected of many organisms: each has its own GC"),
    set(Overrepresented, [1.0, 10.0], "expected of many organisms: one may be most of all"),
    off(Mapped, "expected of many organisms: references have a part of them"),
    off(ProperlyPaired, "expected of many organisms: references have a part of them"),
    off(Errors, "expected of many organisms: strains differ from references"),
    off(Breadth, "expected of many organisms: references have a part of them"),
    off(Evenness, "expected of many organisms: they differ in number"),
];

pub(super) const LONG_READ: &[ReasonedLimit] = &[
    set(Length, [500.0, 100.0], "reads are long"),
    set(Quality, [10.0, 7.0], "long reads have more errors than short ones"),
    off(Q30, "long reads may have no such base"),
    set(LowestQuality, [5.0, 3.0], "long reads have more errors than short ones"),
    set(Gc, [30.0, 60.0], "long reads of few organisms lie close together"),
    off(FirstBases, "expected of long reads: adapters and barcodes stand there"),
    off(Bases, "expected of long reads: adapters and barcodes stand there"),
    off(Adapters, "those that are looked for are of short reads"),
    off(PolyG, "long reads span runs of G"),
    off(Duplication, "long reads with errors are never the same"),
    off(Overrepresented, "long reads with errors are never the same"),
    set(Mapped, [90.0, 70.0], "short and bad reads map worse"),
    off(ProperlyPaired, "long reads have no mates"),
    off(Duplicates, "long reads have no duplicates of amplification"),
    set(Errors, [10.0, 20.0], "long reads have more errors than short ones"),
    off(Insert, "long reads have no mates"),
];
