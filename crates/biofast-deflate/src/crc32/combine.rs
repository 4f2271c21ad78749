//! The CRC-32 of bytes with others behind them: zeros behind a message multiply its remainder by a power of x.

/// The polynomial, its bits reversed: the highest bit is that of x^0.
const POLYNOMIAL: u32 = 0xedb8_8320;

/// `sum` times x^(8·`len`).
pub(super) fn shift(mut sum: u32, len: u64) -> u32 {
    // x^8, and its squares.
    let mut power = 1 << (31 - 8);
    let mut rest = len;
    while rest > 0 {
        if rest & 1 == 1 {
            sum = product(sum, power);
        }
        power = product(power, power);
        rest >>= 1;
    }
    sum
}

/// The product modulo the polynomial.
fn product(a: u32, b: u32) -> u32 {
    let (mut sum, mut b) = (0, b);
    for bit in (0..32).rev() {
        if a >> bit & 1 == 1 {
            sum ^= b;
        }
        b = (b >> 1) ^ (POLYNOMIAL * (b & 1));
    }
    sum
}
