//! Copies of the rarer matches.
#![allow(unsafe_code)]

/// Bytes of a wide copy.
pub(crate) const WIDE: usize = 32;

/// Copies 32 bytes as they are.
///
/// # Safety
/// 32 bytes from either on belong to one buffer.
#[inline(always)]
pub(crate) unsafe fn copy_32(to: *mut u8, from: *const u8) {
    // SAFETY: as this function.
    unsafe {
        // All is read before anything is written. (An array by value would take a detour through memory.)
        std::ptr::copy(from, to, WIDE);
    }
}

/// Copies a match of `length` bytes, and up to 31 bytes more.
///
/// # Safety
/// `distance` is at least 1, that many bytes lie before `to` in its buffer, and `length` + 31 behind it.
#[inline(always)]
pub(crate) unsafe fn copy_long(to: *mut u8, distance: usize, length: usize) {
    // SAFETY: as this function.
    unsafe {
        if distance >= WIDE {
            copy_apart(to, distance, length);
        } else {
            repeat(to, distance, length);
        }
    }
}

/// As [`copy_long`].
///
/// # Safety
/// As for [`copy_long`], with a `distance` of 32 or more.
#[inline(always)]
pub(crate) unsafe fn copy_apart(to: *mut u8, distance: usize, length: usize) {
    let mut done = 0;
    while done < length {
        // SAFETY: a write starts before `to + length`; a read ends at or before the write's start.
        unsafe { copy_32(to.add(done), to.sub(distance).add(done)) };
        done += WIDE;
    }
}

/// As [`copy_long`].
///
/// # Safety
/// As for [`copy_long`], with a `distance` below 32.
#[inline(always)]
pub(crate) unsafe fn repeat(to: *mut u8, distance: usize, length: usize) {
    // SAFETY: every read starts at or after `to - distance` and ends no later than a write of the same size at or after
    // `to` would; every write starts before `to + length` and has at most 32 bytes, but for the first ones of a
    // short period, which end at most 15 bytes after `to - distance` and so 14 after `to`.
    unsafe {
        let from = to.sub(distance);
        if distance == 1 {
            let bytes = [*from; WIDE];
            let mut done = 0;
            while done < length {
                to.add(done).cast::<[u8; WIDE]>().write_unaligned(bytes);
                done += WIDE;
            }
        } else {
            // With each copy behind itself the period is written twice as often, until it fills a word.
            let mut period = distance;
            while period < 8 {
                let bytes = from.cast::<u64>().read_unaligned();
                from.add(period).cast::<u64>().write_unaligned(bytes);
                period *= 2;
            }
            let mut done = period - distance;
            while done < length {
                let bytes = to.add(done).sub(period).cast::<u64>().read_unaligned();
                to.add(done).cast::<u64>().write_unaligned(bytes);
                done += 8;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_period_and_length() {
        for distance in (1..70).chain([100, 300]) {
            for length in 0..=260 {
                let mut bytes: Vec<u8> = (0..distance).map(|i| (i * 7 + 1) as u8).collect();
                bytes.resize(distance + length + WIDE, 0);
                let mut expected = bytes.clone();
                for i in distance..distance + length {
                    expected[i] = expected[i - distance];
                }
                let to = bytes[distance..].as_mut_ptr();
                // SAFETY: `distance` bytes before, `length` + 32 behind.
                unsafe { copy_long(to, distance, length) };
                let end = distance + length;
                assert_eq!(bytes[..end], expected[..end], "{distance}, {length}");
            }
        }
    }
}
