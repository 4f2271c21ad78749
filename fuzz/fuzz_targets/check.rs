//! `check` of anything: a verdict, the same on one thread and three, and good FASTQ and alignments only if readers agree.
#![no_main]

use biofast_fuzz::{bounded, options, source};
use biofast_ops::check::{Options, check};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&how, rest)) = data.split_first() else { return };
    let run = |threads, chunk| {
        let io = options(threads, chunk);
        let outcome = bounded(rest.len(), || {
            check(source("x", rest), &Options { pairs: how & 1 == 1, ..Options::new(&io) })
        });
        outcome.map(|o| (o.fault, o.warnings, o.records)).map_err(|e| e.to_string())
    };
    assert_eq!(run(1, 1 << 16), run(3, 1 + usize::from(how)));
});
