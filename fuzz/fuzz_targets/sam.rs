//! SAM text: one thread and three agree, and what was read is written as text that reads back.
#![no_main]

use biofast_bam::{Detail, Format};
use biofast_fuzz::{alignments_alike, reads_back, source};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&how, rest)) = data.split_first() else { return };
    let text = if how & 1 == 0 { rest.to_vec() } else { [b"@SQ\tSN:c\tLN:1000\n", rest].concat() };
    if !matches!(Format::sniff(&mut source("x", &text)), Ok(Format::Sam)) {
        return;
    }
    let found = alignments_alike(&text, 1 + usize::from(how), Detail::Full);
    if let (None, Some(text), false) = (found.error, found.text, found.records.is_empty()) {
        reads_back(&text);
    }
});
