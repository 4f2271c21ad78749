//! Filter expressions: parsing ends in an expression or an error inside the text, and evaluation never panics.
#![no_main]

use std::sync::OnceLock;

use biofast_bam::{Batch, Fold};
use biofast_fuzz::{bounded, options, source};
use biofast_ops::filter::expression::Expression;
use biofast_testkit::sam::{SamShape, text};
use libfuzzer_sys::fuzz_target;

/// Records of all kinds as BAM.
fn bam() -> &'static [u8] {
    static BAM: OnceLock<Vec<u8>> = OnceLock::new();
    BAM.get_or_init(|| {
        let sam =
            text(&SamShape { records: 30, sorted: true, longest: 40, oddities: true, seed: 5 });
        let io = options(1, 1 << 20);
        let opening =
            biofast_bam::InputOptions { io: &io, reference: None, detail: Default::default() };
        let mut input =
            biofast_bam::Input::open(source("x", sam.as_bytes()), &opening).expect("SAM");
        let mut out = Vec::new();
        let (header, rest) =
            biofast_bam::peek_header(std::mem::replace(&mut input.source, source("", b"")))
                .expect("a header");
        header.write_bam(&mut out).expect("a header of BAM");
        let accept = |all: &mut Vec<u8>, batch: Batch<'_>| {
            batch.iter().for_each(|record| record.write_bam(all))
        };
        let (_, records) = Fold::new(rest)
            .options(&io)
            .run(Vec::new, accept, |a, b| a.extend(b))
            .map_err(|f| f.error)
            .expect("records");
        out.extend(records);
        out
    })
}

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    bam();
    let parsed = bounded(data.len(), || Expression::parse(text));
    match parsed {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(expression) => {
            let accept = |n: &mut usize, batch: Batch<'_>| {
                for record in batch {
                    *n += usize::from(expression.matches(&record, batch.header()) == Ok(true));
                }
            };
            let run = || {
                Fold::new(source("x", bam()))
                    .options(&options(1, 1 << 20))
                    .run(|| 0, accept, |a, b| *a += b)
                    .map_err(|f| f.error)
            };
            let (_, n) = bounded(data.len(), run).expect("good records");
            assert!(n <= 30);
        }
    }
});
