//! What the cases of `qc_reads` share with those beside peers.

use super::biofast;

pub(crate) fn run(args: &[&str]) {
    let run = biofast(args);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""), "{args:?}");
}
