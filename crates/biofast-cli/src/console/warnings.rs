//! What was noticed of an input, in words.

use biofast_io::{Escaped, Notes, Warning};
use biofast_ops::reads::Encoding;

use super::lines::Console;

/// Says what was noticed of an input.
pub(crate) fn warn(console: &Console, name: &str, notes: &Notes) {
    let name = Escaped(name.as_bytes());
    for warning in notes.warnings() {
        console.warning(&format!("{name}: {}", warning_text(&warning)));
    }
}

/// What is said of reads whose qualities are stored otherwise than they are read.
pub(crate) fn encoding_warning(name: &str, encoding: Encoding) -> Option<String> {
    let name = Escaped(name.as_bytes());
    let offset = match encoding {
        Encoding::ProbablyPhred64 => "Phred+64",
        Encoding::ProbablySolexa64 => "Solexa+64",
        Encoding::ProbablyMixed => {
            return Some(format!(
                "{name}: some reads have qualities that look like Phred+64, and others have Phred+33, so quality values mix both"
            ));
        }
        _ => return None,
    };
    Some(format!(
        "{name}: qualities look like {offset} but were read as Phred+33, so quality values are about 31 too high"
    ))
}

/// Says what [`encoding_warning`] has to say, and what helps.
pub(crate) fn warn_of_encoding(console: &Console, name: &str, encoding: Encoding) {
    if let Some(warning) = encoding_warning(name, encoding) {
        console.warning(&warning);
        if let Some(hint) = conversion_hint(name, encoding) {
            console.hint(&hint);
        }
    }
}

/// What helps with qualities that aren't Phred + 33.
pub(crate) fn conversion_hint(name: &str, encoding: Encoding) -> Option<String> {
    let name = Escaped(name.as_bytes());
    let command = match encoding {
        Encoding::ProbablyPhred64 => format!("`biofast convert --phred64 {name} -o fixed.fq`"),
        // Scores of another definition.
        Encoding::ProbablySolexa64 => format!("`seqkit convert --from Solexa {name} -o fixed.fq`"),
        _ => return None,
    };
    Some(format!("convert them first: {command}"))
}

/// A warning, and whether it can be made an error.
pub(crate) fn warning_text(warning: &Warning) -> String {
    let text = warning.to_string();
    let strict = "--strict makes this an error";
    match warning {
        Warning::Tolerated { count: 2.., .. } => match text.strip_suffix(')') {
            Some(counted) => format!("{counted}; {strict})"),
            None => text,
        },
        Warning::MissingEofBlock | Warning::BlankLines { .. } | Warning::Tolerated { .. } => {
            format!("{text} ({strict})")
        }
        _ => text,
    }
}
