//! How the bases of an alignment lie on the reference: what its CIGAR, MD and MM say, by the rules of pysam where there is a choice.

use std::ops::Range;

use biofast_bam::{MdPiece, MdPieces, Op, Record, Value, flag};

/// A column of an alignment: the base of the read and the position on the reference, one of which may be missing.
#[derive(Clone, Copy)]
pub(super) struct Column {
    pub(super) base: Option<usize>,
    pub(super) position: Option<i64>,
    /// The operation by its number.
    pub(super) op: u32,
}

impl Column {
    /// Whether a base of the read lies on one of the reference.
    pub(super) fn is_match(self) -> bool {
        self.base.is_some() && self.position.is_some()
    }

    /// Whether the operation goes along the reference's letters, which MD tells.
    pub(super) fn has_letter(self) -> bool {
        self.position.is_some() && self.op != Op::Skip as u32
    }
}

/// The operation of this number.
pub(super) fn op_of(number: u32) -> Option<Op> {
    use Op::{
        Deletion, HardClip, Insertion, Match, Pad, SequenceMatch, SequenceMismatch, Skip, SoftClip,
    };
    const ALL: [Op; 9] = [
        Match, Insertion, Deletion, Skip, SoftClip, HardClip, Pad, SequenceMatch, SequenceMismatch,
    ];
    ALL.get(usize::try_from(number).ok()?).copied()
}

/// All columns but clipped bases that aren't stored, and padding.
pub(super) fn columns(record: &Record<'_>) -> impl Iterator<Item = Column> {
    let (mut base, mut position) = (0, i64::from(record.position()));
    let words: Vec<(Op, u32)> = record.cigar().iter().collect();
    words.into_iter().flat_map(move |(op, len)| {
        let (first_base, first_position) = (base, position);
        if op.consumes_read() {
            base += len as usize;
        }
        if op.consumes_reference() {
            position += i64::from(len);
        }
        let seen = if op.consumes_read() || op.consumes_reference() { len } else { 0 };
        (0..seen).map(move |at| Column {
            base: op.consumes_read().then_some(first_base + at as usize),
            position: op.consumes_reference().then_some(first_position + i64::from(at)),
            op: op as u32,
        })
    })
}

/// Stretches without insertion or deletion, an operation each.
pub(super) fn blocks(record: &Record<'_>) -> Vec<(i64, i64)> {
    let mut position = i64::from(record.position());
    let mut found = Vec::new();
    for (op, len) in record.cigar().iter() {
        if op.is_aligned() {
            found.push((position, position + i64::from(len)));
        }
        if op.consumes_reference() {
            position += i64::from(len);
        }
    }
    found
}

/// The bases that aren't soft-clipped.
pub(super) fn unclipped(record: &Record<'_>) -> Range<usize> {
    let cigar: Vec<(Op, u32)> = record.cigar().iter().collect();
    let clipped = |ops: &mut dyn Iterator<Item = &(Op, u32)>| -> usize {
        let ops = ops.take_while(|(op, _)| matches!(op, Op::SoftClip | Op::HardClip));
        ops.filter(|(op, _)| *op == Op::SoftClip).map(|(_, len)| *len as usize).sum()
    };
    let len = match record.sequence_len() {
        0 => record.cigar().read_len() as usize,
        len => len,
    };
    let start = clipped(&mut cigar.iter());
    // What is clipped as a whole is clipped at the front.
    let end = if start < len { len.saturating_sub(clipped(&mut cigar.iter().rev())) } else { len };
    start..end.max(start)
}

/// The reference's letters under the columns that have one, by the tag MD: in lower case where the read has another.
pub(super) fn reference_letters(record: &Record<'_>) -> Result<Vec<u8>, &'static str> {
    let md = match record.tag(b"MD") {
        Ok(Some(Value::Text(md))) => md,
        Ok(None) => return Err("MD tag not present"),
        _ => return Err("MD can't be read"),
    };
    let bases = record.sequence().to_vec();
    if bases.is_empty() {
        return Err("the record has no sequence");
    }
    const MISFIT: &str = "MD doesn't fit the CIGAR";
    let mut pieces = MdPieces::new(md);
    let mut same = 0;
    let mut letters = Vec::new();
    for column in columns(record).filter(|column| column.has_letter()) {
        let mut letter = None;
        while same == 0 && letter.is_none() {
            match pieces.next() {
                Some(Ok(MdPiece::Same(columns))) => same = columns,
                Some(Ok(piece)) => letter = Some(piece),
                _ => return Err(MISFIT),
            }
        }
        letters.push(match (column.base, letter) {
            (Some(base), None) => {
                same -= 1;
                *bases.get(base).ok_or(MISFIT)?
            }
            (Some(_), Some(MdPiece::Other(letter))) => letter.to_ascii_lowercase(),
            (None, Some(MdPiece::Deleted(letter))) => letter.to_ascii_uppercase(),
            _ => return Err(MISFIT),
        });
    }
    match same == 0 && pieces.all(|piece| piece == Ok(MdPiece::Same(0))) {
        true => Ok(letters),
        false => Err(MISFIT),
    }
}

/// Bases and operations of each kind, `MIDNSHP=XB`; NM is the last of the bases.
pub(super) fn cigar_counts(record: &Record<'_>) -> [[u64; 11]; 2] {
    let mut counts = [[0; 11]; 2];
    for word in record.cigar().words() {
        if let Some(index) = Some((word & 15) as usize).filter(|&index| index < 10) {
            counts[0][index] += u64::from(word >> 4);
            counts[1][index] += 1;
        }
    }
    if let Ok(Some(value)) = record.tag(b"NM")
        && let Some(number) = value.as_int().and_then(|number| u64::try_from(number).ok())
    {
        counts[0][10] = number;
    }
    counts
}

/// How many bases the read had when it was aligned, by its CIGAR: with hard-clipped ones or without.
pub(super) fn inferred_length(record: &Record<'_>, hard: bool) -> Option<u64> {
    let cigar = record.cigar();
    let hard_clipped = |(op, len)| if op == Op::HardClip { u64::from(len) } else { 0 };
    let clipped: u64 = if hard { cigar.iter().map(hard_clipped).sum() } else { 0 };
    (!cigar.is_empty()).then(|| cigar.read_len() + clipped)
}

/// The bases as they were sequenced.
pub(super) fn sequenced_bases(record: &Record<'_>) -> Vec<u8> {
    let mut bases = Vec::with_capacity(record.sequence_len());
    match record.flags() & flag::REVERSE != 0 {
        true => record.sequence().append_reverse_complement_to(&mut bases),
        false => record.sequence().append_to(&mut bases),
    }
    bases
}
