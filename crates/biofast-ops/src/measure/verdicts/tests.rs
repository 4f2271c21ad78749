use biofast_bam::{Detail, Input, InputOptions};
use biofast_io::{Options, Source};

use super::measured::found;
use super::*;
use crate::measure::alignments;
use crate::measure::reads::{Collector, Contaminants};

/// The verdict about a value.
fn of(check: &Check, rules: &VerdictRules, value: f64) -> Judged {
    judge(check, rules, found(value, "The figure is so".into(), "Do something."))
}

#[test]
fn a_limit_itself_is_on_the_good_side_and_what_is_beyond_on_the_bad_one() {
    for library in Library::ALL {
        let rules = VerdictRules::of(library);
        for check in CHECKS {
            let CheckLimits { warn, fail } = rules.limits(check);
            let beyond = |limit: f64| match check.bad() {
                Bad::Above => limit + 1e-9,
                Bad::Below => limit - 1e-9,
            };
            let what = format!("{} {}", library.name(), check.name());
            let verdict = |value: f64| of(check, &rules, value).verdict;
            if let Some(warn) = warn {
                assert_eq!(verdict(warn), Verdict::Pass, "{what}");
                assert_eq!(verdict(beyond(warn)), Verdict::Warn, "{what}");
            }
            if let Some(fail) = fail {
                let before = if warn.is_some_and(|warn| warn != fail) {
                    Verdict::Warn
                } else {
                    Verdict::Pass
                };
                assert_eq!(verdict(fail), before, "{what}");
                assert_eq!(verdict(beyond(fail)), Verdict::Fail, "{what}");
            }
        }
    }
}

#[test]
fn sentences_say_the_limit_what_to_do_and_what_the_library_explains() {
    let check = Check::named("duplication").expect("a check");
    let text = |library, value| of(check, &VerdictRules::of(library), value).text;
    assert_eq!(text(Library::Wgs, 12.0), "The figure is so.");
    assert_eq!(text(Library::Wgs, 31.0), "The figure is so: above 30 %. Do something.");
    assert_eq!(text(Library::Wgs, 51.0), "The figure is so: above 50 %. Do something.");
    assert_eq!(
        text(Library::Exome, 45.0),
        "The figure is so; expected of targets that are read deeply."
    );
    let missing = judge(check, &VerdictRules::of(Library::Wgs), Measured::Missing("nobody looked"));
    assert_eq!((missing.verdict, missing.value), (Verdict::NotMeasured, None));
    assert_eq!(missing.text, "Not measured: nobody looked.");
}

#[test]
fn limits_are_read_back_as_they_are_written() {
    for library in Library::ALL {
        let rules = VerdictRules::of(library);
        for other in Library::ALL {
            let mut read = VerdictRules::of(other);
            read.read(&rules.text()).expect("its own text");
            for check in CHECKS {
                assert_eq!(read.limits(check), rules.limits(check), "{}", check.name());
            }
            // All but the line that names the library, and reasons, which a text doesn't give.
            let columns = |text: &str| -> Vec<String> {
                let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
                lines.map(str::to_owned).collect()
            };
            assert_eq!(columns(&read.text()), columns(&rules.text()));
        }
        let mut same = VerdictRules::of(library);
        same.read(&rules.text()).expect("its own text");
        assert_eq!(same, rules);
    }
}

#[test]
fn limits_that_can_not_be_name_their_line() {
    let error =
        |text: &str| VerdictRules::of(Library::Any).read(text).expect_err("an error").to_string();
    for (text, expected) in [
        (
            "# x\n\nduplicatoin 1 2",
            "line 3: no check is named 'duplicatoin'; did you mean 'duplication'?",
        ),
        ("adapter 1 2", "line 1: no check is named 'adapter'; did you mean 'adapter-content'?"),
        ("N_SHARE 1 2", "line 1: no check is named 'N_SHARE'; did you mean 'n-share'?"),
        (
            "kmers-and-more 1 2",
            "line 1: no check is named 'kmers-and-more'; `biofast stats --print-limits` lists all checks",
        ),
        (
            "n-share",
            "line 1: expected the limits of warnings and failures after 'n-share', or only 'off'",
        ),
        ("n-share 1 2 3", "line 1: expected the limits of warnings and failures after 'n-share'"),
        ("n-share 1 x", "line 1: expected a number of 0 or more, or 'off', found 'x'"),
        ("n-share -1 2", "line 1: expected a number of 0 or more, or 'off', found '-1'"),
        ("n-share NaN 2", "line 1: expected a number of 0 or more, or 'off', found 'NaN'"),
        ("n-share inf 2", "line 1: expected a number of 0 or more, or 'off', found 'inf'"),
        ("n-share 1 101", "line 1: expected at most 100 %, found 101"),
        ("n-share 5 1", "line 1: 'n-share' would fail at 1 before it warns at 5"),
        ("mean-quality 20 30", "line 1: 'mean-quality' would fail at 30 before it warns at 20"),
        ("n-share 1 5\nn-share off", "line 2: 'n-share' already has limits on line 1"),
        (
            "adapter\twarn\t5",
            "line 1: this line is in FastQC's format; expected a check and both its limits, such as 'adapter-content 5 10'",
        ),
        ("duplication\tignore\t0", "line 1: this line is in FastQC's format"),
    ] {
        let found = error(text);
        assert!(found.starts_with(expected), "{text:?}: {found}");
    }
}

#[test]
fn limits_given_take_the_place_of_the_library_s() {
    let mut rules = VerdictRules::of(Library::Any);
    rules
        .read("duplication 20 40 # ours\r\nn-share off\nn-by-position ignore\nadapter-content off 3\n")
        .expect("limits");
    let limits = |name: &str| rules.limits(Check::named(name).expect("a check"));
    assert_eq!(limits("duplication"), CheckLimits { warn: Some(20.0), fail: Some(40.0) });
    assert_eq!(limits("adapter-content"), CheckLimits { warn: None, fail: Some(3.0) });
    let off = rules.off();
    let why = |name: &str| off.iter().find(|off| off.check == name).map(|off| &off.why[..]);
    let given = Some("switched off by --limits");
    assert_eq!([why("n-share"), why("n-by-position"), why("duplication")], [given, given, None]);
    assert!(why("first-bases").is_some_and(|why| why.starts_with("primers, barcodes")));
}

/// Statistics of reads.
fn reads(text: String) -> Statistics {
    let source = Source::from_reader("reads", std::io::Cursor::new(text));
    let collector =
        Collector::collect(source, &Options::default(), || Collector::new().for_fastqc())
            .map_err(|fault| fault.error)
            .expect("FASTQ");
    collector.statistics(&Contaminants::known())
}

fn record(name: usize, bases: &str, quality: char) -> String {
    format!("@{name}\n{bases}\n+\n{}\n", quality.to_string().repeat(bases.len()))
}

/// Bases that look drawn by chance.
fn bases(seed: usize, n: usize) -> String {
    let mut state = (seed as u32).wrapping_mul(2_654_435_761) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        b"ACGT"[(state >> 11) as usize % 4] as char
    };
    (0..n).map(|_| next()).collect()
}

fn judged<'a>(found: &'a Assessment, check: &str) -> &'a Judged {
    found.checks.iter().find(|judged| judged.check == check).expect("a check that is on")
}

#[test]
fn good_reads_pass_and_each_fault_is_seen_where_it_is() {
    let good: String = (0..2000).map(|i| record(i, &bases(i, 100), 'I')).collect();
    let found = Assessment::of_reads(&reads(good), &VerdictRules::of(Library::Wgs));
    let pass = found.names(Verdict::Pass);
    assert_eq!((found.verdict, pass.len()), (Verdict::Pass, found.checks.len()), "{found:?}");

    // N at position 3, an adapter in some, one sequence often, bad last bases, and two reads without bases.
    let bad = (0..2000).map(|i| match i % 10 {
        0 => record(
            i,
            &format!("{}AGATCGGAAGAGCACACGTCTGAACTCCAGTCA{}", bases(i, 40), bases(i + 9, 27)),
            'I',
        ),
        1 => record(i, &bases(9999, 100), 'I'),
        2 | 3 => record(i, &format!("AAN{}", bases(i, 97)), 'I'),
        4 => record(i, &format!("{}{}", bases(i, 80), "G".repeat(20)), 'I'),
        _ => format!("@{i}\n{}\n+\n{}{}\n", bases(i, 100), "I".repeat(90), "*".repeat(10)),
    });
    let bad: String = bad.chain([record(2001, "", 'I'), record(2002, "", 'I')]).collect();
    let statistics = reads(bad);
    let found = Assessment::of_reads(&statistics, &VerdictRules::of(Library::Wgs));
    let says =
        |check: &str| judged(&found, check).text.split(": ").next().unwrap_or_default().to_owned();
    let verdict = |check: &str| judged(&found, check).verdict;
    assert_eq!(says("n-by-position"), "20 % of the bases at position 3 are N");
    assert_eq!(verdict("n-by-position"), Verdict::Warn);
    assert_eq!(says("lowest-position-quality"), "The lowest median quality is 9, at position 91");
    assert_eq!(verdict("lowest-position-quality"), Verdict::Fail);
    assert_eq!(
        says("adapter-content"),
        "9.99 % of the reads have the adapter 'Illumina Universal Adapter'"
    );
    assert_eq!(verdict("adapter-content"), Verdict::Warn);
    assert_eq!(says("poly-g"), "9.99 % of the reads have 12 G in a row");
    assert_eq!(verdict("poly-g"), Verdict::Warn);
    assert!(says("overrepresented-sequences").starts_with("9.99 % of the reads are "));
    assert_eq!(verdict("overrepresented-sequences"), Verdict::Fail);
    assert_eq!(says("empty-reads"), "2 reads (0.1 %) have no bases");
    assert_eq!(verdict("empty-reads"), Verdict::Warn);
    assert_eq!(found.verdict, Verdict::Fail);
    // What is expected of amplicons isn't judged, and says why.
    let found = Assessment::of_reads(&statistics, &VerdictRules::of(Library::Amplicon));
    assert!(found.checks.iter().all(|judged| judged.check != "overrepresented-sequences"));
    assert!(
        found
            .off
            .iter()
            .any(|off| off.check == "overrepresented-sequences" && off.why.contains("amplicons"))
    );
    // Nothing of alignments is among them.
    assert!(found.off.iter().all(|off| off.check != "insert-size"));
}

#[test]
fn what_is_not_known_is_not_measured() {
    let found = Assessment::of_reads(&reads(String::new()), &VerdictRules::of(Library::Wgs));
    assert_eq!(found.names(Verdict::Fail), ["number-of-reads"]);
    assert_eq!(found.names(Verdict::NotMeasured).len(), found.checks.len() - 1);
    let few: String = (0..3).map(|i| record(i, &bases(i, 50), 'I')).collect();
    let found = Assessment::of_reads(&reads(few), &VerdictRules::of(Library::Wgs));
    // Three reads are a third of all each, and no chance is made a verdict.
    assert_eq!(found.names(Verdict::Fail), [""; 0], "{found:?}");
    assert_eq!(
        judged(&found, "gc-deviation").text,
        "Not measured: fewer than 1,000 reads are too few for a curve."
    );
}

/// Figures of alignments.
fn aligned(sam: &str) -> Figures {
    let options = Options::default();
    let opened = InputOptions { io: &options, reference: None, detail: Detail::Full };
    let source = Source::from_reader("x.sam", std::io::Cursor::new(sam.to_owned()));
    let input = Input::open(source, &opened).expect("SAM");
    let counted = alignments::Statistics::collect(input.source, &options);
    Figures::from(&counted.map_err(|fault| fault.error).expect("records"))
}

#[test]
fn alignments_are_judged_with_their_reads() {
    let mut sam = "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:c\tLN:10\n".to_owned();
    // Half of the positions are 20 deep: half of that lies at or below the mean of 10.
    for i in 0..20 {
        sam += &format!("r{i}\t99\tc\t1\t60\t5M\t=\t1\t5\tACGTA\tIIIII\tNM:i:{}\n", i % 2);
    }
    for i in 0..20 {
        sam += &format!("r{i}\t141\t*\t0\t0\t*\t*\t0\t0\tNNGTA\t+++++\n");
    }
    let found = Assessment::of_alignments(&aligned(&sam), &VerdictRules::of(Library::Wgs));
    let value = |check: &str| judged(&found, check).value;
    assert_eq!(value("number-of-reads"), Some(40.0));
    assert_eq!(value("mapped-share"), Some(50.0));
    assert_eq!(value("error-rate"), Some(10.0));
    assert_eq!(value("coverage-evenness"), Some(50.0));
    assert_eq!(value("covered-share"), Some(50.0));
    assert_eq!(value("n-share"), Some(40.0));
    assert_eq!(
        judged(&found, "mean-quality").text.split(':').next(),
        Some("The mean quality of the bases is 10 (last reads)")
    );
    assert_eq!(judged(&found, "marked-duplicates").verdict, Verdict::NotMeasured);
    assert_eq!(judged(&found, "coverage-evenness").verdict, Verdict::Warn);
    assert!(found.checks.iter().all(|judged| judged.check != "adapter-content"));
    assert!(found.off.iter().any(|off| off.check == "mean-depth"));
    // Reads that aren't aligned are no bad alignments.
    let found = Assessment::of_alignments(
        &aligned("@HD\tVN:1.6\nr\t4\t*\t0\t0\t*\t*\t0\t0\tACGTA\tIIIII\n"),
        &VerdictRules::of(Library::Any),
    );
    assert_eq!(judged(&found, "mapped-share").verdict, Verdict::NotMeasured);
}
