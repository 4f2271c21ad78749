//! Where barcodes are, if that differs between samples.

use biofast_fastq::Record;

use super::sheet::Sample;
use super::structure::{ReadStructure, Segment, SegmentKind};

/// Stretches of reads that hold the barcodes of all samples, where their read structures have barcodes of different lengths or at
/// different positions. A sample's barcode is compared at its own positions: bases of a region outside of it are N, which any base
/// matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BarcodeRegions(Vec<BarcodeRegion>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BarcodeRegion {
    input: usize,
    start: usize,
    end: usize,
}

impl BarcodeRegions {
    /// Of these read structures, one for each input, and those of samples that have some of their own. `None` if barcodes are at the same
    /// positions in all, if their lengths aren't fixed, or if the structures aren't of the same inputs.
    pub fn of(general: &[ReadStructure], own: &[Vec<ReadStructure>]) -> Option<BarcodeRegions> {
        let all = || {
            let general = own.iter().any(Vec::is_empty).then_some(general);
            general.into_iter().chain(own.iter().filter(|own| !own.is_empty()).map(Vec::as_slice))
        };
        let first: Vec<(usize, Segment)> = barcodes(all().next()?).collect();
        if all().all(|structures| barcodes(structures).eq(first.iter().copied())) {
            return None;
        }
        let mut regions: Vec<Option<BarcodeRegion>> = vec![None; general.len()];
        for structures in all() {
            if structures.len() != general.len() {
                return None;
            }
            for (input, segment) in barcodes(structures) {
                let (start, end) = (segment.start, segment.start + segment.len?);
                let region = regions[input].get_or_insert(BarcodeRegion { input, start, end });
                (region.start, region.end) = (region.start.min(start), region.end.max(end));
            }
        }
        Some(BarcodeRegions(regions.into_iter().flatten().collect()))
    }

    /// The sample with what its barcode is in the regions, if its reads have these structures.
    ///
    /// # Errors
    /// If its barcode has another length than there.
    pub fn place(&self, sample: &Sample, structures: &[ReadStructure]) -> Result<Sample, String> {
        let mut rest = sample.barcode.as_bytes();
        let expected: usize = barcodes(structures).filter_map(|(_, segment)| segment.len).sum();
        if rest.len() != expected {
            let shown: Vec<String> = structures.iter().map(ToString::to_string).collect();
            return Err(format!(
                "its barcode has {} bases, but its read structure {} has {expected}",
                rest.len(),
                shown.join(" ")
            ));
        }
        let mut barcode = Vec::new();
        for region in &self.0 {
            let place = barcode.len();
            barcode.resize(place + region.end - region.start, b'N');
            for (_, segment) in barcodes(structures).filter(|(input, _)| *input == region.input) {
                let (own, others) = rest.split_at(segment.len.unwrap_or(0));
                let at = place + segment.start - region.start;
                barcode[at..at + own.len()].copy_from_slice(own);
                rest = others;
            }
        }
        Ok(Sample { id: sample.id.clone(), barcode: String::from_utf8_lossy(&barcode).into() })
    }

    /// The numbers of bases of the regions.
    pub(super) fn lens(&self) -> impl Iterator<Item = usize> {
        self.0.iter().map(|region| region.end - region.start)
    }

    /// Appends the bases in the regions. Those that a read is too short for are N.
    pub(super) fn append(&self, records: &[Record<'_>], barcode: &mut Vec<u8>) {
        for region in &self.0 {
            let end = barcode.len() + region.end - region.start;
            let sequence = records.get(region.input).map_or(&[][..], |record| record.sequence());
            let bases = sequence.get(region.start..).unwrap_or_default();
            barcode.extend_from_slice(&bases[..bases.len().min(region.end - region.start)]);
            barcode.resize(end, b'N');
        }
    }
}

/// The barcodes of reads of these structures, each with its input.
fn barcodes(structures: &[ReadStructure]) -> impl Iterator<Item = (usize, Segment)> {
    let segments = structures.iter().enumerate().flat_map(|(input, structure)| {
        structure.segments().iter().map(move |segment| (input, *segment))
    });
    segments.filter(|(_, segment)| segment.kind == SegmentKind::Barcode)
}
