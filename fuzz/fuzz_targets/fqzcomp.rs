//! fqzcomp on any stream, and of any qualities: what is encoded comes back.
#![no_main]

use biofast_codecs::fqzcomp::{Read, decode, encode};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&[how, low, high], data)) = data.split_first_chunk::<3>() else { return };
    if how & 1 == 0 {
        return comes_back(data, how);
    }
    let len = usize::from(u16::from_le_bytes([low, high]));
    // A length that fits gets past the checks.
    let stated = [0x80 | (len >> 14) as u8, 0x80 | (len >> 7) as u8, len as u8 & 0x7f];
    if let Ok(qualities) = decode(&[&stated[..], data].concat(), len) {
        assert_eq!(qualities.len(), len);
        comes_back(&qualities, how);
    }
});

/// With reads of about `how` qualities.
fn comes_back(qualities: &[u8], how: u8) {
    let lens = qualities.chunks(1 + usize::from(how)).map(<[u8]>::len);
    let reads: Vec<Read> = lens
        .enumerate()
        .map(|(number, len)| Read { len, is_reverse: number % 4 == 3 && how & 2 != 0 })
        .collect();
    let mut stream = Vec::new();
    encode(qualities, &reads, &mut stream).expect("reads that make up the qualities");
    assert_eq!(decode(&stream, qualities.len()).as_deref(), Ok(qualities));
}
