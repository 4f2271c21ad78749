//! What expressions mean, without samtools at hand; `tests/expressions.rs` compares with it.

use biofast_bam::{Fold, Input, InputOptions};
use biofast_io::{Options, Source};
use proptest::prelude::*;

use super::*;

const SAM: &str = "\
@SQ\tSN:c1\tLN:1000
@SQ\tSN:c2\tLN:1000
@RG\tID:g1\tLB:lib1
@RG\tID:g2
r1\t99\tc1\t101\t60\t2H3S4M2D1M\t=\t201\t150\tACGTACGT\tIIII+++!\tNM:i:0\tRG:Z:g1\tXF:f:0.5\tXA:A:q\tXE:Z:\tXB:B:c,1,2
r2\t4\t*\t0\t0\t*\tc2\t5\t0\t*\t*\tNM:i:300\tRG:Z:g2
r3\t0\tc2\t7\t255\t8S\t*\t0\t-9\tNNNNNNNN\t*
";

/// What the expression says of each record.
fn ask(text: &str) -> Vec<Result<bool, EvalErrorKind>> {
    let parsed = Expression::parse(text);
    answers(SAM.as_bytes(), &parsed.unwrap_or_else(|error| panic!("{text}: {error}")))
}

fn answers(input: &[u8], expression: &Expression) -> Vec<Result<bool, EvalErrorKind>> {
    let options = Options { threads: 1, ..Options::default() };
    let opening = InputOptions { io: &options, reference: None, detail: Default::default() };
    let source = Source::from_reader("x", std::io::Cursor::new(input.to_vec()));
    let (_, answers) = Fold::new(Input::open(source, &opening).expect("SAM").source)
        .options(&options)
        .run(
            Vec::new,
            |answers, batch| {
                answers.extend(batch.iter().map(|record| {
                    let answer = expression.matches(&record, batch.header());
                    answer.map_err(|error| error.kind().clone())
                }));
            },
            |answers, others| answers.extend(others),
        )
        .map_err(|fault| fault.error)
        .expect("records");
    answers
}

/// The numbers of the records for which it holds; all must have an answer.
fn kept(text: &str) -> Vec<usize> {
    let answers = ask(text).into_iter().enumerate();
    answers.filter(|(_, answer)| *answer.as_ref().expect(text)).map(|(n, _)| n + 1).collect()
}

fn holds(text: &str) -> bool {
    !kept(text).is_empty()
}

#[test]
fn precedence_is_that_of_samtools() {
    for text in [
        "1 + 2 * 3 == 7 && 10 / 4 == 2.5 && 7.9 % 5 == 2 && 8 - 3 - 2 == 3 && 8 / 4 / 2 == 1",
        // Bit operators bind more strongly than comparisons, & most of them.
        "(6 & 3 == 2) == 1",
        "(1 | 6 ^ 2 & 3) == 5 && (4 + 1 & 1 + 2) == 1",
        // && and || bind alike, from left to right.
        "!(1 || 0 && 0)",
        "(0 && 0 || 1)",
        // Comparisons from right to left, order before equality.
        "(3 > 2 > 1) == 1 && ((3 > 2) > 1) == 0",
        "(1 == 2 == 0) == 0 && ((1 == 2) == 0) == 1",
        "2 < 3 == 1",
        // Unary operators bind most strongly.
        "-2 + 3 == 1 && ~5 & 7 == 2 && !0 + 1 == 2 && !-5 == 0 && - -2 == 2",
        "0x1F == 31 && 010 == 10 && .5 + 1.5e1 == 15.5 && 1E+2 == 100",
        r#""a\"\\b" == "a\"\\b" && length("\t\q") == 3"#,
    ] {
        assert!(holds(text), "{text}");
    }
}

#[test]
fn variables() {
    for (text, expected) in [
        ("pos == 101 && endpos == 107 && rlen == 7 && qlen == 8 && ncigar == 5", vec![1]),
        ("sclen == 3 && hclen == 2 && cigar == \"2H3S4M2D1M\"", vec![1]),
        ("sclen == 8 && rlen == 0 && endpos == 7 && tlen == -9", vec![3]),
        ("cigar == \"*\" && seq == \"\" && length(qual) == 0 && qlen == 0", vec![2]),
        ("flag == 99 && flag.paired && flag.proper_pair == 2 && flag.mreverse == 32", vec![1]),
        ("flag.unmap", vec![2]),
        ("refid == -1 && rname == \"*\" && mrefid == 1 && mrname == \"c2\"", vec![2]),
        ("pnext == 201 && mpos == 201 && rnext == \"c1\" && refid == 0", vec![1]),
        ("library == \"lib1\"", vec![1]),
        ("library == \"\"", vec![2, 3]),
        ("mapq < 255 && qname >= \"r2\"", vec![2]),
        ("seq =~ \"^AC.*GT$\" && min(qual) == 0 && max(qual) == 40 && avg(qual) == 23.75", vec![1]),
        ("max(qual) == 255 && length(seq) == 8", vec![3]),
    ] {
        assert_eq!(kept(text), expected, "{text}");
    }
}

#[test]
fn what_is_absent_is_neither_true_nor_comparable() {
    for (text, expected) in [
        // A field that is there is true, even if it is 0 or empty.
        ("[NM]", vec![1, 2]),
        ("![NM]", vec![3]),
        ("[XE]", vec![1]),
        ("[NM] == 0", vec![1]),
        ("[NM] != 0", vec![2]),
        ("[NM] < 1 || [NM] >= 1", vec![1, 2]),
        ("!([NM] < 1)", vec![2, 3]),
        ("[NM] + 0", vec![2]),
        ("exists([NM])", vec![1, 2]),
        ("exists([NM] + 1)", vec![1, 2]),
        ("default([NM], 7) == 7", vec![3]),
        ("default([RG], [NM])", vec![1, 2]),
        // Neither matches nor doesn't.
        ("[RG] =~ \"1$\"", vec![1]),
        ("[RG] !~ \"1$\"", vec![2]),
        ("[XA] == \"q\" && [XF] == 0.5", vec![1]),
        // Functions of text take it for empty, those of numbers for 0.
        ("length([RG]) == 0", vec![3]),
        ("exp([XF]) == 1", vec![2, 3]),
        ("min([RG]) > 0", vec![1, 2]),
        // No order between text and numbers, but they differ.
        ("qname > 0 || qname < 0 || qname == 0", vec![]),
        ("qname != 0", vec![1, 2, 3]),
        // No number.
        ("log(-1) == log(-1) || 0 / 0 || nan || 5 % 0 || 5 % 0.5 || [ZZ] % 5", vec![]),
        ("!(0 / 0) && !nan && log(0) < 0 && inf > 1e308", vec![1, 2, 3]),
        // The truth of a number with a fraction.
        ("0.5 && !0.5 && !!(0.5 + 0)", vec![1, 2, 3]),
        // An array is there.
        ("[XB]", vec![1]),
        ("!exists([XB])", vec![2, 3]),
    ] {
        assert_eq!(kept(text), expected, "{text}");
    }
}

#[test]
fn what_cannot_be_computed_is_an_error_where_it_decides() {
    let answers = ask("[RG] + 1 > 3");
    assert!(matches!(answers[0], Err(EvalErrorKind::WrongType { of: "`+`", found: "text", .. })));
    assert_eq!(answers[2], Ok(false));
    assert!(ask("[XB] == 1")[0].is_err());
    assert!(ask("length([NM])")[1].is_err());
    assert!(ask("qname =~ default([NM], \"r\")")[0].is_err());
    assert_eq!(ask("mapq == 60 || [RG] + 1 > 3")[0], Ok(true));
    assert_eq!(kept("mapq != 60 && flag != 4 && [RG] + 1 > 3"), [0usize; 0]);
    // Patterns of records are compiled as they come.
    assert_eq!(kept("\"xg2\" =~ [RG] || \"g1\" =~ [RG]"), [1, 2]);
    assert!(ask("\"x\" =~ (default([ZZ], \"(\"))")[0].is_err());
}

#[test]
fn a_long_cigar_is_no_optional_field() {
    let ops = 80_000;
    let (cigar, bases) = ("1M1I".repeat(ops / 2), "A".repeat(ops));
    let sam = format!("@SQ\tSN:c\tLN:90000\nr\t0\tc\t1\t9\t{cigar}\t*\t0\t0\t{bases}\t*\n");
    let text = "ncigar == 80000 && rlen == 40000 && length(cigar) == 160000 && ![CG] && sclen == 0";
    let expression = text.parse().expect("an expression");
    assert_eq!(answers(sam.as_bytes(), &expression), [Ok(true)]);
}

#[test]
fn optional_fields_that_cannot_be_read_are_an_error() {
    let record = biofast_testkit::bam::BamRecord {
        references: [-1, -1],
        mapq: 0,
        flags: 4,
        name: "r".into(),
        len: 1,
    };
    let mut record = biofast_testkit::bam::record(&record);
    record.extend(b"NMC\x05RGZg");
    let size = (record.len() - 4) as u32;
    record[..4].copy_from_slice(&size.to_le_bytes());
    let data = [biofast_testkit::bam::header(&[]), record].concat();
    for (text, expected) in [
        ("[NM] == 5", Ok(true)),
        ("[RG]", Err(EvalErrorKind::MalformedTags)),
        ("library == \"\"", Err(EvalErrorKind::MalformedTags)),
    ] {
        let expression = text.parse().expect(text);
        let bam = biofast_testkit::container::bgzf(&data, 1000);
        assert_eq!(answers(&bam, &expression), [expected], "{text}");
    }
}

#[test]
fn errors_name_the_place() {
    for (text, expected) in [
        ("", "at byte 0: expected a value, found the end of the expression"),
        ("mapq >= ", "at byte 8: expected a value, found the end of the expression"),
        ("mapq = 30", "at byte 5: expected an operator or the end, found `=` (did you mean `==`?)"),
        (
            "mapq and 1",
            "at byte 5: expected an operator or the end, found `and` (did you mean `&&`?)",
        ),
        ("(mapq", "at byte 5: expected an operator or `)`, found the end of the expression"),
        ("mapq é", "at byte 5: expected an operator or the end, found `é`"),
        ("flag.foo", "at byte 0: expected a variable or a function, found \"flag.foo\""),
        (
            "1 + \"a",
            "at byte 4: expected a closing quotation mark, found the end of the expression",
        ),
        ("[NM > 1", "at byte 1: expected two letters and `]`, as in [NM], found `N`"),
        ("pos > 0x", "at byte 6: expected a decimal or hexadecimal number, found \"0x\""),
        ("qname + 1", "at byte 6: expected a number for `+`, found text"),
        ("mapq =~ \"3\"", "at byte 5: expected text for `=~`, found a number"),
        (
            "qname =~ \"a(\"",
            "at byte 9: expected a regular expression, found one with `(` without `)`",
        ),
        ("avg(mapq)", "at byte 0: expected text for `avg`, found a number"),
        ("pow(2)", "at byte 5: expected an operator or `,`, found `)`"),
    ] {
        let error = Expression::parse(text).expect_err(text);
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn depth_is_bounded_and_length_is_not() {
    let deep = 100_000;
    for text in [
        "(".repeat(deep),
        "!".repeat(deep) + "1",
        "1==".repeat(deep) + "1",
        "1+(".repeat(deep) + "1" + &")".repeat(deep),
        "exists(".repeat(deep),
        "[XX]=~".repeat(deep) + "1",
    ] {
        let error = Expression::parse(&text).expect_err("too deep");
        assert_eq!(error.kind(), &ParseErrorKind::TooDeep);
    }
    assert!(holds(&("(".repeat(150) + "1" + &")".repeat(150))));
    assert!(holds(&("0 ||".repeat(deep) + "1")));
    assert!(holds(&format!("1{} == {}", "+1".repeat(deep), deep + 1)));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        let _ = Expression::parse(&text);
    }

    #[test]
    fn any_words_are_read_or_refused(words in prop::collection::vec(prop::sample::select(vec![
        "(", ")", "!", "~", "-", "+", "*", "/", "%", "&", "|", "^", "&&", "||", "==", "!=", "=~",
        "!~", "<", ">=", "mapq", "qname", "[NM]", "[RG]", "[", "]", "\"a\"", "\"[a\"", "\"\\", "1",
        "0x", "1e", ".", "é", ",", "default(", "pow(", "length(", "exp(", "flag.dup", " ", "\n",
    ]), 0..12)) {
        if let Ok(expression) = Expression::parse(&words.concat()) {
            // Whatever it means, asking is safe.
            prop_assert_eq!(answers(SAM.as_bytes(), &expression).len(), 3);
        }
    }
}
