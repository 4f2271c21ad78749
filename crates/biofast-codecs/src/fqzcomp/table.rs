//! Tables of numbers that never fall, stored as how often each number from 0 on occurs.

use crate::error::Error;
use crate::input::Input;

/// Reads a table: the number of occurrences of each number, of which 255 and more are told in parts, the last below 255. After two
/// equal parts stands how many more of them follow.
pub(super) fn read<const N: usize>(input: &mut Input<'_>) -> Result<[u32; N], Error> {
    let mut parts = Vec::new();
    let (mut sum, mut last) = (0, None);
    while sum < N {
        let part = input.byte()?;
        let more = if last == Some(part) { usize::from(input.byte()?) } else { 0 };
        parts.resize(parts.len() + more + 1, part);
        sum += usize::from(part) * (more + 1);
        last = Some(part);
        if parts.len() > 2 * N {
            return Err(Error::Invalid("a table of more numbers than places"));
        }
    }
    let mut table = [0; N];
    let (mut parts, mut at) = (parts.into_iter(), 0);
    for number in 0.. {
        let mut count = 0;
        loop {
            // Writers leave out the 0 after a 255 at the very end.
            let part = parts.next().unwrap_or(0);
            count += usize::from(part);
            if part < 255 {
                break;
            }
        }
        let end = (at + count).min(N);
        table[at..end].fill(number);
        at = end;
        if at == N {
            break;
        }
    }
    Ok(table)
}

/// Writes a table, which [`read`] reads.
pub(super) fn put(table: &[u32], out: &mut Vec<u8>) {
    let mut parts = Vec::new();
    let mut rest = table;
    for number in 0.. {
        let mut count = rest.iter().take_while(|&&next| next == number).count();
        rest = &rest[count..];
        while count >= 255 {
            parts.push(255);
            count -= 255;
        }
        parts.push(count as u8);
        if rest.is_empty() {
            break;
        }
    }
    let (mut rest, mut last) = (&parts[..], None);
    while let Some((&part, after)) = rest.split_first() {
        out.push(part);
        rest = after;
        if last == Some(part) {
            let more = rest.iter().take(255).take_while(|&&next| next == part).count();
            out.push(more as u8);
            rest = &rest[more..];
        }
        last = Some(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn tables_are_read_again(
            runs in proptest::collection::vec(prop_oneof![Just(0), 1..5usize, 250..260usize], 1..400),
        ) {
            let numbers = (0..).zip(&runs).flat_map(|(number, &run)| std::iter::repeat_n(number, run));
            let highest = runs.len() as u32;
            let mut table: Vec<u32> = numbers.take(1024).collect();
            table.resize(1024, highest);
            // A reader has all numbers before it comes to a last part of 0.
            let last = table.iter().rev().take_while(|&number| number == table.last().expect("1024")).count();
            prop_assume!(last % 255 != 0);
            let mut out = Vec::new();
            put(&table, &mut out);
            let mut input = Input(&out);
            prop_assert_eq!(read::<1024>(&mut input).map(Vec::from), Ok(table));
            prop_assert!(input.0.is_empty());
        }
    }
}
