//! rANS Nx16 on any stream, and of any data: the same on every instruction set, and what is encoded comes back.
#![no_main]

use std::num::NonZeroU8;

use biofast_codecs::Order;
use biofast_codecs::nx16::{Options, decode_by, encode_by};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&[how, stripe, low, high], data)) = data.split_first_chunk::<4>() else { return };
    let len = usize::from(u16::from_le_bytes([low, high]));
    let options = Options {
        order: if how & 1 == 0 { Order::Zero } else { Order::One },
        wide: how & 2 != 0,
        pack: how & 4 != 0,
        rle: how & 8 != 0,
        stripe: NonZeroU8::new(stripe).filter(|_| how & 16 != 0),
    };
    // Few bytes are wide: more of them.
    let repeated = data.repeat(1 + usize::from(how >> 5) * 4);
    let mut first = None;
    for isa in biofast_kernels::available() {
        let found = decode_by(isa, data, len);
        assert!(found.as_ref().is_err() || found.as_ref().is_ok_and(|out| out.len() == len));
        let mut out = Vec::new();
        encode_by(isa, &repeated, &options, &mut out);
        assert_eq!(decode_by(isa, &out, repeated.len()).as_deref(), Ok(&*repeated), "{isa:?}");
        let both = (out, found);
        assert_eq!(&both, first.get_or_insert_with(|| both.clone()), "{isa:?}");
    }
});
