//! The arithmetic coder on any stream: the length that was asked for, or an error.
#![no_main]

use biofast_codecs::arith;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&[low, high], stream)) = data.split_first_chunk::<2>() else { return };
    let len = usize::from(u16::from_le_bytes([low, high]));
    let found = arith::decode(stream, len);
    assert!(found.is_err() || found.is_ok_and(|out| out.len() == len));
});
