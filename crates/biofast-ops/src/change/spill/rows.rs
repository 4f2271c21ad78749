//! Rows of a length.

use std::io::{self, Read};

/// Fills `bytes`, or returns false if the file ends right here; an end amid them is an error.
pub(in crate::change) fn read_or_end(file: &mut impl Read, bytes: &mut [u8]) -> io::Result<bool> {
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read(&mut bytes[filled..]) {
            Ok(0) if filled == 0 => return Ok(false),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_end_between_rows_only_and_an_interrupted_read_is_tried_again() -> io::Result<()> {
        /// Two bytes at a time, each after an interruption.
        struct Interrupted(io::Cursor<&'static [u8]>, bool);
        impl Read for Interrupted {
            fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
                self.1 = !self.1;
                if self.1 {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                let n = out.len().min(2);
                self.0.read(&mut out[..n])
            }
        }
        let mut row = [0; 3];
        let mut file = Interrupted(io::Cursor::new(b"onetwo"), false);
        assert!(read_or_end(&mut file, &mut row)? && row == *b"one");
        assert!(read_or_end(&mut file, &mut row)? && row == *b"two");
        assert!(!read_or_end(&mut file, &mut row)?);
        let mut cut = Interrupted(io::Cursor::new(b"onet"), false);
        assert!(read_or_end(&mut cut, &mut row)?);
        let error = read_or_end(&mut cut, &mut row).map_err(|error| error.kind());
        assert_eq!(error, Err(io::ErrorKind::UnexpectedEof));
        Ok(())
    }
}
