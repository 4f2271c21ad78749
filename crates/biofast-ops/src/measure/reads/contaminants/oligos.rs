//! Sequences of the makers' oligonucleotides: adapters and primers that turn up in reads.

/// One sequence, or a series that differs in its index.
pub(super) enum Oligo {
    /// Its name and sequence.
    One(&'static str, &'static str),
    /// What the names start with, what is before and behind the index, and number and sequence of each index.
    Series {
        name: &'static str,
        before: &'static str,
        behind: &'static str,
        indexes: &'static [(u8, &'static str)],
    },
}

use Oligo::{One, Series};

/// Of equally long hits the earlier one counts. A sequence is here once, under its first name, as is its reverse complement.
#[rustfmt::skip]
pub(super) const OLIGOS: &[Oligo] = &[
    One("Illumina Single End Adapter 1", "GATCGGAAGAGCTCGTATGCCGTCTTCTGCTTG"),
    One("Illumina Single End Adapter 2", "CAAGCAGAAGACGGCATACGAGCTCTTCCGATCT"),
    One("Illumina Single End PCR Primer 1", "AATGATACGGCGACCACCGAGATCTACACTCTTTCCCTACACGACGCTCTTCCGATCT"),
    One("Illumina Single End Sequencing Primer", "ACACTCTTTCCCTACACGACGCTCTTCCGATCT"),
    One("Illumina Paired End Adapter 2", "GATCGGAAGAGCGGTTCAGCAGGAATGCCGAG"),
    One("Illumina Paired End PCR Primer 2", "CAAGCAGAAGACGGCATACGAGATCGGTCTCGGCATTCCTGCTGAACCGCTCTTCCGATCT"),
    One("Illumina Paired End Sequencing Primer 2", "CGGTCTCGGCATTCCTGCTGAACCGCTCTTCCGATCT"),
    One("Illumina DpnII expression Adapter 1", "ACAGGTTCAGAGTTCTACAGTCCGAC"),
    One("Illumina DpnII expression Adapter 2", "CAAGCAGAAGACGGCATACGA"),
    One("Illumina DpnII expression PCR Primer 2", "AATGATACGGCGACCACCGACAGGTTCAGAGTTCTACAGTCCGA"),
    One("Illumina DpnII expression Sequencing Primer", "CGACAGGTTCAGAGTTCTACAGTCCGACGATC"),
    One("Illumina NlaIII expression Adapter 1", "ACAGGTTCAGAGTTCTACAGTCCGACATG"),
    One("Illumina NlaIII expression Sequencing Primer", "CCGACAGGTTCAGAGTTCTACAGTCCGACATG"),
    One("Illumina Small RNA Adapter 1", "GTTCAGAGTTCTACAGTCCGACGATC"),
    One("Illumina Small RNA Adapter 2", "TGGAATTCTCGGGTGCCAAGG"),
    One("Illumina Multiplexing Adapter 1", "GATCGGAAGAGCACACGTCT"),
    One("Illumina Multiplexing PCR Primer 2.01", "GTGACTGGAGTTCAGACGTGTGCTCTTCCGATCT"),
    One("Illumina Multiplexing Index Sequencing Primer", "GATCGGAAGAGCACACGTCTGAACTCCAGTCAC"),
    Series {
        name: "Illumina PCR Primer Index ",
        before: "CAAGCAGAAGACGGCATACGAGAT",
        behind: "GTGACTGGAGTTC",
        indexes: &[
            (1, "CGTGAT"), (2, "ACATCG"), (3, "GCCTAA"), (4, "TGGTCA"), (5, "CACTGT"), (6, "ATTGGC"),
            (7, "GATCTG"), (8, "TCAAGT"), (9, "CTGATC"), (10, "AAGCTA"), (11, "GTAGCC"), (12, "TACAAG"),
        ],
    },
    One("Illumina NlaIII Gex Adapter 1.01", "TCGGACTGTAGAACTCTGAAC"),
    One("Illumina Small RNA 3p Adapter 1", "ATCTCGTATGCCGTCTTCTGCTTG"),
    Series {
        name: "TruSeq Adapter, Index ",
        before: "GATCGGAAGAGCACACGTCTGAACTCCAGTCAC",
        behind: "TCTCGTATGCCGTCTTCTGCTTG",
        indexes: &[
            (1, "ATCACGA"), (2, "CGATGTA"), (3, "TTAGGCA"), (4, "TGACCAA"), (5, "ACAGTGA"), (6, "GCCAATA"),
            (7, "CAGATCA"), (8, "ACTTGAA"), (9, "GATCAGA"), (10, "TAGCTTA"), (11, "GGCTACA"), (12, "CTTGTAA"),
            (13, "AGTCAAC"), (14, "AGTTCCG"), (15, "ATGTCAG"), (16, "CCGTCCC"), (18, "GTCCGCA"), (19, "GTGAAAC"),
            (20, "GTGGCCT"), (21, "GTTTCGG"), (22, "CGTACGT"), (23, "CCACTCT"), (25, "ACTGATA"), (27, "ATTCCTT"),
        ],
    },
    One("Illumina RNA RT Primer", "GCCTTGGCACCCGAGAATTCCA"),
    One("Illumina RNA PCR Primer", "AATGATACGGCGACCACCGAGATCTACACGTTCAGAGTTCTACAGTCCGA"),
    Series {
        name: "RNA PCR Primer, Index ",
        before: "CAAGCAGAAGACGGCATACGAGAT",
        behind: "GTGACTGGAGTTCCTTGGCACCCGAGAATTCCA",
        indexes: &[
            (1, "CGTGAT"), (2, "ACATCG"), (3, "GCCTAA"), (4, "TGGTCA"), (5, "CACTGT"), (6, "ATTGGC"),
            (7, "GATCTG"), (8, "TCAAGT"), (9, "CTGATC"), (10, "AAGCTA"), (11, "GTAGCC"), (12, "TACAAG"),
            (13, "TTGACT"), (14, "GGAACT"), (15, "TGACAT"), (16, "GGACGG"), (17, "CTCTAC"), (18, "GCGGAC"),
            (19, "TTTCAC"), (20, "GGCCAC"), (21, "CGAAAC"), (22, "CGTACG"), (23, "CCACTC"), (24, "GCTACC"),
            (25, "ATCAGT"), (26, "GCTCAT"), (27, "AGGAAT"), (28, "CTTTTG"), (29, "TAGTTG"), (30, "CCGGTG"),
            (31, "ATCGTG"), (32, "TGAGTG"), (33, "CGCCTG"), (34, "GCCATG"), (35, "AAAATG"), (36, "TGTTGG"),
            (37, "ATTCCG"), (38, "AGCTAG"), (39, "GTATAG"), (40, "TCTGAG"), (41, "GTCGTC"), (42, "CGATTA"),
            (43, "GCTGTA"), (44, "ATTATA"), (45, "GAATGA"), (46, "TCGGGA"), (47, "CTTCGA"), (48, "TGCCGA"),
        ],
    },
    One("ABI Dynabead EcoP Oligo", "CTGATCTAGAGGTACCGGATCCCAGCAGT"),
    One("ABI Solid3 Adapter A", "CTGCCCCGGGTTCCTCATTCTCTCAGCAGCATG"),
    One("ABI Solid3 Adapter B", "CCACTACGCCTCCGCTTTCCTCTCTATGGGCAGTCGGTGAT"),
    One("ABI Solid3 5' AMP Primer", "CCACTACGCCTCCGCTTTCCTCTCTATG"),
    One("ABI Solid3 3' AMP Primer", "CTGCCCCGGGTTCCTCATTCT"),
    One("ABI Solid3 EF1 alpha Sense Primer", "CATGTGTGTTGAGAGCTTC"),
    One("ABI Solid3 EF1 alpha Antisense Primer", "GAAAACCAAAGTGGTCCAC"),
    One("ABI Solid3 GAPDH Forward Primer", "TTAGCACCCCTGGCCAAGG"),
    One("ABI Solid3 GAPDH Reverse Primer", "CTTACTCCTTGGAGGCCATG"),
    One("Clontech Universal Primer Mix Short", "CTAATACGACTCACTATAGGGC"),
    One("Clontech Universal Primer Mix Long", "CTAATACGACTCACTATAGGGCAAGCAGTGGTATCAACGCAGAGT"),
    One("Clontech SMARTer II A Oligonucleotide", "AAGCAGTGGTATCAACGCAGAGTAC"),
    One("Clontech SMART CDS Primer II A", "AAGCAGTGGTATCAACGCAGAGTACT"),
];
