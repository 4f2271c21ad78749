//! The count of plain FASTQ records, by every instruction set, against its definition.

use super::*;

fn ends_of_records(text: &[u8]) -> Vec<[u32; 4]> {
    let newlines = text.iter().enumerate().filter(|&(_, &byte)| byte == b'\n');
    let newlines: Vec<u32> = newlines.map(|(at, _)| at as u32).collect();
    newlines.as_chunks::<4>().0.to_vec()
}

fn is_plain(record: &[u8]) -> bool {
    let lines: Vec<&[u8]> = record.split(|&byte| byte == b'\n').collect();
    let [header, bases, plus, qualities] = lines[..] else { panic!("four lines") };
    let is_base = |byte: &u8| byte.is_ascii_alphanumeric() || b"-.*".contains(byte);
    header.starts_with(b"@")
        && !header.iter().any(|byte| (*byte < 32 && *byte != b'\t') || *byte == 127)
        && bases.iter().all(is_base)
        && plus == b"+"
        && qualities.len() == bases.len()
        && qualities.iter().all(|byte| (33..=126).contains(byte))
}

fn count_by_definition(text: &[u8], start: usize, ends: &[[u32; 4]]) -> usize {
    let starts = std::iter::once(start).chain(ends.iter().map(|ends| ends[3] as usize + 1));
    let mut records = starts.zip(ends).map(|(start, ends)| &text[start..ends[3] as usize]);
    records.position(|record| !is_plain(record)).unwrap_or(ends.len())
}

#[test]
fn one_byte_that_differs_anywhere_ends_the_plain_records_where_it_should() {
    let lengths = [0, 1, 31, 32, 33, 63, 64, 65, 129];
    let mut text = b"..".to_vec();
    for (seed, len) in lengths.into_iter().enumerate() {
        let name = b"@read name\tx of a length that takes more than a vector or two \xc3\xa4 /1";
        text.extend_from_slice(&name[..[1, 2, 8, 11, 16, 17, 33, name.len(), 32][seed]]);
        text.push(b'\n');
        text.extend(bytes_of(b"ACGTNacgtn-.*09zZ", len, seed));
        text.extend_from_slice(b"\n+\n");
        text.extend(bytes_of(&qualities(), len, seed));
        text.push(b'\n');
    }
    let ends = ends_of_records(&text);
    assert_eq!(count_by_definition(&text, 2, &ends), lengths.len());
    let index = |kernels: &Kernels, text: &[u8]| {
        let mut newlines = vec![7];
        let end = (kernels.index_plain_records)(text, 2, &mut newlines);
        (newlines, end)
    };
    let mut counts = std::collections::BTreeSet::new();
    for kernels in crate::available().into_iter().filter_map(kernels_for) {
        assert_eq!((kernels.count_plain_records)(&text, 2, &ends), lengths.len());
        assert_eq!((kernels.count_plain_records)(&text, 2, &[]), 0);
        for at in 2..text.len() {
            assert!(index(kernels, &text[..at]).1 <= at);
            for byte in *b"@+\r\n\t !~\x1f\x7f\x80\xc1\0A" {
                let before = std::mem::replace(&mut text[at], byte);
                let ends = ends_of_records(&text);
                let expected = count_by_definition(&text, 2, &ends);
                let found = (kernels.count_plain_records)(&text, 2, &ends);
                assert_eq!(found, expected, "{}: byte {at} {before} as {byte}", kernels.isa);
                counts.insert(found);
                let plain = &ends[..found];
                let indexed = [&[7][..], plain.as_flattened()].concat();
                let end = plain.last().map_or(2, |ends| ends[3] as usize + 1);
                assert_eq!(index(kernels, &text), (indexed, end), "{}", kernels.isa);
                text[at] = before;
            }
        }
    }
    // Records of one length after another, whose line feeds lie where those of the length before would.
    let text = b"@a\nACGT\n+\nIIII\n@b\nA\n+\nI\n@c\nA\nGT\n+\nIIII\n";
    for kernels in crate::available().into_iter().filter_map(kernels_for) {
        let mut newlines = Vec::new();
        assert_eq!((kernels.index_plain_records)(text, 0, &mut newlines), 24);
        assert_eq!(newlines, [2, 7, 9, 14, 17, 19, 21, 23]);
    }
    assert_eq!(counts.into_iter().collect::<Vec<_>>(), (0..=lengths.len()).collect::<Vec<_>>());
}

/// Reads of few values, then of others, of many, and of none; bases with and without other letters.
#[test]
fn reads_are_summarized_as_one_by_one() {
    let alphabets: [&[u8]; 8] =
        [b"F", b"#,:F", b"#9I", b"#,<7AFJ", b"!1AQaq2BRbr", &qualities(), b"FFFFF\0", &any_byte()];
    let letters: [&[u8]; 4] = [b"ACGT", b"ACGTNacgtn", b"ACGT -`\0", &any_byte()];
    for first in 0..alphabets.len() {
        let (mut bases, mut quals) = (Vec::new(), Vec::new());
        for (seed, len) in (0..140).chain([450, 480, 511, 1000, 5000]).enumerate() {
            let alphabet = alphabets[if seed < 70 { first } else { seed % alphabets.len() }];
            quals.push(bytes_of(alphabet, len, seed));
            bases.push(bytes_of(letters[seed / 3 % 4], len, seed));
        }
        quals[3].clear();
        let (bases, quals) = (slices(&bases), slices(&quals));
        let summarize = |kernels: &Kernels| {
            let mut out = vec![ReadSummary::default(); bases.len() + 1];
            (kernels.summarize_reads)(&bases, &quals, &mut out);
            out
        };
        let expected = summarize(kernels_for(Isa::Scalar).unwrap());
        for kernels in crate::available().into_iter().filter_map(kernels_for) {
            let found = summarize(kernels);
            for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
                assert_eq!(found, expected, "{}: read {i} after alphabet {first}", kernels.isa);
            }
        }
    }
}
