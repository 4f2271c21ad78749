//! Where bytes come from: files, pipes and readers, mapped or read; how they are read, and what is found out about them.
//!
//! Nothing here looks into the bytes: [`container`](crate::container) does.

mod address;
mod buffered;
mod container;
mod lent;
mod map;
mod notes;
pub(crate) mod opened;
mod options;
mod origin;
#[cfg(unix)]
mod pipe;
mod points;
mod ranged;
mod read_ahead;
pub mod remote;
mod reread;
mod source;
mod store;
mod stored;

pub use container::Container;
pub use map::Map;
pub(crate) use notes::SerialPart;
pub use notes::{
    BlockDecoder, CancellationToken, GzipChunks, Notes, Phase, Progress, SerialTimes, Warning,
};
pub use options::{IoMode, MMAP_THRESHOLD, MapAdvice, MateNaming, Options};
pub use origin::{Origin, Places};
pub use points::{Followed, Follower, GzipPoint, GzipPoints};
pub use reread::Reread;
pub(crate) use source::Backing;
pub use source::{
    CONTAINER_ENDINGS, Source, display_name, is_named_pipe, path_named, without_container,
};
pub(crate) use stored::{StoredBytes, Witness};
