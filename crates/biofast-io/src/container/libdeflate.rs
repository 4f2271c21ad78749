//! libdeflate's decoder, asked where a stream ended. The safe wrapper around the library doesn't
//! tell, so that bytes between the end of a block's stream and its footer would go unnoticed.
#![allow(unsafe_code)]

use std::ptr::NonNull;

use libdeflate_sys as sys;

/// A decoder of whole streams.
pub(crate) struct Decompressor(NonNull<sys::libdeflate_decompressor>);

// SAFETY: the decoder is memory that it alone owns, without ties to a thread, and it is used through `&mut self` only.
unsafe impl Send for Decompressor {}

/// How much of a stream was taken and made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Inflated {
    /// Bytes of the input up to the end of the stream.
    pub(crate) used: usize,
    /// Bytes of output.
    pub(crate) made: usize,
}

/// Why a stream was not inflated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InflateFailure {
    /// The data are invalid.
    BadData,
    /// There is more than the output has room for.
    NoRoom,
}

impl Decompressor {
    /// # Panics
    /// If there is no memory.
    pub(crate) fn new() -> Decompressor {
        // SAFETY: a plain allocation.
        let decoder = unsafe { sys::libdeflate_alloc_decompressor() };
        let decoder = NonNull::new(decoder);
        let Some(decoder) = decoder else { panic!("no memory for a decoder of libdeflate") };
        Decompressor(decoder)
    }

    /// Inflates the stream that `input` starts with.
    pub(crate) fn inflate(
        &mut self,
        input: &[u8],
        out: &mut [u8],
    ) -> Result<Inflated, InflateFailure> {
        let (mut used, mut made) = (0, 0);
        // SAFETY: the decoder is live, both slices have the lengths that are given, and `used` and `made` can be written.
        let result = unsafe {
            sys::libdeflate_deflate_decompress_ex(
                self.0.as_ptr(),
                input.as_ptr().cast(),
                input.len(),
                out.as_mut_ptr().cast(),
                out.len(),
                &mut used,
                &mut made,
            )
        };
        match result {
            sys::libdeflate_result_LIBDEFLATE_SUCCESS => Ok(Inflated { used, made }),
            sys::libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE => Err(InflateFailure::NoRoom),
            // A short output is none where its length is asked for.
            _ => Err(InflateFailure::BadData),
        }
    }
}

impl Drop for Decompressor {
    fn drop(&mut self) {
        // SAFETY: it was allocated in `new`, and nobody uses it after this.
        unsafe { sys::libdeflate_free_decompressor(self.0.as_ptr()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_stream_is_told() {
        let mut decoder = Decompressor::new();
        // A stored and a fixed block: "abc" and "a".
        for (stream, text) in
            [(&[1, 3, 0, 0xfc, 0xff, b'a', b'b', b'c'][..], &b"abc"[..]), (&[0x4b, 4, 0], b"a")]
        {
            let mut out = vec![0; text.len()];
            let whole = Inflated { used: stream.len(), made: text.len() };
            assert_eq!(decoder.inflate(stream, &mut out), Ok(whole));
            assert_eq!(out, text);
            let longer = [stream, b"JUNK"].concat();
            assert_eq!(decoder.inflate(&longer, &mut out), Ok(whole));
            assert_eq!(decoder.inflate(stream, &mut out[1..]), Err(InflateFailure::NoRoom));
            let short = &stream[..stream.len() - 1];
            assert_eq!(decoder.inflate(short, &mut out), Err(InflateFailure::BadData));
        }
    }
}
