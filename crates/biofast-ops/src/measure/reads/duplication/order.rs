//! The order in which Java's `HashMap` gives its keys.
//!
//! FastQC adds up shares and lists equally frequent sequences in that order, so their last digits and places depend on it.
//! Keys are in a table of a power of two slots, by their hash code folded upon itself; keys of one slot stand in the order
//! they were put in. (From eight keys of one slot on, Java makes a tree of them, which these numbers of keys don't reach.)

/// The places of `codes`, which were put in one after the other, in the order of the table.
pub(super) fn iteration(codes: &[i32]) -> Vec<usize> {
    let mut slots = 16usize;
    // It doubles when it is filled by more than three quarters.
    while codes.len() > slots / 4 * 3 {
        slots *= 2;
    }
    let slot = |code: i32| {
        let code = code as u32;
        (code ^ (code >> 16)) as usize & (slots - 1)
    };
    let mut places: Vec<usize> = (0..codes.len()).collect();
    places.sort_by_key(|&place| slot(codes[place]));
    places
}

/// The hash code of Java's `String` with these characters.
pub(super) fn code(text: &[u8]) -> i32 {
    text.iter().fold(0, |code: i32, &byte| code.wrapping_mul(31).wrapping_add(i32::from(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_order_are_those_of_java() {
        // As the language defines it: 31 * 'A' + 'C', and so on.
        assert_eq!(code(b"AC"), 31 * 65 + 67);
        // 17 and 1 share a slot of 16, and 33 comes before 17 if it was put in before.
        assert_eq!(iteration(&[33, 5, 17, 1, 2]), [0, 2, 3, 4, 1]);
        // 13 keys need 32 slots: 17 is behind 2 then.
        let codes: Vec<i32> = [17].into_iter().chain(0..12).collect();
        let order: Vec<i32> = iteration(&codes).into_iter().map(|place| codes[place]).collect();
        assert_eq!(order, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 17]);
    }
}
