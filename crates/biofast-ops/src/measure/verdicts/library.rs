//! Types of libraries, and which checks they explain.

use super::own::{self, ReasonedLimit};

/// The type of library, which decides what is a fault.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Library {
    /// Any: only what is a fault of every library is judged.
    #[default]
    Any,
    /// Short reads of a genome.
    Wgs,
    /// Exomes and other captured targets.
    Exome,
    /// Amplicons, and panels made of them.
    Amplicon,
    /// RNA, of many cells together.
    Rna,
    /// Small RNA.
    SmallRna,
    /// Bisulfite and other conversions of C to T.
    Bisulfite,
    /// ChIP and other enrichment by antibodies or open chromatin.
    Chip,
    /// Single cells and spots, with barcodes and probes.
    SingleCell,
    /// Many organisms together.
    Metagenome,
    /// Long reads of Nanopore and PacBio.
    LongRead,
}

impl Library {
    /// All of them.
    pub const ALL: [Library; 11] = [
        Library::Any,
        Library::Wgs,
        Library::Exome,
        Library::Amplicon,
        Library::Rna,
        Library::SmallRna,
        Library::Bisulfite,
        Library::Chip,
        Library::SingleCell,
        Library::Metagenome,
        Library::LongRead,
    ];

    /// The library of that name, or of one of its other names.
    pub fn named(name: &str) -> Option<Library> {
        let is = |library: &Library| library.name() == name || library.aliases().contains(&name);
        Library::ALL.into_iter().find(is)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Library::Any => "any",
            Library::Wgs => "wgs",
            Library::Exome => "exome",
            Library::Amplicon => "amplicon",
            Library::Rna => "rna",
            Library::SmallRna => "small-rna",
            Library::Bisulfite => "bisulfite",
            Library::Chip => "chip",
            Library::SingleCell => "single-cell",
            Library::Metagenome => "metagenome",
            Library::LongRead => "long-read",
        }
    }

    /// Other names.
    pub fn aliases(self) -> &'static [&'static str] {
        match self {
            Library::Any => &[],
            Library::Wgs => &["genome-short"],
            Library::Exome => &["wes", "capture"],
            Library::Amplicon => &["panel"],
            Library::Rna => &["rna-seq"],
            Library::SmallRna => &["mirna"],
            Library::Bisulfite => &["wgbs", "rrbs", "methylation"],
            Library::Chip => &["chip-seq", "atac"],
            Library::SingleCell => &["10x", "visium"],
            Library::Metagenome => &["metagenomic"],
            Library::LongRead => &["nanopore", "ont", "pacbio", "hifi"],
        }
    }

    /// What it is, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Library::Any => "only checks that apply to every library",
            Library::Wgs => "short-read whole-genome sequencing",
            Library::Exome => "exomes and other captured targets",
            Library::Amplicon => "amplicons and amplicon panels",
            Library::Rna => "RNA-seq of tissues and cultures",
            Library::SmallRna => "small RNA, with inserts shorter than reads",
            Library::Bisulfite => "bisulfite and other C-to-T conversion",
            Library::Chip => "ChIP, ATAC and other enrichment",
            Library::SingleCell => "single-cell and spatial: barcodes, probes, tags (10x)",
            Library::Metagenome => "mixtures of organisms",
            Library::LongRead => "Nanopore and PacBio long reads",
        }
    }

    /// What it has otherwise than a genome.
    pub(super) fn own(self) -> &'static [ReasonedLimit] {
        match self {
            Library::Wgs => &[],
            Library::Any => own::ANY,
            Library::Exome => own::EXOME,
            Library::Amplicon => own::AMPLICON,
            Library::Rna => own::RNA,
            Library::SmallRna => own::SMALL_RNA,
            Library::Bisulfite => own::BISULFITE,
            Library::Chip => own::CHIP,
            Library::SingleCell => own::SINGLE_CELL,
            Library::Metagenome => own::METAGENOME,
            Library::LongRead => own::LONG_READ,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{CHECKS, CheckLimits};
    use super::*;

    #[test]
    fn names_are_told_apart_and_every_exception_is_one() {
        let names: Vec<&str> = Library::ALL
            .iter()
            .flat_map(|library| {
                std::iter::once(library.name()).chain(library.aliases().iter().copied())
            })
            .collect();
        for (place, name) in names.iter().enumerate() {
            assert!(!names[..place].contains(name), "{name}");
        }
        for library in Library::ALL {
            let own = library.own();
            for (place, (kind, limits, why)) in own.iter().enumerate() {
                let check = &CHECKS[*kind as usize];
                let what = format!("{} {}", library.name(), check.name());
                assert!(own[..place].iter().all(|(other, ..)| other != kind), "{what} twice");
                assert!(
                    *limits != check.genome && !why.is_empty() && !why.ends_with('.'),
                    "{what}"
                );
                if let CheckLimits { warn: Some(warn), fail: Some(fail) } = *limits {
                    assert!(!check.bad().is_beyond(warn, fail), "{what}");
                }
            }
        }
    }
}
