//! The sequence dictionary of a FASTA file: a SAM header with the length and the MD5 sum of each sequence, as `samtools dict`
//! writes it.

use std::collections::HashSet;

use biofast_bam::md5;
use biofast_fastq::fasta::Sequences;
use biofast_fastq::{Error, Inputs, Refusal, Transform};
use biofast_io::output::Output;
use biofast_io::pipeline::Failure;
use biofast_io::{Options, Shown, Source};

/// What a sequence dictionary says beside names, lengths and sums.
#[derive(Clone, Debug, Default)]
pub struct Dictionary {
    /// Leaves out the line `@HD`.
    pub no_header: bool,
    /// Adds the other name of each sequence, with `chr` or without (`AN`).
    pub aliases: bool,
    /// The assembly (`AS`).
    pub assembly: Option<String>,
    /// The species (`SP`).
    pub species: Option<String>,
    /// Where the sequences are (`UR`).
    pub uri: Option<String>,
    /// Names of sequences of alternate loci (`AH`).
    pub alternates: HashSet<Vec<u8>>,
}

/// What was found of the sequences.
#[derive(Debug, Default)]
pub struct DictionarySummary {
    names: Vec<Vec<u8>>,
}

impl DictionarySummary {
    /// How many sequences there are.
    pub fn sequences(&self) -> u64 {
        self.names.len() as u64
    }

    /// A name that several sequences have, fit for display: a header must not have it twice.
    pub fn duplicate(&mut self) -> Option<String> {
        self.names.sort_unstable();
        let twice = self.names.windows(2).find(|pair| pair[0] == pair[1]);
        twice.map(|pair| Shown(&pair[0]).to_string())
    }
}

impl Dictionary {
    /// Writes the dictionary of FASTA or FASTQ to `output`. Sequences may be in any lines.
    ///
    /// ```
    /// use biofast_io::output::{self, Output};
    /// use biofast_io::{Options, Source};
    /// use biofast_ops::dict::Dictionary;
    ///
    /// # let folder = std::env::temp_dir().join(format!("biofast-doc-dict-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let path = folder.join("x.dict");
    /// let source = Source::from_reader("example", &b">chr1\nACgt\nAC\n"[..]);
    /// let mut output = Output::create_with(&path, Default::default())?;
    /// let dictionary = Dictionary { no_header: true, ..Default::default() };
    /// # #[cfg(feature = "cram")] {
    /// let found = dictionary.write(source, &Options::default(), &mut output)?;
    /// output::commit(vec![output], false)?;
    /// assert_eq!(found.sequences(), 1);
    /// assert_eq!(std::fs::read(&path)?, b"@SQ\tSN:chr1\tLN:6\tM5:1617b7d879d437fa4c87da5875264b14\n");
    /// # }
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The first fault of the input, or that of the output.
    pub fn write(
        &self,
        source: Source,
        options: &Options,
        output: &mut Output,
    ) -> Result<DictionarySummary, Failure<Error>> {
        if !self.no_header {
            output.append(b"@HD\tVN:1.0\tSO:unsorted\n").map_err(Failure::Output)?;
        }
        Transform::new(Inputs::Single(Sequences(source)))
            .options(options)
            .run(
                std::slice::from_mut(output),
                || (DictionarySummary::default(), Vec::new()),
                |(found, bases), unit, texts| -> Result<(), Refusal> {
                    let name = unit.first.name();
                    bases.clear();
                    bases.extend(unit.first.sequence().iter().map(u8::to_ascii_uppercase));
                    let sum = md5(bases).map_err(|error| Refusal::from(error.to_string()))?;
                    self.write_line(name, bases.len(), sum, &mut texts[0]);
                    found.names.push(name.to_vec());
                    Ok(())
                },
                |(found, _), (other, _)| found.names.extend(other.names),
            )
            .map(|(found, _)| found)
    }

    fn write_line(&self, name: &[u8], len: usize, sum: [u8; 16], out: &mut Vec<u8>) {
        out.extend_from_slice(b"@SQ\tSN:");
        out.extend_from_slice(name);
        out.extend_from_slice(format!("\tLN:{len}\tM5:").as_bytes());
        for byte in sum {
            out.extend_from_slice(format!("{byte:02x}").as_bytes());
        }
        if self.alternates.contains(name) {
            out.extend_from_slice(b"\tAH:*");
        }
        if self.aliases {
            out.extend_from_slice(b"\tAN:");
            let short = name.strip_prefix(b"chr");
            if short.is_none() {
                out.extend_from_slice(b"chr");
            }
            let short = short.unwrap_or(name);
            out.extend_from_slice(short);
            match short {
                b"M" => out.extend_from_slice(b",chrMT,MT"),
                b"MT" => out.extend_from_slice(b",chrM,M"),
                _ => {}
            }
        }
        for (tag, value) in [("UR", &self.uri), ("AS", &self.assembly), ("SP", &self.species)] {
            if let Some(value) = value {
                out.extend_from_slice(format!("\t{tag}:{value}").as_bytes());
            }
        }
        out.push(b'\n');
    }
}
