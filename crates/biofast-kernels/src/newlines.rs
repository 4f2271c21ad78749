//! Line feeds: how many there are, and where.

use crate::dispatch::kernels;

/// Counts line feeds.
#[inline]
pub fn count_newlines(bytes: &[u8]) -> u64 {
    (kernels().count_newlines)(bytes)
}

/// The offset of the first line feed.
#[inline]
pub fn find_newline(bytes: &[u8]) -> Option<usize> {
    (kernels().find_newline)(bytes)
}

/// Appends `base` + the offset of each line feed, in ascending order.
///
/// # Panics
/// If `base` + `bytes.len()` doesn't fit `u32`.
///
/// ```
/// let mut newlines = Vec::new();
/// biofast_kernels::index_newlines(b"@r\nAC\n", 100, &mut newlines);
/// assert_eq!(newlines, [102, 105]);
/// ```
#[inline]
pub fn index_newlines(bytes: &[u8], base: u32, out: &mut Vec<u32>) {
    assert!(bytes.len() <= (u32::MAX - base) as usize, "offsets of line feeds don't fit 32 bits");
    (kernels().index_newlines)(bytes, base, out);
}

pub(crate) mod reference {
    //! The kernels as their definitions.

    use crate::bases::reference::count;

    pub(crate) fn count_newlines(bytes: &[u8]) -> u64 {
        count(bytes, |byte| byte == b'\n')
    }

    pub(crate) fn find_newline(bytes: &[u8]) -> Option<usize> {
        bytes.iter().position(|&byte| byte == b'\n')
    }

    pub(crate) fn index_newlines(bytes: &[u8], base: u32, out: &mut Vec<u32>) {
        let newlines = bytes.iter().enumerate().filter(|&(_, &byte)| byte == b'\n');
        out.extend(newlines.map(|(offset, _)| base + offset as u32));
    }
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod vector {
    //! The kernels over vectors: which of 64 bytes are line feeds is told by the instruction set.

    use crate::bases::vector::count_byte;
    use crate::vector::Simd;

    #[inline(always)]
    pub(crate) fn count_newlines<S: Simd>(bytes: &[u8]) -> u64 {
        count_byte::<S>(bytes, b'\n', 0)
    }

    #[inline(always)]
    pub(crate) fn find_newline<S: Simd>(bytes: &[u8]) -> Option<usize> {
        let (blocks, tail) = bytes.as_chunks();
        for (index, block) in blocks.iter().enumerate() {
            let bits = S::newline_bits(block);
            if bits != 0 {
                return Some(64 * index + bits.trailing_zeros() as usize);
            }
        }
        Some(64 * blocks.len() + super::reference::find_newline(tail)?)
    }

    /// Bytes indexed before their offsets are appended. Going through a small buffer keeps the stores in the first-level
    /// cache; writing to a long index directly waits for memory.
    const CHUNK: usize = 4096;
    /// Entries that may be written beyond the last offset.
    const SPARE: usize = 64;
    /// Offsets written at a time, whatever their number: most blocks have 0 to 2, which a branch can't foresee.
    const AT_ONCE: usize = 2;

    /// The offsets of a chunk.
    type Found = [u32; CHUNK + SPARE];

    #[inline(always)]
    pub(crate) fn index_newlines<S: Simd>(bytes: &[u8], base: u32, out: &mut Vec<u32>) {
        let mut found = [0; CHUNK + SPARE];
        let mut base = base;
        for chunk in bytes.chunks(CHUNK) {
            let mut len = 0;
            let (blocks, tail) = chunk.as_chunks::<64>();
            for block in blocks {
                len = push_bits(S::newline_bits(block), base, &mut found, len);
                base += 64;
            }
            if !tail.is_empty() {
                let block = std::array::from_fn(|i| tail.get(i).copied().unwrap_or(0));
                len = push_bits(S::newline_bits(&block), base, &mut found, len);
            }
            out.extend_from_slice(&found[..len]);
        }
    }

    /// Writes `base` + the index of each bit of `mask` from `len` on; returns the new length.
    #[inline(always)]
    fn push_bits(mut mask: u64, base: u32, found: &mut Found, len: usize) -> usize {
        let end = len + mask.count_ones() as usize;
        let mut next = len;
        loop {
            for entry in &mut found[next..next + AT_ONCE] {
                *entry = base.wrapping_add(mask.trailing_zeros());
                mask &= mask.wrapping_sub(1);
            }
            next += AT_ONCE;
            if mask == 0 {
                return end;
            }
        }
    }
}
