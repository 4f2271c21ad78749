//! Adapters and primers of the library preparations for Nanopore sequencing, as their maker publishes them (Chemistry Technical
//! Document, appendix 15; of former kits as Porechop and dorado have them).

/// Adapters of Nanopore kits, at the start and at the end of reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongKit {
    /// What kind of kit it is: its name on the command line.
    pub name: &'static str,
    /// The kits' own names, in lower case and without `sqk-`, which are known, too.
    pub names: &'static [&'static str],
    /// What reads begin with.
    pub front: &'static [&'static str],
    /// What they end with.
    pub rear: &'static [&'static str],
}

const LIGATION_FRONT: [&str; 2] = ["CCTGTACTTCGTTCAGTTACGTATTGCT", "AATGTACTTCGTTCAGTTACGTATTGCT"];
const LIGATION_REAR: [&str; 2] = ["AGCAATACGTAACTGAACGAAGTACAGG", "AGCAATACGTAACTGAACGAAGT"];
const RAPID: &str = "GTTTTCGCATTTATCGTGAAACGCTTTCGCGTTTTTCGTGCGCCGCTTCA";
const PCR: [&str; 2] = ["ACTTGCCTGTCGCTCTATCTTC", "TTTCTGTTGGTGCTGATATTGC"];
const PCR_REVERSED: [&str; 2] = ["GAAGATAGAGCGACAGGCAAGT", "GCAATATCAGCACCAACAGAAA"];

/// The kits that are known by name; `ont` has the adapters of all.
pub const LONG_KITS: &[LongKit] = &[
    LongKit {
        name: "ligation",
        names: &[
            "lsk108", "lsk109", "lsk110", "lsk112", "lsk114", "nbd104", "nbd112", "nbd114",
            "ulk114",
        ],
        front: &LIGATION_FRONT,
        rear: &LIGATION_REAR,
    },
    LongKit {
        name: "rapid",
        names: &["rad004", "rad114", "rbk004", "rbk110", "rbk114"],
        front: &[LIGATION_FRONT[0], LIGATION_FRONT[1], RAPID],
        rear: &[],
    },
    LongKit {
        name: "pcr",
        names: &[
            "psk004", "pbk004", "rpb004", "rpb114", "pcs109", "pcs111", "pcs114", "pcb109",
            "pcb111", "pcb114",
        ],
        front: &[LIGATION_FRONT[0], LIGATION_FRONT[1], PCR[0], PCR[1]],
        rear: &[LIGATION_REAR[0], LIGATION_REAR[1], PCR_REVERSED[0], PCR_REVERSED[1]],
    },
    LongKit {
        name: "ont",
        names: &[],
        front: &[LIGATION_FRONT[0], LIGATION_FRONT[1], RAPID, PCR[0], PCR[1]],
        rear: &[LIGATION_REAR[0], LIGATION_REAR[1], PCR_REVERSED[0], PCR_REVERSED[1]],
    },
];
