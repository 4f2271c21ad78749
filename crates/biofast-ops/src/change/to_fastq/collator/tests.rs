use super::*;
use proptest::prelude::*;

/// What comes out of reads given as name and part, as text.
fn collate(reads: &[(u16, bool)], most: usize) -> io::Result<Vec<String>> {
    let folder = std::env::temp_dir();
    let mut collator = Collator::new(most, &folder);
    let mut out = Vec::new();
    let mut take = |found: Found<'_>| {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        out.push(match found {
            Found::Pair(one, two) => format!("{} {}", text(one), text(two)),
            Found::Single(part, one) => format!("{part:?} {}", text(one)),
            Found::Repeated => "repeated".into(),
        });
        Ok::<(), io::Error>(())
    };
    for (name, is_second) in reads {
        let text = format!("{name}.{}", u8::from(*is_second));
        let name = format!("n{name}");
        let part = if *is_second { Part::Second } else { Part::First };
        let (name, text) = (name.as_bytes(), text.as_bytes());
        collator.add(Arrival { name, text, part, has_qualities: true }, &mut take)?;
    }
    collator.finish(&mut take)?;
    Ok(out)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn memory_changes_only_the_order(
        names in prop::collection::hash_set(any::<u16>(), 0..300),
        seed in any::<u64>(),
        most in prop_oneof![Just(0usize), Just(3000), Just(20_000)],
    ) {
        // Most names twice, in an order far from theirs.
        let mut reads: Vec<(u16, bool)> = names
            .iter()
            .flat_map(|&n| [(n, n % 3 == 0), (n, n % 3 != 0)])
            .filter(|&(n, second)| !(second && n % 7 == 0))
            .collect();
        reads.sort_by_key(|&(n, second)| (u64::from(n) * 2 + u64::from(second)).wrapping_mul(seed | 1));
        let mut expected: Vec<String> = names
            .iter()
            .map(|n| if n % 7 == 0 { format!("First {n}.0") } else { format!("{n}.0 {n}.1") })
            .collect();
        expected.sort();
        let found = collate(&reads, most).expect("temporary files");
        prop_assert_eq!(&found, &collate(&reads, most).expect("temporary files"));
        let mut sorted = found;
        sorted.sort();
        prop_assert_eq!(sorted, expected);
    }
}

#[test]
fn a_read_that_comes_again_is_told() {
    let found = collate(&[(1, false), (1, false), (1, true)], 1 << 20).expect("no files");
    assert_eq!(found, ["repeated", "1.0 1.1"]);
}

#[test]
fn nothing_is_left_in_the_folder() {
    let folder = std::env::temp_dir().join(format!("biofast-collator-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let spill = |folder: &Path| {
        let mut collator = Collator::new(0, folder);
        (0..100u32).try_for_each(|n| {
            let name = n.to_string();
            let (name, text) = (name.as_bytes(), &b"x"[..]);
            let read = Arrival { name, text, part: Part::First, has_qualities: true };
            collator.add(read, &mut |_| Ok::<(), io::Error>(()))
        })
    };
    assert!(spill(&folder).is_ok());
    assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 0);
    std::fs::remove_dir(&folder).expect("an empty folder");
    assert!(spill(&folder).is_err());
}
