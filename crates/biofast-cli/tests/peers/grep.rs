//! `biofast grep` beside seqkit.

use crate::common::Folder;
use crate::common::grep::{found, random_reads, records};
use crate::tools::{is_current_seqkit, printed};

#[test]
#[ignore = "needs seqkit"]
fn reads_and_places_are_those_of_seqkit() {
    let folder = Folder::new();
    let file = folder.file("x.fq", random_reads(7, 3_000, ""));
    let names = folder.file("names", "r1\nr17\nr2999\nr3000\nR5\n\nr40 x:Y\n");
    let motifs = folder.file("motifs", "ACGTAC\nGGGTT\nCCCCC\nTTNA\n");
    let cases: [&[&str]; 21] = [
        &["-s", "-p", "ACGT"],
        &["-s", "-p", "AACCT", "-P"],
        &["-s", "-p", "acgta", "-i"],
        &["-s", "-p", "ACg"],
        &["-s", "-p", "GATC", "-v"],
        &["-s", "-p", "GATTA", "-p", "CCGGA", "-p", "TTTTTTT"],
        &["-s", "-p", "ACGTA", "-R", "1:20"],
        &["-s", "-p", "ACGTACG", "-m", "1"],
        &["-s", "-p", "ACGTACGTAC", "-m", "2", "-P"],
        &["-s", "-p", "GATTACAGATTACA", "-m", "3"],
        &["-s", "-r", "-p", "AC+GT"],
        &["-s", "-r", "-p", "^GG", "-p", "TT$", "-P"],
        &["-p", "r17"],
        &["-p", "R17", "-i"],
        &["-f", &names],
        &["-n", "-f", &names],
        &["-n", "-p", "r40 x:Y"],
        &["-r", "-p", "r1.$", "-p", "^r2"],
        &["-n", "-r", "-p", "9 x"],
        &["-f", &names, "-v"],
        &["-f", &names, "-C"],
    ];
    for args in cases {
        let theirs = printed("seqkit", &[&["grep", "--quiet"], args, &[&file]].concat());
        assert!(found(&[args, &[&file]].concat()) == theirs, "{args:?}");
    }
    // Of a read of 10 bases seqkit searches nothing by -20:-3, here what there is.
    let long: Vec<String> =
        records(&random_reads(7, 3_000, "")).into_iter().filter(|r| r.len() > 90).collect();
    let long = folder.file("long.fq", long.concat());
    for args in [["-s", "-p", "ACGT", "-R", "-20:-3"], ["-s", "-p", "ACGT", "-R", "5:-30"]] {
        let theirs = printed("seqkit", &[&["grep", "--quiet"], &args[..], &[&long]].concat());
        assert!(found(&[&args[..], &[&long]].concat()) == theirs, "{args:?}");
    }
    // Ambiguous letters, which seqkit has to be told of, and which it finds no N by.
    let without_n = random_reads(7, 3_000, "").replace('N', "A");
    let known = folder.file("known.fq", &without_n);
    for args in
        [&["-s", "-p", "ACNNGT"][..], &["-s", "-p", "RYSWKM", "-P"], &["-s", "-p", "BDHVBDHVA"]]
    {
        let theirs = printed("seqkit", &[&["grep", "--quiet", "-d"], args, &[&known]].concat());
        assert!(found(&[args, &[&known]].concat()) == theirs, "{args:?}");
    }
    let sorted = |table: String| {
        let mut lines: Vec<String> = table.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let cases: [&[&str]; 5] = [
        &["-p", "ACGT", "-p", "AAA"],
        &["-p", "GATTA", "-P"],
        &["-p", "ACGTAC", "-m", "1"],
        &["-r", "-p", "AC+GT", "-p", "GGG+"],
        &["-d", "-p", "ARYN"],
    ];
    for args in cases {
        // From 2.9 on, it lists what lies inside of other matches, too, unless it is told not to.
        let way: &[&str] = if args.contains(&"-r") && is_current_seqkit() { &["-G"] } else { &[] };
        let theirs = printed("seqkit", &[&["locate", "--quiet"], way, args, &[&known]].concat());
        let ours = found(&[&["-s", "--only-matching"], args, &[&known]].concat());
        assert!(ours.lines().count() > 10 && sorted(ours.clone()) == sorted(theirs), "{args:?}");
    }
    // Places in the order of the reads and of the strand; patterns seqkit takes in any order.
    let ours = found(&["-s", "--only-matching", "-p", "AAC", &known]);
    assert!(ours == printed("seqkit", &["locate", "--quiet", "-p", "AAC", &known]));
    // Many motifs at once, and one of them ambiguous.
    let theirs = printed("seqkit", &["grep", "--quiet", "-s", "-d", "-f", &motifs, &known]);
    assert!(found(&["-s", "-f", &motifs, &known]) == theirs);
}
