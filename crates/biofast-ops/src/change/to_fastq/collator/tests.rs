use super::*;
use proptest::prelude::*;

/// What comes out of reads given as name and part, as text.
fn collate(reads: &[(u16, bool)], most: usize) -> io::Result<Vec<String>> {
    let folder = std::env::temp_dir();
    let mut collator = Collator::new(most, &folder);
    let mut out = Vec::new();
    let mut take = |found: CollatedRead<'_>| {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        out.push(match found {
            CollatedRead::Pair(one, two) => format!("{} {}", text(one), text(two)),
            CollatedRead::Single(part, one) => format!("{part:?} {}", text(one)),
            CollatedRead::Repeated => "repeated".into(),
        });
        Ok::<(), io::Error>(())
    };
    for (name, is_second) in reads {
        let text = format!("{name}.{}", u8::from(*is_second));
        let name = format!("n{name}");
        let part = if *is_second { TemplateSegment::Second } else { TemplateSegment::First };
        let (name, text) = (name.as_bytes(), text.as_bytes());
        let arrival = ReadArrival { name, text, part, has_qualities: true, is_primary: true };
        collator.add(arrival, &mut take)?;
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
fn a_pair_that_is_there_twice_comes_out_twice_in_whatever_order() {
    let (first, second) = ((1, false), (1, true));
    let others: Vec<(u16, bool)> = (2..40).map(|name| (name, false)).collect();
    for order in [
        [first, first, second, second],
        [first, second, second, first],
        [second, first, first, second],
        [second, second, first, first],
    ] {
        for most in [0, 1 << 20] {
            let reads = [&order[..2], &others, &order[2..]].concat();
            let found = collate(&reads, most).expect("temporary files");
            let pairs = found.iter().filter(|text| *text == "1.0 1.1").count();
            assert_eq!((pairs, found.len()), (2, 40), "{order:?} {most}: {found:?}");
        }
    }
}

#[test]
fn other_records_of_a_read_that_waits_are_left_out() -> io::Result<()> {
    let folder = std::env::temp_dir();
    // Text, whether it has qualities, whether it is primary; and which of them is written.
    type Record = (&'static [u8], bool, bool);
    let cases: [([Record; 2], &[u8]); 5] = [
        ([(b"primary", true, true), (b"other", true, false)], b"primary"),
        ([(b"other", true, false), (b"primary", true, true)], b"primary"),
        ([(b"other", false, false), (b"primary", false, true)], b"primary"),
        ([(b"primary", false, true), (b"other", true, false)], b"other"),
        ([(b"one", true, false), (b"two", true, false)], b"one"),
    ];
    for (records, expected) in cases {
        let mut collator = Collator::new(1 << 20, &folder);
        let mut out = Vec::new();
        let mut take = |found: CollatedRead<'_>| {
            out.push(match found {
                CollatedRead::Pair(first, _) => first.to_vec(),
                CollatedRead::Single(..) => b"single".to_vec(),
                CollatedRead::Repeated => b"repeated".to_vec(),
            });
            Ok::<(), io::Error>(())
        };
        let name = b"n";
        for (text, has_qualities, is_primary) in records {
            let part = TemplateSegment::First;
            let arrival = ReadArrival { name, text, part, has_qualities, is_primary };
            collator.add(arrival, &mut take)?;
        }
        let part = TemplateSegment::Second;
        let arrival = ReadArrival { name, text: b"", part, has_qualities: true, is_primary: true };
        collator.add(arrival, &mut take)?;
        collator.finish(&mut take)?;
        assert_eq!(out, [b"repeated", expected], "{records:?}");
    }
    Ok(())
}

#[test]
fn reads_of_one_name_take_no_more_memory_than_there_is() {
    let mut reads = vec![(1, false); 5000];
    reads.extend(vec![(1, true); 5000]);
    let found = collate(&reads, 50_000).expect("temporary files");
    let pairs = found.iter().filter(|text| *text == "1.0 1.1").count();
    // Some have waited too long, of both kinds the same number.
    assert!((400..600).contains(&pairs), "{pairs}");
    assert_eq!(found.iter().filter(|text| *text == "First 1.0").count(), 5000 - pairs);
    assert_eq!(found.len(), 10_000 - pairs);
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
            let part = TemplateSegment::First;
            let read = ReadArrival { name, text, part, has_qualities: true, is_primary: true };
            collator.add(read, &mut |_| Ok::<(), io::Error>(()))
        })
    };
    assert!(spill(&folder).is_ok());
    assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 0);
    std::fs::remove_dir(&folder).expect("an empty folder");
    assert!(spill(&folder).is_err());
}
