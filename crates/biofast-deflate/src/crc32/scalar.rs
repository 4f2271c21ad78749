//! Eight bytes at a time by eight tables ("slicing by 8").

/// The polynomial, its bits reversed.
const POLYNOMIAL: u32 = 0xedb8_8320;

/// `TABLES[n][b]`: what the byte b does to the register, n bytes later.
static TABLES: [[u32; 256]; 8] = {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut register = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            register = (register >> 1) ^ (POLYNOMIAL * (register & 1));
            bit += 1;
        }
        tables[0][byte] = register;
        byte += 1;
    }
    let mut n = 1;
    while n < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[n - 1][byte];
            tables[n][byte] = (before >> 8) ^ tables[0][(before & 255) as usize];
            byte += 1;
        }
        n += 1;
    }
    tables
};

pub(super) fn update(mut register: u32, bytes: &[u8]) -> u32 {
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        let mixed = u64::from_le_bytes(*word) ^ u64::from(register);
        let each = mixed.to_le_bytes().into_iter().zip(TABLES.iter().rev());
        register = each.fold(0, |sum, (byte, table)| sum ^ table[usize::from(byte)]);
    }
    for &byte in rest {
        register = (register >> 8) ^ TABLES[0][((register ^ u32::from(byte)) & 255) as usize];
    }
    register
}

/// Advances the bare register (not inverted) over bytes.
pub(super) type Update = fn(u32, &[u8]) -> u32;
