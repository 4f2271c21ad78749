use biofast_io::output::{Compression, commit};
use biofast_testkit::sink::SharedBytes;
use proptest::prelude::*;

use super::*;

/// A read or pair: bases of the mates, and their quality.
type Given = (Vec<String>, u8);

/// The numbers of what is kept, found in the plainest way.
fn expected(choice: &Dedup, given: &[Given]) -> Vec<usize> {
    let plain = |mate: &str| {
        let mate = if choice.ignore_case { mate.to_uppercase() } else { mate.to_owned() };
        choice.prefix.map_or(mate.clone(), |most| mate.chars().take(most).collect())
    };
    let turned = |mate: &String| -> String {
        let turn = |base| match base {
            'A' => 'T',
            'C' => 'G',
            'G' => 'C',
            'T' => 'A',
            other => other,
        };
        mate.chars().rev().map(turn).collect()
    };
    let is_near = |one: &[String], other: &[String]| {
        let lens = |mates: &[String]| mates.iter().map(String::len).collect::<Vec<_>>();
        let letters = |mates: &[String]| mates.concat().into_bytes();
        let differ = letters(one).iter().zip(letters(other)).filter(|(a, b)| **a != *b).count();
        lens(one) == lens(other) && differ <= choice.mismatches.into()
    };
    let mut kept: Vec<(usize, Vec<String>, u64)> = Vec::new();
    for (number, (mates, quality)) in given.iter().enumerate() {
        let score = mates.iter().map(|mate| mate.len() as u64 * u64::from(*quality)).sum();
        let mates: Vec<String> = mates.iter().map(|mate| plain(mate)).collect();
        let other: Vec<String> = match mates.len() {
            1 => vec![turned(&mates[0])],
            _ => mates.iter().rev().cloned().collect(),
        };
        let is_same = |(_, one, _): &&mut (usize, Vec<String>, u64)| {
            is_near(one, &mates) || choice.either_strand && is_near(one, &other)
        };
        match kept.iter_mut().find(is_same) {
            Some(best) if choice.keep == Keep::Best && score > best.2 => {
                (best.0, best.2) = (number, score);
            }
            Some(_) => {}
            None => kept.push((number, mates, score)),
        }
    }
    let mut numbers: Vec<usize> = kept.iter().map(|kept| kept.0).collect();
    numbers.sort_unstable();
    numbers
}

/// The text of some reads, mates after each other.
fn text<'a>(given: impl IntoIterator<Item = (usize, &'a Given)>) -> String {
    let mut text = String::new();
    for (number, (mates, quality)) in given {
        for mate in mates {
            let qualities = char::from(quality + 33).to_string().repeat(mate.len());
            text += &format!("@{number}\n{mate}\n+\n{qualities}\n");
        }
    }
    text
}

fn check(choice: &Dedup, given: &[Given], memory: usize, threads: usize, as_file: bool) {
    let numbers = expected(choice, given);
    let is_kept = |(number, _): &(usize, &Given)| numbers.contains(number);
    let all = || given.iter().enumerate();
    let whole = text(all());
    let input = if as_file {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), &whole).expect("written");
        let input = RereadInput::open(file.path()).expect("opens");
        (input, Some(file))
    } else {
        (
            RereadInput::once(Source::from_reader(
                "x",
                io::Cursor::new(whole.clone().into_bytes()),
            )),
            None,
        )
    };
    let (input, _file) = input;
    let paired = given.first().is_some_and(|(mates, _)| mates.len() > 1);
    let reads = if paired { Inputs::Interleaved(input) } else { Inputs::Single(input) };
    let (kept, duplicates) = (SharedBytes::default(), SharedBytes::default());
    let output =
        |kept: &SharedBytes| vec![Output::stream("o", kept.clone(), Compression::default())];
    let outputs = DedupOutputs { kept: output(&kept), duplicates: output(&duplicates) };
    let options = || Options { threads, chunk_size: 900, ..Options::default() };
    let limits = SpillLimits { memory, folder: std::env::temp_dir() };
    let done = dedup(reads, [options(), options()], choice, &limits, outputs).expect("runs");
    commit(done.outputs, false).expect("written");
    assert_eq!(kept.take_text(), text(all().filter(is_kept)), "{choice:?} {memory}");
    assert_eq!(duplicates.take_text(), text(all().filter(|one| !is_kept(one))));
    let DedupTotals { input, kept, duplicates } = done.totals;
    let mut both = kept;
    both.iter_mut().zip(&duplicates).for_each(|(both, other)| both.add(other));
    assert_eq!(both, input);
    let total: u64 = done.levels.iter().map(|level| level.total).sum();
    assert_eq!((done.levels.distinct(), total), (numbers.len() as u64, given.len() as u64));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]
    #[test]
    fn what_is_kept_is_what_a_plain_search_keeps_in_any_memory(
        // Few letters and lengths, so that there are many of each kind.
        singles in prop::collection::vec((prop::collection::vec("[AC]{5,6}|[ACGT]{4}|[acgtN]{3}|A{20}[CN]{3}A{8}", 1), 0u8..40), 1..400),
        pairs in prop::collection::vec((prop::collection::vec("[AT]{4,5}|[AC]{3}", 2), 0u8..40), 1..300),
        options in (0u8..3, any::<bool>(), any::<bool>(), prop::option::of(1usize..6), any::<bool>()),
        run in (prop_oneof![Just(0usize), Just(6_000), Just(20_000), Just(64 << 20)], 1usize..4, any::<bool>()),
    ) {
        let (mismatches, ignore_case, either_strand, prefix, best) = options;
        for given in [&singles, &pairs] {
            let single = given[0].0.len() == 1;
            // The prefix of a reverse complement is another matter.
            let either_strand = either_strand && !(single && (prefix.is_some() || !ignore_case));
            let keep = if best && mismatches == 0 { Keep::Best } else { Keep::First };
            let mut choice = Dedup::new()
                .mismatches(mismatches)
                .ignore_case(ignore_case)
                .either_strand(either_strand)
                .keep(keep);
            if let Some(bases) = prefix {
                choice = choice.prefix(bases);
            }
            let (memory, threads, as_file) = run;
            check(&choice, given, memory, threads, as_file);
        }
    }
}

#[test]
fn an_input_that_changes_between_the_readings_is_noticed() -> io::Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("x.fq");
    std::fs::write(&path, "@a\nAC\n+\nII\n@b\nAC\n+\nII\n")?;
    let input = RereadInput::open(&path).map_err(io::Error::other)?;
    // The file that is opened again is another.
    std::fs::remove_file(&path)?;
    std::fs::write(&path, "@a\nAC\n+\nII\n@b\nAG\n+\nII\n")?;
    let output = Output::stream("o", io::sink(), Compression::default());
    let outputs = DedupOutputs { kept: vec![output], duplicates: Vec::new() };
    let limits = SpillLimits { memory: 1 << 20, folder: folder.path().to_owned() };
    let choice = Dedup::new().keep(Keep::Best);
    let result = dedup(Inputs::Single(input), Default::default(), &choice, &limits, outputs);
    let error = result.err().expect("it has changed").to_string();
    assert!(error.ends_with("x.fq: changed while it was being read"), "{error}");
    Ok(())
}
