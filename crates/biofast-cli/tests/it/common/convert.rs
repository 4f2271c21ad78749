//! What the cases of `convert` share with those beside peers.

use super::biofast;

/// What biofast prints, and no message.
pub(crate) fn ours(args: &[&str]) -> String {
    let run = biofast(&[&["convert", "-q"], args].concat());
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{args:?}");
    run.stdout
}
