//! `biofast split` beside seqkit.

use crate::common::{Folder, biofast, listed, reads, text};
use crate::tools::{self, need};

#[test]
#[ignore = "needs seqkit"]
fn parts_are_those_of_seqkit() {
    let folder = Folder::new();
    let r1 = folder.file("r1.fq", reads("p", 211));
    let r2 = folder.file("r2.fq", reads("p", 211).replace(" x\n", " y\n"));
    let all = [
        ("-s", "50", false),
        ("-s", "1", false),
        ("-p", "6", false),
        ("-l", "1000", false),
        ("-s", "40", true),
        ("-p", "3", true),
    ];
    for (by, n, paired) in all {
        let (ours, theirs) = (Folder::new(), Folder::new());
        let to = text(&theirs.path("to"));
        let mut seqkit = need("seqkit");
        seqkit.args(["split2", "--quiet", by, n, "-O", &to]);
        let out = text(&ours.path("r{mate}.part_{part}.fq"));
        let single = out.replace("{mate}", "1");
        let run = if paired {
            seqkit.args(["-1", &r1, "-2", &r2]);
            biofast(&["split", "-q", by, n, &r1, &r2, "-o", &out])
        } else {
            seqkit.arg(&r1);
            biofast(&["split", "-q", by, n, &r1, "-o", &single])
        };
        assert_eq!(run.code, 0, "{run:?}");
        tools::run(&mut seqkit);
        let mut names = listed(&ours);
        assert_eq!(std::fs::read_dir(&to).unwrap().count(), names.len(), "{by} {n}");
        names.sort();
        for name in names {
            let their = std::fs::read(theirs.path("to").join(&name)).unwrap();
            assert!(std::fs::read(ours.path(&name)).unwrap() == their, "{by} {n}: {name}");
        }
    }
}
