//! Few byte values, told apart by one lookup of 16 entries: what most sequencers write as qualities.

use crate::quality::{FIRST, LAST};

/// A place from 1 to 15 for each of at most 15 qualities: the lower nibble, xored with a number for each upper nibble. Place 0 is
/// that of NUL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Places {
    /// What lower nibbles are xored with, by upper nibble.
    pub(crate) shifts: [u8; 16],
    /// The byte at each place; 0 where there is none.
    pub(crate) bytes: [u8; 16],
}

impl Places {
    /// Places of the bytes in `set`, bit by bit; `None` if there are none for all, or if one isn't a quality.
    pub(crate) fn of(set: u128) -> Option<Self> {
        let qualities = (u128::MAX >> (127 - LAST)) & (u128::MAX << FIRST);
        if set & !qualities != 0 || set.count_ones() > 15 {
            return None;
        }
        let mut groups: Vec<usize> = (0..8).filter(|&nibble| lower(set, nibble) != 0).collect();
        groups.sort_by_key(|&nibble| std::cmp::Reverse(lower(set, nibble).count_ones()));
        let mut shifts = [0; 16];
        place(set, &groups, 1, &mut shifts, &mut { TRIES }).then(|| {
            let mut bytes = [0; 16];
            for byte in (FIRST..=LAST).filter(|byte| set >> byte & 1 == 1) {
                bytes[usize::from(byte & 15 ^ shifts[usize::from(byte >> 4)])] = byte;
            }
            Self { shifts, bytes }
        })
    }

    /// Whether the lower nibble alone is the place.
    pub(crate) fn is_lower_nibble(&self) -> bool {
        self.shifts == [0; 16]
    }
}

/// The lower nibbles of the bytes in `set` with this upper nibble.
fn lower(set: u128, nibble: usize) -> u16 {
    (set >> (16 * nibble)) as u16
}

/// Shifts that are tried: nearly always few are enough, and a set without places should not take long.
const TRIES: u32 = 500;

/// Finds shifts for `groups` (upper nibbles) that keep off the places `taken`. The first try, no shift at all, is the cheapest.
fn place(set: u128, groups: &[usize], taken: u16, shifts: &mut [u8; 16], tries: &mut u32) -> bool {
    let [group, rest @ ..] = groups else { return true };
    (0..16u8).any(|shift| {
        *tries = tries.saturating_sub(1);
        let places = shifted(lower(set, *group), shift);
        shifts[*group] = shift;
        *tries > 0 && places & taken == 0 && place(set, rest, taken | places, shifts, tries)
    })
}

/// A set of nibbles, each xored with `shift`.
fn shifted(nibbles: u16, shift: u8) -> u16 {
    const LOWER: [(u32, u16); 4] = [(1, 0x5555), (2, 0x3333), (4, 0x0f0f), (8, 0x00ff)];
    LOWER
        .into_iter()
        .filter(|&(distance, _)| u32::from(shift) & distance != 0)
        .fold(nibbles, |set, (distance, lower)| (set & lower) << distance | set >> distance & lower)
}

/// Up to sixteen neighbouring qualities, of which some are there: in two halves of eight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// The first quality, which is there.
    pub(crate) first: u8,
    /// By the distance from the first, bit 0 to 7 of the half that it is in; 0 for what isn't there.
    pub(crate) bits: [[u8; 16]; 2],
}

impl Window {
    /// Windows over all qualities in `set`, bit by bit.
    pub(crate) fn all_of(set: u128) -> Vec<Self> {
        let mut windows: Vec<Self> = Vec::new();
        for byte in (FIRST..=LAST).filter(|byte| set >> byte & 1 == 1) {
            let distance = match windows.last() {
                Some(Self { first, .. }) if byte - first < 16 => usize::from(byte - first),
                _ => {
                    windows.push(Self { first: byte, bits: [[0; 16]; 2] });
                    0
                }
            };
            if let Some(window) = windows.last_mut() {
                window.bits[distance / 8][distance] = 1 << (distance % 8);
            }
        }
        windows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set_of(bytes: &[u8]) -> u128 {
        bytes.iter().fold(0, |set, byte| set | 1 << byte)
    }

    #[test]
    fn every_byte_has_a_place_of_its_own() {
        let sets: [&[u8]; 6] = [b"", b"#,:F", b"#9I", b"#,<7AFJ", b"!1AQaq", b"!\"#$%&'()*+,-./"];
        for bytes in sets {
            let places = Places::of(set_of(bytes)).unwrap_or_else(|| panic!("{bytes:?}"));
            let mut taken = 1u16;
            for &byte in bytes {
                let place = byte & 15 ^ places.shifts[usize::from(byte >> 4)];
                assert_eq!((places.bytes[usize::from(place)], taken >> place & 1), (byte, 0));
                taken |= 1 << place;
            }
            assert_eq!(places.bytes.iter().filter(|&&byte| byte != 0).count(), bytes.len());
        }
        assert!(Places::of(set_of(b"#,:F")).is_some_and(|places| places.is_lower_nibble()));
    }

    #[test]
    fn windows_start_at_a_byte_and_skip_gaps() {
        let windows = Window::all_of(set_of(b"#+2AJ"));
        let [low, high] = &windows[..] else { panic!("{windows:?}") };
        assert_eq!((low.first, high.first), (b'#', b'A'));
        assert_eq!((low.bits[0][0], low.bits[1][8], low.bits[1][15]), (1, 1, 128));
        assert_eq!((high.bits[0][0], high.bits[1][9]), (1, 2));
    }

    #[test]
    fn too_many_bytes_and_others_than_qualities_have_none() {
        assert_eq!(Places::of(set_of(b"!\"#$%&'()*+,-./0")), None);
        assert_eq!(Places::of(set_of(b" A")), None);
        assert_eq!(Places::of(set_of(b"A\x7f")), None);
    }
}
