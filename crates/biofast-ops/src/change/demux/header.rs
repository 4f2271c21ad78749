//! Header lines with UMIs and barcodes.

use biofast_fastq::Record;
use biofast_fastq::pair::{split_mate, template_name};

/// Where UMIs go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UmiPlace {
    /// Behind the name: `name:ACGT`, before a mate's number. Behind a UMI that is there already, in names of eight parts, with `+`.
    #[default]
    Name,
    /// In a tag `RX:Z:` in the place of the description, as `bwa mem -C` and `minimap2 -y` take it.
    Tag,
    /// Nowhere.
    None,
}

/// Where the barcodes that were read go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BarcodePlace {
    /// Illumina's description, `1:N:0:ACGT+TGCA`, whose number becomes that of the mate; one is made where there is none.
    #[default]
    Description,
    /// In a tag `BC:Z:` in the place of the description, together with barcodes that were read there.
    Tag,
    /// Nowhere: the description stays as it is.
    None,
}

/// What is put into a header line.
#[derive(Clone, Copy)]
pub(super) struct Additions<'a> {
    pub(super) umis: &'a [&'a [u8]],
    pub(super) barcodes: &'a [&'a [u8]],
    /// Counted from 1.
    pub(super) mate: usize,
    /// Names end in the numbers of mates.
    pub(super) is_numbered: bool,
    pub(super) umi_place: UmiPlace,
    pub(super) barcode_place: BarcodePlace,
}

/// Appends the header line of a record, without `@`.
pub(super) fn append(out: &mut Vec<u8>, record: &Record<'_>, added: &Additions<'_>) {
    let Additions { umis, barcodes, mate, is_numbered, umi_place, barcode_place } = *added;
    let name = record.name();
    match umi_place {
        UmiPlace::Name if !umis.is_empty() => {
            let numbered = is_numbered.then(|| split_mate(name)).flatten();
            let template = numbered.map_or_else(|| template_name(name), |(template, _)| template);
            let (template, suffix) = name.split_at(template.len());
            out.extend_from_slice(template);
            // Instrument, run, flow cell, lane, tile, x and y; the UMI is the eighth.
            let has_umi = template.iter().filter(|&&b| b == b':').count() == 7;
            out.push(if has_umi { b'+' } else { b':' });
            join(out, umis, b'+');
            out.extend_from_slice(suffix);
        }
        _ => out.extend_from_slice(name),
    }
    let tags = [
        (umi_place == UmiPlace::Tag && !umis.is_empty()).then_some((b"RX:Z:", umis)),
        (barcode_place == BarcodePlace::Tag && !barcodes.is_empty())
            .then_some((b"BC:Z:", barcodes)),
    ];
    if tags.iter().any(Option::is_some) {
        let mut before = b' ';
        for (tag, parts) in tags.into_iter().flatten() {
            out.push(before);
            out.extend_from_slice(tag);
            join(out, parts, b'-');
            before = b'\t';
        }
        return;
    }
    match barcode_place {
        BarcodePlace::Description if !barcodes.is_empty() => {
            out.push(b' ');
            describe(out, record.description(), mate);
            join(out, barcodes, b'+');
        }
        _ => out.extend_from_slice(&record.definition()[name.len()..]),
    }
}

/// Appends the description up to where barcodes follow, as fqtk writes it.
fn describe(out: &mut Vec<u8>, description: &[u8], mate: usize) {
    let mut number = Vec::new();
    // Numbers of mates have a digit or two.
    number.extend_from_slice(mate.to_string().as_bytes());
    if description.is_empty() {
        out.extend_from_slice(&number);
        out.extend_from_slice(b":N:0:");
        return;
    }
    let colons = description.iter().filter(|&&b| b == b':').count();
    let first = description.iter().position(|&b| b == b':');
    let Some(first) = first.filter(|_| colons == 3) else {
        out.extend_from_slice(description);
        if description.last() != Some(&b':') {
            out.push(b':');
        }
        return;
    };
    out.extend_from_slice(&number);
    let rest = &description[first..];
    // Where there was no barcode, there may be a 0.
    let rest = match rest.split_last() {
        Some((last, before)) if last.is_ascii_digit() => before,
        _ => rest,
    };
    out.extend_from_slice(rest);
    if rest.last() != Some(&b':') {
        out.push(b'+');
    }
}

fn join(out: &mut Vec<u8>, parts: &[&[u8]], separator: u8) {
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            out.push(separator);
        }
        out.extend_from_slice(part);
    }
}

/// The barcodes in a header of Illumina's: what follows the last colon of `1:N:0:ACGT+TGCA`, in its parts.
pub(super) fn barcodes<'r>(record: &Record<'r>) -> impl Iterator<Item = &'r [u8]> + use<'r> {
    let description = record.description();
    let end =
        description.iter().position(|&b| b == b' ' || b == b'\t').unwrap_or(description.len());
    let field = description[..end].rsplit(|&b| b == b':').next().unwrap_or_default();
    let has_colon = field.len() < end;
    let field = if has_colon { field } else { &[][..] };
    field.split(|&b| b == b'+' || b == b'-').filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(
        definition: &str,
        umis: &[&str],
        barcodes: &[&str],
        mate: usize,
        umi: UmiPlace,
        barcode: BarcodePlace,
    ) -> String {
        let bytes = |parts: &[&str]| -> Vec<Vec<u8>> {
            parts.iter().map(|part| part.as_bytes().to_vec()).collect()
        };
        let (umis, barcodes) = (bytes(umis), bytes(barcodes));
        let umis: Vec<&[u8]> = umis.iter().map(Vec::as_slice).collect();
        let barcodes: Vec<&[u8]> = barcodes.iter().map(Vec::as_slice).collect();
        let mut out = Vec::new();
        let added = Additions {
            umis: &umis,
            barcodes: &barcodes,
            mate,
            is_numbered: false,
            umi_place: umi,
            barcode_place: barcode,
        };
        append(&mut out, &Record::new(definition.as_bytes(), b"", b""), &added);
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn umis_and_barcodes_stand_where_fqtk_puts_them() {
        let fqtk = |definition: &str, umis: &[&str], barcodes: &[&str]| {
            line(definition, umis, barcodes, 2, UmiPlace::Name, BarcodePlace::Description)
        };
        assert_eq!(fqtk("r", &[], &["AC", "GT"]), "r 2:N:0:AC+GT");
        assert_eq!(fqtk("r 1:Y:18:", &["TTT"], &["AC"]), "r:TTT 2:Y:18:AC");
        assert_eq!(fqtk("r 1:N:0:0", &["T", "G"], &["AC"]), "r:T+G 2:N:0:AC");
        assert_eq!(fqtk("r 1:N:0:GG", &[], &["AC"]), "r 2:N:0:GG+AC");
        assert_eq!(fqtk("a:1:f:1:1:1:1 x", &["T"], &["AC"]), "a:1:f:1:1:1:1:T x:AC");
        assert_eq!(fqtk("a:1:f:1:1:1:1:C x:", &["T"], &["AC"]), "a:1:f:1:1:1:1:C+T x:AC");
        // fqtk has no opinion on these.
        assert_eq!(fqtk("r/2 x", &["T"], &[]), "r:T/2 x");
        assert_eq!(fqtk("r\tx", &[], &[]), "r\tx");
    }

    #[test]
    fn tags_take_the_place_of_the_description() {
        let (tag, none) = (BarcodePlace::Tag, BarcodePlace::None);
        assert_eq!(
            line("r x", &["A", "C"], &["G", "T"], 1, UmiPlace::Tag, tag),
            "r RX:Z:A-C\tBC:Z:G-T"
        );
        assert_eq!(line("r x", &["A"], &["G"], 1, UmiPlace::Name, tag), "r:A BC:Z:G");
        assert_eq!(line("r x", &["A"], &["G"], 1, UmiPlace::None, none), "r x");
    }

    #[test]
    fn barcodes_of_headers_have_parts() {
        let of = |definition: &str| -> Vec<String> {
            let record = Record::new(definition.as_bytes(), b"", b"");
            barcodes(&record).map(|part| String::from_utf8_lossy(part).into_owned()).collect()
        };
        assert_eq!(of("r 1:N:0:ACGT+TG"), ["ACGT", "TG"]);
        assert_eq!(of("r 1:N:0:ACGT more:x"), ["ACGT"]);
        assert!(of("r").is_empty() && of("r ACGT").is_empty() && of("r 1:N:0:").is_empty());
    }
}
