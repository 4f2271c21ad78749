//! Data in lanes: as many parts of equal length as there are states, each coded by a state of its own. What remains belongs to the
//! last.

/// Symbols of a lane that are moved at once.
pub(crate) const TILE: usize = 64;

/// The same stretch of all lanes: so a loop over lanes knows where its symbols are, and that they are there.
pub(crate) type Tile<const N: usize> = [[u8; TILE]; N];

/// A stretch of all lanes: where it starts in each, and its length, at most [`TILE`].
pub(crate) type Stretch = (usize, usize);

/// The stretches of lanes of `len` symbols.
pub(crate) fn stretches(len: usize) -> impl DoubleEndedIterator<Item = Stretch> {
    (0..len.div_ceil(TILE)).map(move |n| (n * TILE, (len - n * TILE).min(TILE)))
}

/// Copies a stretch of lanes of `len` symbols into the tile.
pub(crate) fn load<const N: usize>(tile: &mut Tile<N>, data: &[u8], len: usize, stretch: Stretch) {
    for (lane, row) in tile.iter_mut().enumerate() {
        row[..stretch.1].copy_from_slice(&data[lane * len + stretch.0..][..stretch.1]);
    }
}

/// The reverse.
pub(crate) fn store<const N: usize>(tile: &Tile<N>, data: &mut [u8], len: usize, stretch: Stretch) {
    for (lane, row) in tile.iter().enumerate() {
        data[lane * len + stretch.0..][..stretch.1].copy_from_slice(&row[..stretch.1]);
    }
}
