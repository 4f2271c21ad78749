//! What the cases of `schema` share with those beside peers.

use super::biofast;

pub(crate) fn names() -> Vec<String> {
    let list = biofast(&["schema"]).stdout;
    list.lines().skip(1).map(|line| line.split('\t').next().unwrap().to_owned()).collect()
}
