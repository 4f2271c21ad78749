//! The reference FASTQ reader: the whole text in memory, one line after the other; and the other strand.

/// A record of the reference reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReferenceRecord {
    /// The header line without `@`.
    pub definition: Vec<u8>,
    /// The bases.
    pub sequence: Vec<u8>,
    /// The qualities in ASCII.
    pub qualities: Vec<u8>,
}

/// The reverse complement of A, C, G and T; other letters stay.
pub fn reverse_complement(bases: &[u8]) -> Vec<u8> {
    let complement = |base: &u8| match base {
        b'A' => b'T',
        b'C' => b'G',
        b'G' => b'C',
        b'T' => b'A',
        other => *other,
    };
    bases.iter().rev().map(complement).collect()
}

/// The records of `text` up to the first fault, and whether there is one.
///
/// Sequence lines last until a line starting with `+`, quality lines until there are as many
/// characters as bases. What follows a record of more lines than four, or of none for the
/// sequence, must be a header, a blank line or the end.
pub fn read(text: &[u8]) -> (Vec<ReferenceRecord>, bool) {
    let mut lines: Vec<&[u8]> = text.split(|&b| b == b'\n').collect();
    if lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    let without_cr = |line: &'_ [u8]| line.strip_suffix(b"\r").unwrap_or(line).to_vec();
    let lines: Vec<Vec<u8>> = lines.into_iter().map(without_cr).collect();
    let mut lines = lines.iter().map(Vec::as_slice).peekable();
    let mut records = Vec::new();
    while let Some(header) = lines.next() {
        if header.is_empty() {
            continue;
        }
        match record(header, &mut lines) {
            Some(record) => records.push(record),
            None => return (records, true),
        }
    }
    (records, false)
}

fn record<'a>(
    header: &[u8],
    lines: &mut std::iter::Peekable<impl Iterator<Item = &'a [u8]>>,
) -> Option<ReferenceRecord> {
    let definition = header.strip_prefix(b"@")?.to_vec();
    if definition.iter().any(|&b| (b < b' ' && b != b'\t') || b == 127) {
        return None;
    }
    let mut sequence_lines: Vec<&[u8]> = Vec::new();
    let caption = loop {
        let line = lines.next()?;
        if let Some(caption) = line.strip_prefix(b"+") {
            break caption;
        }
        sequence_lines.push(line);
    };
    let sequence = sequence_lines.concat();
    let is_base = |b: &u8| b.is_ascii_alphanumeric() || b"-.*".contains(b);
    if !sequence.iter().all(is_base) || !(caption.is_empty() || caption == definition) {
        return None;
    }
    let mut quality_lines: Vec<&[u8]> = Vec::new();
    while quality_lines.concat().len() < sequence.len() {
        quality_lines.push(lines.next()?);
    }
    let qualities = quality_lines.concat();
    let is_quality = |b: &u8| (33..=126).contains(b);
    if qualities.len() != sequence.len() || !qualities.iter().all(is_quality) {
        return None;
    }
    let wrapped = sequence_lines.len() != 1 || quality_lines.len() > 1;
    let next_is_fine = |next: &&[u8]| matches!(next.first(), None | Some(b'@' | b'\r'));
    if wrapped && !lines.peek().is_none_or(next_is_fine) {
        return None;
    }
    Some(ReferenceRecord { definition, sequence, qualities })
}

/// The row `seqkit stats -a -T` should print for these records, without the file's name.
pub fn seqkit_row(records: &[ReferenceRecord]) -> Vec<String> {
    let mut lengths: Vec<usize> = records.iter().map(|r| r.sequence.len()).collect();
    lengths.sort_unstable();
    let n = lengths.len();
    let total: usize = lengths.iter().sum();
    let bases = || records.iter().flat_map(|r| &r.sequence);
    let count = |set: &[u8]| bases().filter(|b| set.contains(b)).count();
    let phred = || records.iter().flat_map(|r| &r.qualities).map(|q| q - 33);
    let percent = |part: usize| {
        let hundredths =
            if total == 0 { 0 } else { (part as u128 * 20_000 / total as u128).div_ceil(2) };
        format!("{}.{:02}", hundredths / 100, hundredths % 100)
    };
    let median = |part: &[usize]| match part.len() {
        0 => 0.0,
        n if n % 2 == 1 => part[n / 2] as f64,
        n => (part[n / 2 - 1] + part[n / 2]) as f64 / 2.0,
    };
    let half = n.div_ceil(2);
    let (mut n50, mut l50, mut sum) = (0, 0, 0);
    for &len in lengths.iter().rev() {
        if total == 0 || sum * 2 >= total {
            break;
        }
        (n50, l50, sum) = (len, l50 + 1, sum + len);
    }
    let errors: f64 = phred().map(|q| 10f64.powf(-f64::from(q) / 10.0)).sum();
    let mean = if total == 0 { 0.0 } else { -10.0 * (errors / total as f64).log10() + 0.0 };
    let kind = if total == 0 {
        ""
    } else if bases().any(|b| !b"ACGTURYSWKMBDHVN-.*".contains(&b.to_ascii_uppercase())) {
        "Protein"
    } else if count(b"Uu") > 0 && count(b"Tt") == 0 {
        "RNA"
    } else {
        "DNA"
    };
    vec![
        "FASTQ".into(),
        kind.into(),
        n.to_string(),
        total.to_string(),
        lengths.first().copied().unwrap_or(0).to_string(),
        // Rounded half up from integers.
        format!("{:.1}", if n == 0 { 0.0 } else { ((20 * total + n) / (2 * n)) as f64 / 10.0 }),
        lengths.last().copied().unwrap_or(0).to_string(),
        median(&lengths[..half]).to_string(),
        median(&lengths).to_string(),
        median(&lengths[n - half..]).to_string(),
        count(b"-.").to_string(),
        n50.to_string(),
        l50.to_string(),
        percent(phred().filter(|&q| q >= 20).count()),
        percent(phred().filter(|&q| q >= 30).count()),
        format!("{mean:.2}"),
        percent(count(b"GCgc")),
        count(b"Nn").to_string(),
    ]
}
