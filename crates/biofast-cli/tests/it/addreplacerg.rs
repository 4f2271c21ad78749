//! `biofast addreplacerg`: records of another read group.

use crate::common::cat::{grouped, parts};
use crate::common::{Folder, biofast, fails_in, ok_with, silent, text};

/// What comes of a SAM text by a plain reading of the rules.
fn expected(sam: &str, id: &str, orphans_only: bool, new: Option<&str>) -> String {
    let (mut header, mut records) = (String::new(), String::new());
    for line in sam.lines() {
        if line.starts_with('@') {
            let is_gone = new.is_some() && !orphans_only && line.starts_with("@RG\t");
            header += &if is_gone { String::new() } else { format!("{line}\n") };
            continue;
        }
        let fields: Vec<&str> = line.split('\t').collect();
        let is_group = |field: &&str| field.starts_with("RG:Z:");
        match orphans_only && fields[11..].iter().any(is_group) {
            true => records += line,
            false => {
                let kept: Vec<&str> = fields[..11].to_vec();
                let tags = fields[11..].iter().copied().filter(|field| !is_group(field));
                records += &kept.into_iter().chain(tags).collect::<Vec<_>>().join("\t");
                records += &format!("\tRG:Z:{id}");
            }
        }
        records += "\n";
    }
    header + &new.map_or(String::new(), |line| format!("{line}\n")) + &records
}

#[test]
fn records_get_the_group_and_keep_all_else() {
    let folder = Folder::new();
    let sam = grouped(&folder);
    let input = folder.file("in.sam", &sam);
    let line = "@RG\tID:new\tSM:s";
    for (words, id, new) in [
        (&["-r", "ID:new", "-r", "SM:s"][..], "new", Some(line)),
        (&["-r", r"@RG\tID:new\tSM:s"], "new", Some(line)),
        (&["-R", "known"], "known", None),
        (&[], "known", None),
    ] {
        for mode in ["overwrite_all", "orphan_only"] {
            let expected = expected(&sam, id, mode == "orphan_only", new);
            for threads in ["1", "3"] {
                let run = [&["addreplacerg", "--no-PG", "-m", mode, "-@", threads], words].concat();
                let run = silent(&[&run[..], &[&input]].concat());
                assert!(run.stdout == expected, "{words:?} {mode}");
            }
        }
    }
    // To BAM and through a pipe, with the line of this run.
    let out = text(&folder.path("o.bam"));
    let words = ["addreplacerg", "-w", "-r", "ID:known\tSM:x", "-", "-o", &out];
    ok_with(&words, sam.as_bytes());
    let shown = biofast(&["view", "-h", "--no-PG", &out]).stdout;
    let line = shown.lines().find(|line| line.contains("addreplacerg")).unwrap();
    let (line, new) = (format!("{line}\n"), Some("@RG\tID:known\tSM:x"));
    assert!(line.starts_with("@PG\tID:biofast"), "{line}");
    assert!(shown.replace(&line, "") == self::expected(&sam, "known", false, new));
}

#[test]
fn groups_that_do_not_fit_and_bad_input_are_refused() {
    let folder = Folder::new();
    let header = "@HD\tVN:1.6\n@RG\tID:a\tSM:s\n";
    folder.file("a.sam", format!("{header}r\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n"));
    folder.file("none.sam", "@HD\tVN:1.6\nr\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\n");
    folder.file("bad.sam", format!("{header}r\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\nr\tx\n"));
    let bam = std::fs::read(parts(&folder, 1).remove(0)).unwrap();
    folder.file("cut.bam", &bam[..bam.len() / 2]);
    for (words, expected) in [
        (
            &["-r", "ID:a", "a.sam"][..],
            &["a.sam: the header already has a read group 'a'", "-w"][..],
        ),
        (&["-R", "z", "a.sam"], &["a.sam: the header has no read group 'z'", "-r"]),
        (&["none.sam"], &["none.sam: the header has no read groups"]),
        (&["-r", "SM:x", "a.sam"], &["must have exactly one ID"]),
        (&["-r", "ID:x", "-r", "ID:y", "a.sam"], &["expected one read group"]),
        (&["-w", "a.sam"], &["--rg-line"]),
        (&["-r", "ID:x", "bad.sam", "-o", "o.sam"], &["bad.sam: record 2, line 4"]),
        (&["-r", "ID:x", "cut.bam", "-o", "o.sam"], &["cut.bam"]),
        (&["-r", "ID:x", "absent.bam"], &["absent.bam: No such file"]),
    ] {
        fails_in(&folder, &[&["addreplacerg"], words].concat(), expected);
        assert!(!folder.path("o.sam").exists());
    }
}
