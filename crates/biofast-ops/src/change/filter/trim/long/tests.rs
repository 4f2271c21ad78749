use biofast_testkit::random::Random;

use super::middle::MiddlePattern;

/// The fewest errors of an alignment of all of `pattern` that ends at each place of `text`.
fn plain(pattern: &[u8], text: &[u8]) -> Vec<usize> {
    let mut column: Vec<usize> = (0..=pattern.len()).collect();
    text.iter()
        .map(|base| {
            let mut diagonal = column[0];
            for (i, letter) in pattern.iter().enumerate() {
                let best = (diagonal + usize::from(letter != base))
                    .min(column[i] + 1)
                    .min(column[i + 1] + 1);
                diagonal = std::mem::replace(&mut column[i + 1], best);
            }
            column[pattern.len()]
        })
        .collect()
}

#[test]
fn adapters_are_found_inside_wherever_they_have_few_errors() {
    let mut random = Random(5);
    let mut hits = 0;
    for _ in 0..5000 {
        let len = 1 + random.below(64);
        let pattern: Vec<u8> = (0..len).map(|_| b"ACGT"[random.below(4)]).collect();
        let mut text: Vec<u8> = (0..random.below(200)).map(|_| b"ACGT"[random.below(4)]).collect();
        for _ in 0..random.below(3) {
            let at = random.below(text.len() + 1);
            text.splice(at..at, pattern.iter().copied());
            for _ in 0..random.below(6) {
                let at = random.below(text.len());
                text[at] = b"ACGTN"[random.below(5)];
            }
        }
        let errors = (len as f64 * 0.15) as usize;
        let ends = plain(&pattern, &text);
        let mut found = Vec::new();
        MiddlePattern::new(&pattern, 0.15).expect("a pattern").find_all(&text, &mut found);
        hits += found.len();
        for (said, place) in &found {
            assert_eq!(ends[place.end - 1], *said, "{place:?}");
            assert!(ends[place.end - 1] <= errors, "{place:?}");
            // The stretch itself has these errors.
            let column = plain(&pattern, &text[place.clone()]);
            assert!(place.len() + errors >= len && place.len() <= len + errors);
            assert!(column.last().is_some_and(|&found| found <= errors), "{place:?}");
        }
        for (before, &differ) in ends.iter().enumerate() {
            let near = |(_, place): &(usize, std::ops::Range<usize>)| {
                place.end.abs_diff(before + 1) <= 2 * len
            };
            assert!(differ > errors || found.iter().any(near), "{before} of {found:?}");
        }
    }
    assert!(hits > 2000, "{hits}");
}
