//! Adapters as they are named on the command line, and what they mean with `--preset trim-galore`.

use biofast_ops::filter::trim::{AdapterSide, KITS};
use biofast_ops::filter::trim_galore::{adapters_of, is_small_rna};

/// An adapter as typed: the id of the option, the mate, the side it is on, and its text.
pub(super) type NamedAdapter = (&'static str, usize, AdapterSide, String);

/// The adapters that are meant by those named: of a kit those of Trim Galore, and those of first reads for second ones if these
/// have none. `found` is the adapter of first reads if none is named.
pub(super) fn of_trim_galore(
    named: &[NamedAdapter],
    paired: bool,
    found: Option<&str>,
) -> Vec<NamedAdapter> {
    let of_both = paired && !named.iter().any(|&(_, mate, ..)| mate == 1);
    let mut meant = Vec::new();
    for adapter in named {
        let (id, mate, side, text) = adapter;
        let of_first = *id == "adapter";
        let kit = KITS.iter().find(|kit| of_first && kit.name.eq_ignore_ascii_case(text));
        let (first, second) = match kit.map(|kit| adapters_of(kit.name)) {
            Some(Some([first, second])) => (first.to_owned(), second.to_owned()),
            // Both mates get those of another kit anyway.
            Some(None) => {
                meant.push(adapter.clone());
                continue;
            }
            None => (text.clone(), of_second(text).to_owned()),
        };
        meant.push((id, *mate, *side, first));
        if of_both {
            meant.push((id, 1, *side, second));
        }
    }
    if let Some(found) = found.filter(|_| of_both) {
        meant.push(("adapter", 1, AdapterSide::Back, of_second(found).to_owned()));
    }
    meant
}

/// The adapter of second reads where this is that of first ones.
fn of_second(adapter: &str) -> &str {
    match is_small_rna(adapter) {
        true => adapters_of("small-rna").map_or(adapter, |[_, second]| second),
        false => adapter,
    }
}
