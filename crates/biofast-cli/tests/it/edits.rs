//! `biofast reset`, `retag` and `rename-contigs`: each record by itself, as a plain reading of its text says.
//! Equality with samtools: `tests/peers/edits.rs`.

use biofast_testkit::container::bgzf_starts;
use biofast_testkit::random::Random;
use biofast_testkit::small::{self, Names, TemplateShape};

use crate::common::cat::parts;
use crate::common::{Folder, biofast, biofast_with, fails, fails_in, good, silent, text};

fn small_sam(seed: u64, names: Names) -> String {
    let shape = TemplateShape { seed, sets: 200, templates: 12, names, ..TemplateShape::default() };
    small::text(&shape)
}

/// SAM with each record changed, or left out.
fn changed(sam: &str, change: impl Fn(Vec<String>) -> Option<Vec<String>>) -> String {
    let line = |line: &str| match line.starts_with('@') {
        true => Some(format!("{line}\n")),
        false => change(line.split('\t').map(str::to_owned).collect())
            .map(|fields| fields.join("\t") + "\n"),
    };
    sam.lines().filter_map(line).collect()
}

/// What the command prints of a file, with one thread and with three.
fn printed(words: &[&str], path: &str) -> String {
    let mut texts = ["1", "3"]
        .map(|threads| silent(&[words, &["-q", "--no-PG", "-@", threads, path]].concat()).stdout);
    assert!(texts[0] == texts[1], "{words:?}");
    std::mem::take(&mut texts[0])
}

/// A record as it came off the sequencer.
fn reset(mut fields: Vec<String>, keeps: impl Fn(&str) -> bool) -> Option<Vec<String>> {
    let flags: u32 = fields[1].parse().unwrap();
    if flags & 0x900 != 0 {
        return None;
    }
    let of_mate = if flags & 1 != 0 { 8 } else { 0 };
    fields[1] = (flags & !(2 | 16 | 32 | 1024) | 4 | of_mate).to_string();
    for (at, value) in ["*", "0", "0", "*", "*", "0", "0"].iter().enumerate() {
        fields[at + 2] = (*value).into();
    }
    if flags & 16 != 0 {
        let complement = |c: char| "TGCAN*".chars().nth("ACGTN*".find(c).unwrap()).unwrap();
        fields[9] = fields[9].chars().rev().map(complement).collect();
        fields[10] = fields[10].chars().rev().collect();
    }
    let tags = fields.split_off(11);
    fields.extend(tags.into_iter().filter(|tag| keeps(&tag[..2])));
    Some(fields)
}

#[test]
fn reads_are_reset_as_their_text_says() {
    let folder = Folder::new();
    let sam = small_sam(3, Names::Mixed).replacen(
        "GO:query\n",
        "GO:query\n@PG\tID:a\n@PG\tID:b\tPP:a\n@PG\tID:c\tPP:b\n@CO\tx\n",
        1,
    );
    let sam = changed(&sam, |mut fields| {
        fields.extend(["NM:i:1", "XX:Z:x", "SA:Z:c0,1,+,1M,1,1;"].map(str::to_owned));
        Some(fields)
    });
    let path = folder.file("x.sam", &sam);
    let of_alignment = "AS CC CG CP H1 H2 HI H0 IH MC MD MQ NM SA TS";
    let lines = |start: &str| -> String {
        let lines = sam.lines().filter(|line| line.starts_with(start));
        lines.map(|line| format!("{line}\n")).collect()
    };
    let records = |keeps: &dyn Fn(&str) -> bool| -> String {
        let text = changed(&sam, |fields| reset(fields, keeps));
        text.lines().filter(|line| !line.starts_with('@')).map(|line| format!("{line}\n")).collect()
    };
    let all = |tag: &str| !of_alignment.contains(tag);
    let (groups, programs) = (lines("@RG"), lines("@PG"));
    let cases: [(&[&str], String, String); 5] = [
        (&[], format!("{groups}{programs}"), records(&all)),
        (
            &["-x", "XX,RG"],
            format!("{groups}{programs}"),
            records(&|tag| all(tag) && tag != "XX" && tag != "RG"),
        ),
        (
            &["--keep-tag", "NM,XX,RG", "--no-RG"],
            programs.clone(),
            records(&|tag| ["NM", "XX"].contains(&tag)),
        ),
        (&["-x", "^NM"], format!("{groups}{programs}"), records(&|tag| tag == "NM")),
        (&["--reject-PG", "b"], format!("{groups}@PG\tID:a\n"), records(&all)),
    ];
    for (words, header, records) in cases {
        let ours = printed(&[&["reset"], words].concat(), &path);
        assert!(ours == format!("@HD\tVN:1.6\n{header}{records}"), "{words:?}");
    }
    let duplicates = |text: &str| {
        let flags = text.lines().filter(|line| !line.starts_with('@'));
        let flags = flags.map(|line| line.split('\t').nth(1).unwrap().parse::<u32>().unwrap());
        flags.filter(|flags| flags & 0x900 == 0 && flags & 0x400 != 0).count()
    };
    assert_eq!(duplicates(&printed(&["reset", "--dupflag"], &path)), duplicates(&sam));
    assert!(duplicates(&sam) > 0);
    // The line of this run follows the others, and what is BAM is read as such.
    let out = text(&folder.path("o.bam"));
    let run = biofast_with(&["reset", "-", "-o", &out], sam.as_bytes());
    assert!(run.stderr.contains("secondary and supplementary records dropped"), "{run:?}");
    let shown = biofast(&["view", "-h", "--no-PG", &out]).stdout;
    assert!(shown.contains("@PG\tID:c\tPP:b\n@PG\tID:biofast\tPN:biofast\tPP:c\t"), "{run:?}");
    assert_eq!(good(&folder, &["check", "o.bam"]).code, 0);
}

#[test]
fn tags_are_dropped_kept_and_renamed_in_their_places() {
    let folder = Folder::new();
    let sam = changed(&small_sam(4, Names::Mixed), |mut fields| {
        fields.insert(11, "B1:B:c,1,-2".into());
        fields.extend(["NM:i:1".into(), "ZZ:Z:last".into()]);
        Some(fields)
    });
    let path = folder.file("x.sam", &sam);
    let tags = |each: &dyn Fn(&str) -> Option<String>| {
        changed(&sam, |mut fields| {
            let tags = fields.split_off(11);
            fields.extend(tags.iter().filter_map(|tag| each(tag)));
            Some(fields)
        })
    };
    let keep = |tag: &str, wanted: bool| wanted.then(|| tag.to_owned());
    for (words, expected) in [
        (&["-x", "NM,B1"][..], tags(&|tag| keep(tag, !["NM", "B1"].contains(&&tag[..2])))),
        (
            &["-x", "^NM", "--keep-tag", "B1"],
            tags(&|tag| keep(tag, ["NM", "B1"].contains(&&tag[..2]))),
        ),
        (&["--keep-tag", ""], tags(&|_| None)),
        (
            &["--rename-tag", "NM:nm", "--rename-tag", "B1:ZZ", "-x", "ZZ"],
            tags(&|tag| {
                keep(&tag.replace("NM:", "nm:").replace("B1:", "ZZ:"), !tag.starts_with("ZZ"))
            }),
        ),
    ] {
        assert!(printed(&[&["retag"], words].concat(), &path) == expected, "{words:?}");
    }
}

#[test]
fn umis_go_from_names_to_tags_and_back() {
    let folder = Folder::new();
    let read = |name: &str, tags: &str| format!("{name}\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI{tags}\n");
    let file = |order: &str, reads: &[(&str, &str)]| {
        let reads: String = reads.iter().map(|(name, tags)| read(name, tags)).collect();
        format!("@HD\tVN:1.6\t{order}\n{reads}")
    };
    let old = "\tRX:Z:old\tNM:i:1";
    let named = [("a:1:F:1:1:1:1:ACG+rTTN", old), ("b_ACC_GTT", old), ("c:GATTACA", old)];
    let path = folder.file("x.sam", file("SO:queryname", &named));
    let umis = ["ACG-NAA", "ACC-GTT", "GATTACA"].map(|umi| format!("\tNM:i:1\tRX:Z:{umi}"));
    let tagged = |names: [&str; 3], order: &str| {
        file(order, &[0, 1, 2].map(|at: usize| (names[at], umis[at].as_str())))
    };
    let copied = printed(&["retag", "--umi-from-name"], &path);
    assert_eq!(copied, tagged(named.map(|(name, _)| name), "SO:queryname"));
    let moved = printed(&["retag", "--umi-from-name", "--remove-umi"], &path);
    let expected = tagged(["a:1:F:1:1:1:1", "b", "c"], "SO:unsorted\tGO:query");
    assert_eq!(moved, expected);
    let path = folder.file("y.sam", &moved);
    let back = printed(&["retag", "--umi-to-name", "-x", "RX", "--umi-separator", ":"], &path);
    let names = ["a:1:F:1:1:1:1:ACG+NAA", "b:ACC+GTT", "c:GATTACA"];
    assert_eq!(back, file("SO:unsorted\tGO:query", &names.map(|name| (name, "\tNM:i:1"))));
    // Behind a separator, short ones are found, too.
    let path = folder.file("z.sam", file("SO:unknown", &[("b_AC_GT", "")]));
    let words = ["retag", "--umi-from-name", "--umi-tag", "BX"];
    fails(
        &[&words[..], &[&path]].concat(),
        &["z.sam: record 1", "'b_AC_GT'", "its name doesn't end in a UMI"],
    );
    let found = printed(&[&words[..], &["--umi-separator", "_"]].concat(), &path);
    assert_eq!(found, file("SO:unknown", &[("b_AC_GT", "\tBX:Z:GT")]));
}

#[test]
fn contigs_are_renamed_in_the_header_and_in_tags() {
    let folder = Folder::new();
    let sam = changed(&small_sam(6, Names::Mixed), |mut fields| {
        let tags = match fields[0].len() % 3 {
            0 => vec!["SA:Z:c0,5,+,3M,1,0;d10,7,-,3M,1,0;", "CC:Z:d10", "XX:Z:c0,5;"],
            1 => vec!["XA:Z:d10,-5,3M,0;c1,+5,3M,1;zz,+1,1M,0;", "OA:Z:c0,5,+,3M,1,0;"],
            _ => vec![],
        };
        fields.extend(tags.into_iter().map(str::to_owned));
        Some(fields)
    });
    folder.file("x.sam", &sam);
    folder.file("t.tsv", "# old\tnew\nc0\tchr0\nd10\tchrD\r\nabsent\tx\n\nc1\tc0\n");
    let new = |name: &str| match name {
        "c0" => "chr0".to_owned(),
        "d10" => "chrD".to_owned(),
        "c1" => "c0".to_owned(),
        other => other.to_owned(),
    };
    let places = |tag: &str| {
        let (name, value) = tag.split_at(5);
        let each = |place: &str| {
            let (contig, rest) = place.split_once(',').unwrap();
            format!("{},{rest};", new(contig))
        };
        let text: String = value.split_terminator(';').map(each).collect();
        format!("{name}{text}")
    };
    let mut expected = changed(&sam, |mut fields| {
        (fields[2], fields[6]) = (new(&fields[2]), new(&fields[6]));
        for field in &mut fields[11..] {
            *field = match &field[..2] {
                "SA" | "XA" | "OA" => places(field),
                "CC" => format!("CC:Z:{}", new(&field[5..])),
                _ => continue,
            };
        }
        Some(fields)
    });
    for (old, name) in [("SN:c0\t", "SN:chr0\t"), ("SN:d10\t", "SN:chrD\t"), ("SN:c1\t", "SN:c0\t")]
    {
        expected = expected.replacen(old, name, 1);
    }
    let run = good(&folder, &["rename-contigs", "--no-PG", "--table", "t.tsv", "x.sam"]);
    assert!(run.stdout == expected);
    assert!(run.stderr.contains("warning: t.tsv: 'absent' not in the header"), "{run:?}");
    // Blocks of BAM without such tags are copied.
    let mut random = Random(8);
    let mut sam = "@SQ\tSN:c0\tLN:9000\n@SQ\tSN:c1\tLN:9000\n".to_owned();
    for number in 0..5000 {
        let bases: String = (0..90).map(|_| char::from(b"ACGT"[random.below(4)])).collect();
        let scores: String = (0..90).map(|_| char::from(b'#' + random.below(40) as u8)).collect();
        sam += &format!("r{number}\t0\tc0\t{}\t60\t90M\t*\t0\t0\t{bases}\t{scores}\n", number + 1);
    }
    folder.file("y.sam", sam);
    good(&folder, &["view", "-b", "y.sam", "-o", "y.bam"]);
    folder.file("u.tsv", "c0\tchr0\n");
    good(&folder, &["rename-contigs", "--table", "u.tsv", "y.bam", "-o", "o.bam"]);
    let blocks = |name: &str| -> Vec<Vec<u8>> {
        let bytes = std::fs::read(folder.path(name)).unwrap();
        bgzf_starts(&bytes).windows(2).map(|ends| bytes[ends[0]..ends[1]].to_vec()).collect()
    };
    let (before, after) = (blocks("y.bam"), blocks("o.bam"));
    let copied = before.iter().filter(|block| after.contains(block)).count();
    assert!(before.len() > 10 && copied + 4 > before.len(), "{copied} of {}", before.len());
    let view = |path: &str| good(&folder, &["view", path]).stdout;
    assert_eq!(view("y.bam").replace("\tc0\t", "\tchr0\t"), view("o.bam"));
}

#[test]
fn changes_that_do_not_fit_are_refused() {
    let folder = Folder::new();
    let header = "@HD\tVN:1.6\n@SQ\tSN:a\tLN:9\n@SQ\tSN:b\tLN:9\n@PG\tID:p\n";
    let read = "r\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\tXA:i:1\tXB:i:2\n";
    folder.file("a.sam", format!("{header}{read}"));
    folder.file("bad.sam", format!("{header}{read}r\tx\n"));
    folder.file("r.fq", "@r\nACGT\n+\nIIII\n");
    for (name, table) in [
        ("ok.tsv", "a\tx\n"),
        ("none.tsv", "chr1\t1\n"),
        ("same.tsv", "a\tb\n"),
        ("one.tsv", "a\n"),
        ("many.tsv", "a\tx\nb\tx\n"),
        ("empty.tsv", "a\t\n"),
    ] {
        folder.file(name, table);
    }
    let bam = std::fs::read(parts(&folder, 1).remove(0)).unwrap();
    folder.file("cut.bam", &bam[..bam.len() / 2]);
    for (words, expected) in [
        ("reset --reject-PG q a.sam", &["a.sam: the header has no @PG line with the ID 'q'"][..]),
        ("reset bad.sam", &["bad.sam: record 2, line 6"]),
        ("reset cut.bam", &["cut.bam"]),
        ("reset r.fq", &["r.fq", "FASTQ"]),
        ("reset -x NM --keep-tag RG a.sam", &["--remove-tag has no effect"]),
        ("reset -x N a.sam", &["'N'", "expected a tag"]),
        ("retag a.sam", &["required"]),
        (
            "retag --umi-from-name a.sam",
            &["a.sam: record 1", "doesn't end in a UMI", "hint: a UMI is"],
        ),
        ("retag --umi-to-name a.sam", &["a.sam: record 1", "no tag with a UMI", "--umi-tag"]),
        ("retag --rename-tag XA:XB a.sam", &["a.sam: record 1", "a tag twice"]),
        ("retag --rename-tag XA:XC --rename-tag XA:XD a.sam", &["XA", "two new names"]),
        ("rename-contigs --table none.tsv a.sam", &["a.sam, none.tsv: no name of the table"]),
        ("rename-contigs --table same.tsv a.sam", &["two reference sequences would be named 'b'"]),
        ("rename-contigs --table many.tsv a.sam", &["two reference sequences would be named 'x'"]),
        ("rename-contigs --table one.tsv a.sam", &["one.tsv: line 1", "found one column"]),
        ("rename-contigs --table empty.tsv a.sam", &["empty.tsv: line 1", "an empty new name"]),
        ("rename-contigs --table absent.tsv a.sam", &["absent.tsv", "No such file"]),
        ("rename-contigs --table none.tsv cut.bam", &["cut.bam"]),
        ("rename-contigs --table ok.tsv r.fq", &["r.fq", "FASTQ"]),
        ("rename-contigs a.sam", &["--table"]),
    ] {
        let words: Vec<&str> = words.split(' ').chain(["-o", "o.sam"]).collect();
        fails_in(&folder, &words, expected);
        assert!(!folder.path("o.sam").exists());
    }
}
