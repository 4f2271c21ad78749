//! Strategies for FASTQ texts: good ones of every legal shape, and subtly broken ones.

use proptest::prelude::*;

/// How a text is written.
#[derive(Clone, Copy, Debug)]
struct TextShape {
    crlf: bool,
    final_newline: bool,
    repeat_caption: bool,
    /// Characters a line; 0 doesn't wrap.
    wrap: usize,
    blank_lines: usize,
}

fn shape() -> impl Strategy<Value = TextShape> {
    let wrap = prop_oneof![4 => Just(0usize), 1 => 1usize..20];
    let blank_lines = prop_oneof![4 => Just(0usize), 1 => 1usize..6];
    (any::<bool>(), any::<bool>(), any::<bool>(), wrap, blank_lines).prop_map(
        |(crlf, final_newline, repeat_caption, wrap, blank_lines)| TextShape {
            crlf,
            final_newline,
            repeat_caption,
            wrap,
            blank_lines,
        },
    )
}

fn read() -> impl Strategy<Value = (String, Vec<u8>, Vec<u8>)> {
    let name = "[!-~]{0,12}( [ -~]{0,8})?";
    let len = prop_oneof![1 => Just(0usize), 8 => 1usize..40, 1 => 60usize..200];
    (name, len).prop_flat_map(|(name, len)| {
        let bases = prop::collection::vec(prop::sample::select(&b"ACGTNacgtnRYU0123-.*"[..]), len);
        // '@' and '+' at the start of a quality line are what misleads readers.
        let phred = prop_oneof![3 => 33u8..=126, 1 => Just(b'@'), 1 => Just(b'+')];
        (Just(name), bases, prop::collection::vec(phred, len))
    })
}

/// A good text.
pub fn good() -> impl Strategy<Value = Vec<u8>> {
    (prop::collection::vec((read(), shape()), 0..12), shape()).prop_map(|(reads, whole)| {
        let end: &[u8] = if whole.crlf { b"\r\n" } else { b"\n" };
        let mut out = Vec::new();
        for ((name, sequence, qualities), shape) in &reads {
            // One wrapped record among plain ones is the hard case.
            let wrap = if whole.wrap > 0 { shape.wrap } else { 0 };
            out.extend(format!("@{name}").as_bytes());
            out.extend(end);
            lines(&mut out, sequence, wrap, end);
            out.push(b'+');
            if shape.repeat_caption {
                out.extend(name.as_bytes());
            }
            out.extend(end);
            lines(&mut out, qualities, wrap, end);
            if whole.blank_lines > 3 && shape.blank_lines > 0 {
                out.extend(end);
            }
        }
        for _ in 0..whole.blank_lines {
            out.extend(end);
        }
        if !whole.final_newline && whole.blank_lines == 0 && out.ends_with(end) {
            out.truncate(out.len() - end.len());
        }
        out
    })
}

fn lines(out: &mut Vec<u8>, data: &[u8], wrap: usize, end: &[u8]) {
    if wrap == 0 || data.is_empty() {
        out.extend(data);
        out.extend(end);
        return;
    }
    for part in data.chunks(wrap) {
        out.extend(part);
        out.extend(end);
    }
}

/// A good text with one small accident: a byte changed, lost, doubled, or the end missing.
pub fn broken() -> impl Strategy<Value = Vec<u8>> {
    (good(), any::<prop::sample::Index>(), any::<u8>(), 0..5u8).prop_map(
        |(mut text, at, byte, accident)| {
            if !text.is_empty() {
                let at = at.index(text.len());
                match accident {
                    0 => text[at] = byte,
                    1 => drop(text.remove(at)),
                    2 => text.insert(at, text[at]),
                    3 => text.truncate(at),
                    _ => text.insert(at, b'\n'),
                }
            }
            text
        },
    )
}
