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
    let mut counts = std::collections::BTreeSet::new();
    for kernels in crate::available().into_iter().filter_map(kernels_for) {
        assert_eq!((kernels.count_plain_records)(&text, 2, &ends), lengths.len());
        assert_eq!((kernels.count_plain_records)(&text, 2, &[]), 0);
        for at in 2..text.len() {
            for byte in *b"@+\r\n\t !~\x1f\x7f\x80\xc1\0A" {
                let before = std::mem::replace(&mut text[at], byte);
                let ends = ends_of_records(&text);
                let expected = count_by_definition(&text, 2, &ends);
                let found = (kernels.count_plain_records)(&text, 2, &ends);
                assert_eq!(found, expected, "{}: byte {at} {before} as {byte}", kernels.isa);
                counts.insert(found);
                text[at] = before;
            }
        }
    }
    assert_eq!(counts.into_iter().collect::<Vec<_>>(), (0..=lengths.len()).collect::<Vec<_>>());
}
