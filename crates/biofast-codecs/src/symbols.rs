//! Lists of symbols in ascending order, as all tables of frequencies have them.
//!
//! After the second of two successive symbols stands how many more follow without a gap, which then are left out. Symbol 0 ends the
//! list; it may come first.

use crate::error::Error;
use crate::input::Input;

/// Writes the symbols for which `is_used`, and after each what `each` appends.
pub(crate) fn put(
    is_used: impl Fn(usize) -> bool,
    out: &mut Vec<u8>,
    mut each: impl FnMut(usize, &mut Vec<u8>),
) {
    let mut implied = 0;
    for symbol in (0..256).filter(|&symbol| is_used(symbol)) {
        if implied > 0 {
            implied -= 1;
        } else {
            out.push(symbol as u8);
            if symbol > 0 && is_used(symbol - 1) {
                implied = (symbol + 1..256).take_while(|&next| is_used(next)).count();
                out.push(implied as u8);
            }
        }
        each(symbol, out);
    }
    out.push(0);
}

/// Reads such a list: `each` reads what follows each symbol.
pub(crate) fn read<'a>(
    input: &mut Input<'a>,
    mut each: impl FnMut(usize, &mut Input<'a>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut symbol = usize::from(input.byte()?);
    let mut implied = 0;
    loop {
        each(symbol, input)?;
        let next = if implied > 0 {
            implied -= 1;
            symbol + 1
        } else {
            let next = usize::from(input.byte()?);
            if next == symbol + 1 {
                implied = input.byte()?;
            }
            next
        };
        match next {
            0 => return Ok(()),
            _ if next > 255 || next <= symbol => {
                return Err(Error::Invalid("symbols that aren't in ascending order"));
            }
            _ => symbol = next,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_list_is_read_back(symbols in proptest::collection::btree_set(0..256usize, 1..256)) {
            let mut out = Vec::new();
            put(|symbol| symbols.contains(&symbol), &mut out, |symbol, out| out.push(!symbol as u8));
            let (mut input, mut read_back) = (Input(&out), Vec::new());
            read(&mut input, |symbol, input| {
                assert_eq!(input.byte()?, !symbol as u8);
                read_back.push(symbol);
                Ok(())
            }).expect("a list that was written");
            prop_assert!(input.0.is_empty());
            prop_assert_eq!(read_back, symbols.into_iter().collect::<Vec<_>>());
        }
    }
}
