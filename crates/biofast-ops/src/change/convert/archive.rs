//! Names of reads as the sequence archives (SRA, ENA, DDBJ) have them.

use biofast_fastq::Record;
use biofast_fastq::pair::{is_spot, template_name};

/// Names of the sequence archives, and those that the reads had before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArchiveNaming {
    /// `RUN.N NAME length=L`, for this run: N is the number of the read or pair, and L how many bases the read has.
    Spots(Vec<u8>),
    /// The name behind that of the spot, which is left out, and so is `length=L`.
    Originals,
}

/// What is between a name and the number of bases.
const LENGTH: &[u8] = b"length=";

impl ArchiveNaming {
    /// Appends the new header line of a read. `shared` bytes of its name are those that its mate has, too.
    ///
    /// # Errors
    /// If the original name isn't there.
    pub(super) fn write(
        &self,
        read: &Record<'_>,
        shared: usize,
        number: u64,
        out: &mut Vec<u8>,
    ) -> Result<(), String> {
        match self {
            ArchiveNaming::Spots(run) => {
                out.extend_from_slice(run);
                out.extend_from_slice(format!(".{number} ").as_bytes());
                out.extend_from_slice(&read.name()[..shared]);
                let bases = read.sequence().len();
                out.extend_from_slice(format!(" length={bases}").as_bytes());
                Ok(())
            }
            ArchiveNaming::Originals => {
                let line = read.definition().escape_ascii();
                let Some(spot) = spot_number(template_name(read.name())) else {
                    return Err(format!(
                        "expected a header line like 'SRR000001.1 NAME length=36', found '{line}'"
                    ));
                };
                let words = read.description().split(|byte| matches!(byte, b' ' | b'\t'));
                let mut words = words.filter(|word| !word.is_empty() && !is_length(word));
                match words.next() {
                    // Where the archive has no names, it writes the number again.
                    Some(name) if template_name(name) != spot => {
                        out.extend_from_slice(name);
                        for word in words {
                            out.push(b' ');
                            out.extend_from_slice(word);
                        }
                        Ok(())
                    }
                    _ => Err(format!("no original name in the header line '{line}'")),
                }
            }
        }
    }
}

/// The number of a spot by its name.
fn spot_number(name: &[u8]) -> Option<&[u8]> {
    let dot = name.iter().rposition(|byte| *byte == b'.')?;
    is_spot(name).then(|| &name[dot + 1..])
}

fn is_length(word: &[u8]) -> bool {
    let digits = word.strip_prefix(LENGTH);
    digits.is_some_and(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn renamed(naming: &ArchiveNaming, line: &str, shared: usize) -> Result<String, String> {
        let mut out = Vec::new();
        naming.write(&Record::new(line.as_bytes(), b"ACG", b"III"), shared, 7, &mut out)?;
        Ok(String::from_utf8_lossy(&out).into_owned())
    }

    #[test]
    fn names_become_those_of_spots_and_come_back() {
        let spots = ArchiveNaming::Spots(b"SRR12".to_vec());
        let line = renamed(&spots, "A:1:2/1 1:N:0:ACGT", 5);
        assert_eq!(line.as_deref(), Ok("SRR12.7 A:1:2 length=3"));
        for (line, expected) in [
            ("SRR12.7 A:1:2 length=3", Ok("A:1:2")),
            ("SRR12.7.1 A:1:2 length=36", Ok("A:1:2")),
            ("ERR12.7 A:1:2/1", Ok("A:1:2/1")),
            ("DRR12.7 A:1:2 length=x 1:N:0", Ok("A:1:2 length=x 1:N:0")),
            ("SRR12.7 8 length=36", Ok("8")),
            ("SRR12.7.2 7 length=36", Err("no original name")),
            ("ERR12.7 7/2", Err("no original name")),
            ("SRR12.7 length=36", Err("no original name")),
            ("SRR12.7", Err("no original name")),
            ("A:1:2 1:N:0:ACGT", Err("expected a header line like")),
            ("x.7 A", Err("expected a header line like")),
        ] {
            match (renamed(&ArchiveNaming::Originals, line, 0), expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{line}"),
                (Err(found), Err(expected)) => assert!(found.starts_with(expected), "{found}"),
                (found, _) => panic!("{line}: {found:?}"),
            }
        }
    }
}
