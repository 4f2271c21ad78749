//! Where bytes are that are kept of eight.

/// Where the bytes are that eight bits keep.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) static PICKED: [[u8; 8]; 256] = {
    let mut orders = [[0; 8]; 256];
    let mut keep = 0;
    while keep < 256 {
        let (mut byte, mut n) = (0, 0);
        while byte < 8 {
            if keep >> byte & 1 == 1 {
                orders[keep][n] = byte as u8;
                n += 1;
            }
            byte += 1;
        }
        keep += 1;
    }
    orders
};
