//! BAM: header, framing and every part of records. One thread and three agree; text made of records reads back.
#![no_main]

use biofast_bam::Detail;
use biofast_fuzz::{alignments_alike, framed, reads_back};
use biofast_testkit::{bam, container};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&how, rest)) = data.split_first() else { return };
    // With a header of its own, the input is records.
    let bytes = match how & 3 {
        0 => rest.to_vec(),
        1 => [bam::header(&[("c1", 1000), ("c2", 70_000)]), rest.to_vec()].concat(),
        _ => [bam::header(&[("c1", 1000)]), framed(rest)].concat(),
    };
    if !bytes.starts_with(b"BAM\x01") {
        return;
    }
    let file = if how & 4 == 0 { bytes } else { container::bgzf(&bytes, 60) };
    let found = alignments_alike(&file, 1 + usize::from(how), Detail::Full);
    let printed = found.text.filter(|_| found.records.iter().all(|(_, record)| printable(record)));
    if let (true, Some(text)) = (how & 3 != 0, printed) {
        reads_back(&text);
    }
});

/// Names and text fields hold what SAM can say: BAM that doesn't is not checked when it is printed, but by `check`.
fn printable(record: &[u8]) -> bool {
    let name = &record[32..32 + usize::from(record[8]) - 1];
    let clean = |text: &[u8]| text.iter().all(|b| (b' '..=b'~').contains(b));
    !name.is_empty()
        && name.iter().all(|b| (b'!'..=b'~').contains(b))
        && !name.starts_with(b"@")
        && clean(&record[36 + name.len()..])
}
