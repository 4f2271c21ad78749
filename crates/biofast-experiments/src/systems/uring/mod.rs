//! Many reads at once through io_uring, at a given depth. Used by entry 037.

#[cfg(all(target_os = "linux", feature = "io-uring"))]
mod ring;
#[cfg(not(all(target_os = "linux", feature = "io-uring")))]
mod ring {
    use std::fs::File;
    use std::io;

    /// There is none.
    pub(crate) enum Ring {}

    impl Ring {
        pub(crate) fn new(_: usize, _: usize) -> io::Result<Self> {
            Err(io::Error::new(io::ErrorKind::Unsupported, "this build has none"))
        }

        pub(crate) fn is_registered(&self) -> bool {
            match *self {}
        }

        pub(crate) fn calls(&self) -> u64 {
            match *self {}
        }

        pub(crate) fn read(&mut self, _: &File, _: &[u64], _: impl FnMut(&[u8])) -> io::Result<()> {
            match *self {}
        }
    }
}

pub(crate) use ring::Ring;
