//! The fields that every BAM record has at the same places (SAM specification, section 4.2).

/// The size of a record and the fields of a fixed length behind it.
pub(crate) struct FixedFields {
    /// Bytes of the record behind this field.
    pub(crate) size: i32,
    pub(crate) reference: i32,
    pub(crate) position: i32,
    /// The length of the name with its NUL.
    pub(crate) name_len: u8,
    pub(crate) mapq: u8,
    pub(crate) bin: u16,
    /// The number of operations of the CIGAR.
    pub(crate) ops: u16,
    pub(crate) flags: u16,
    /// The number of bases.
    pub(crate) bases: u32,
    pub(crate) mate_reference: i32,
    pub(crate) mate_position: i32,
    pub(crate) template_len: i32,
}

impl FixedFields {
    /// Writes them to the front of `record`, which has room for them.
    pub(crate) fn put(&self, record: &mut [u8]) {
        let mut put = |at: usize, bytes: &[u8]| record[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, &self.size.to_le_bytes());
        put(4, &self.reference.to_le_bytes());
        put(8, &self.position.to_le_bytes());
        put(12, &[self.name_len, self.mapq]);
        put(14, &self.bin.to_le_bytes());
        put(16, &self.ops.to_le_bytes());
        put(18, &self.flags.to_le_bytes());
        put(20, &self.bases.to_le_bytes());
        put(24, &self.mate_reference.to_le_bytes());
        put(28, &self.mate_position.to_le_bytes());
        put(32, &self.template_len.to_le_bytes());
    }
}

/// The bytes of the fixed-length fields after the block size.
pub(crate) const FIXED_LEN: usize = 32;
