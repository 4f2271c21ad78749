//! Bases and qualities of barcodes in optional fields, in the order of the records: the first
//! barcode of a kind says how long they are, the first letter that is no base where the two parts
//! of a double barcode meet.

use biofast_bam::{Record, Tag};

use super::cycles::QUALITIES;

/// The fields of the barcodes' bases and qualities.
const FIELDS: [([u8; 2], [u8; 2]); 4] =
    [(*b"BC", *b"QT"), (*b"CR", *b"CY"), (*b"OX", *b"BZ"), (*b"RX", *b"QX")];

/// A barcode of a record that waits for its turn.
#[derive(Debug)]
pub(crate) struct PendingBarcode {
    kind: usize,
    bases: Vec<u8>,
    qualities: Option<Vec<u8>>,
}

/// Finds the barcodes of a record.
pub(crate) fn find(record: &Record<'_>, out: &mut Vec<PendingBarcode>) {
    let is_bases = |tag: &Tag<'_>| FIELDS.iter().any(|(bases, _)| *bases == tag.name);
    if !record.tags().any(|tag| is_bases(&tag)) {
        return;
    }
    let text = |name: [u8; 2]| record.tags().find(|tag| tag.name == name)?.as_text();
    for (kind, (bases, qualities)) in FIELDS.into_iter().enumerate() {
        if let Some(bases) = text(bases) {
            let qualities = text(qualities).map(<[u8]>::to_vec);
            out.push(PendingBarcode { kind, bases: bases.to_vec(), qualities });
        }
    }
}

/// The counts of all kinds.
#[derive(Default)]
#[doc(hidden)]
pub struct Barcodes {
    kinds: [BarcodeKind; 4],
}

#[derive(Default)]
struct BarcodeKind {
    separator: Option<usize>,
    /// A, C, G, T and N by place.
    bases: Vec<[u64; 5]>,
    qualities: Vec<[u64; QUALITIES]>,
    highest: Option<usize>,
}

/// What there is to print of one kind of barcode.
#[doc(hidden)]
pub struct Printed<'a> {
    /// The fields of bases and qualities.
    pub names: [&'static str; 2],
    /// Part (1 or 2), place in it from 1, counts of A, C, G, T and N, qualities up to the highest.
    pub places: Vec<(u8, usize, &'a [u64; 5], &'a [u64])>,
}

impl Barcodes {
    /// Counts barcodes in the order of their records.
    pub(crate) fn add(&mut self, found: &mut Vec<PendingBarcode>) {
        for found in found.drain(..) {
            self.kinds[found.kind].add(&found.bases, found.qualities.as_deref());
        }
    }

    /// The kinds that were found.
    #[doc(hidden)]
    pub fn print(&self) -> impl Iterator<Item = Printed<'_>> {
        const NAMES: [[&str; 2]; 4] = [["BC", "QT"], ["CR", "CY"], ["OX", "BZ"], ["RX", "QX"]];
        let found = NAMES.into_iter().zip(&self.kinds).filter(|(_, kind)| !kind.bases.is_empty());
        found.map(|(names, kind)| {
            let places = (0..kind.bases.len()).filter(|&place| Some(place) != kind.separator);
            let places = places.map(|place| {
                let (part, number) = match kind.separator {
                    Some(separator) if place > separator => (2, place - separator),
                    _ => (1, place + 1),
                };
                let qualities = &kind.qualities[place][..kind.highest.map_or(0, |max| max + 1)];
                (part, number, &kind.bases[place], qualities)
            });
            Printed { names, places: places.collect() }
        })
    }
}

impl BarcodeKind {
    fn add(&mut self, bases: &[u8], qualities: Option<&[u8]>) {
        if self.bases.is_empty() {
            self.bases = vec![[0; 5]; bases.len()];
            self.qualities = vec![[0; QUALITIES]; bases.len()];
        }
        if bases.len() > self.bases.len() {
            return;
        }
        for (place, base) in bases.iter().enumerate() {
            match b"ACGTN".iter().position(|letter| letter == base) {
                Some(class) => self.bases[place][class] += 1,
                None if *self.separator.get_or_insert(place) == place => {}
                // A separator somewhere else: the rest of the barcode isn't trusted.
                None => return,
            }
        }
        let qualities = qualities.filter(|qualities| qualities.len() == bases.len());
        for (place, quality) in qualities.into_iter().flatten().enumerate() {
            if let Some(phred) = quality.checked_sub(b'!').map(usize::from) {
                self.qualities[place][phred] += 1;
                self.highest = self.highest.max(Some(phred));
            }
        }
    }
}
