//! `biofast repair` beside seqkit.

use crate::common::repair::{content, files, records};
use crate::common::{Folder, biofast, text};
use crate::tools::{self, need};

#[test]
#[ignore = "needs seqkit"]
fn pairs_are_those_of_seqkit() {
    for shuffled in [false, true] {
        let folder = Folder::new();
        // seqkit reads descriptions as part of nothing: names are equal.
        let files = files(600, shuffled);
        let r1 = folder.file("r1.fq", files[0].concat());
        let r2 = folder.file("r2.fq", files[1].concat());
        let to = text(&folder.path("to"));
        let mut seqkit = need("seqkit");
        seqkit.args(["pair", "--quiet", "-u", "-1", &r1, "-2", &r2, "-O", &to]);
        tools::run(&mut seqkit);
        let path = |name: &str| text(&folder.path(name));
        let names = ["r1.fq", "r2.fq", "r1.unpaired.fq", "r2.unpaired.fq"];
        let [p1, p2, s1, s2] = ["p1.fq", "p2.fq", "s1.fq", "s2.fq"].map(path);
        let run = biofast(&[
            "repair", "-q", &r1, &r2, "-o", &p1, "--out2", &p2, "--orphans1", &s1, "--orphans2",
            &s2,
        ]);
        assert_eq!(run.code, 0, "{run:?}");
        let ours = [p1, p2, s1, s2].map(|path| std::fs::read_to_string(path).unwrap());
        let theirs = names.map(|name| content(&folder.path("to").join(name)));
        // seqkit writes pairs as they are complete, and orphans in any order.
        let pairs = |one: &str, two: &str| {
            let mut pairs: Vec<_> = records(one).into_iter().zip(records(two)).collect();
            if shuffled {
                pairs.sort();
            }
            pairs
        };
        let sorted = |text: &str| {
            let mut records = records(text);
            records.sort();
            records
        };
        assert!(pairs(&ours[0], &ours[1]) == pairs(&theirs[0], &theirs[1]), "{shuffled}");
        assert_eq!(sorted(&ours[2]), sorted(&theirs[2]));
        assert_eq!(sorted(&ours[3]), sorted(&theirs[3]));
    }
}
