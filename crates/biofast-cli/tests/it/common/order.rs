//! What the cases of `order` share with those beside peers.

/// The records of a text in an order of their own.
pub(crate) fn sorted(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut records: Vec<String> = lines.chunks(4).map(|lines| lines.join("\n")).collect();
    records.sort();
    records
}
