//! What the cases of `convert` share with those beside peers.

use super::silent;

/// What biofast prints, and no message.
pub(crate) fn ours(args: &[&str]) -> String {
    silent(&[&["convert", "-q"], args].concat()).stdout
}
