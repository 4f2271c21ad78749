//! The name tokeniser on any stream, and of any names: what is encoded comes back.
#![no_main]

use biofast_codecs::names::{decode, encode};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&[low, high, count], data)) = data.split_first_chunk::<3>() else { return };
    let len = usize::from(u16::from_le_bytes([low, high]));
    // A header that fits gets past the checks.
    let header = [(len as u32).to_le_bytes(), u32::from(count).to_le_bytes()].concat();
    let stream = [&*header, &[0], data].concat();
    if let Ok(names) = decode(&stream, len) {
        assert_eq!(names.len(), len);
        comes_back(&names);
    }
    comes_back(&[data, &[0]].concat());
});

fn comes_back(names: &[u8]) {
    let mut stream = Vec::new();
    match encode(names, &mut stream) {
        Ok(()) => assert_eq!(decode(&stream, names.len()).as_deref(), Ok(names)),
        // A decoder's names may hold what no name ends with.
        Err(e) => assert!(names.last() != Some(&0), "{e}"),
    }
}
