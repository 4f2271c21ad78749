//! rANS 4x8 on any stream, and of any data: the same on every instruction set, and what is encoded comes back.
#![no_main]

use biofast_codecs::Order;
use biofast_codecs::rans4x8::{decode_by, encode_by};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&[how, low, high], data)) = data.split_first_chunk::<3>() else { return };
    let len = usize::from(u16::from_le_bytes([low, high]));
    let order = if how & 1 == 0 { Order::Zero } else { Order::One };
    // A header that fits gets past the checks.
    let body = [&(data.len() as u32).to_le_bytes(), &(len as u32).to_le_bytes(), data].concat();
    let stream = [&[how & 1], &*body].concat();
    let mut first = None;
    for isa in biofast_kernels::available() {
        for stream in [data, &stream] {
            let found = decode_by(isa, stream, len);
            assert!(found.is_err() || found.is_ok_and(|out| out.len() == len), "{isa:?}");
        }
        let mut out = Vec::new();
        encode_by(isa, data, order, &mut out);
        assert_eq!(decode_by(isa, &out, data.len()).as_deref(), Ok(data), "{isa:?}");
        let both = (out, decode_by(isa, &stream, len));
        assert_eq!(&both, first.get_or_insert_with(|| both.clone()), "{isa:?}");
    }
});
