//! Words of five bases that are more frequent than their bases let expect: `filter --html` beside fastp's report, which
//! counts them.

use super::chart::{Chart, Mark};
use super::scale::Axis;
use crate::number::{decimal, grouped};
use biofast_ops::filter::fastp::{FastpReport, Stats};

/// As many words are shown.
const SHOWN: usize = 10;
/// Words that are expected less often may be frequent by chance.
const LEAST_EXPECTED: f64 = 10.0;

/// A section with a chart for each mate; nothing of reads too few to tell.
pub(super) fn section(report: &FastpReport) -> String {
    let charts: String = report
        .mates()
        .into_iter()
        .filter_map(|(number, before, after)| chart(number, before, after))
        .collect();
    match charts.as_str() {
        "" => charts,
        charts => {
            format!("<h2>Words of five bases</h2>\n<div class=\"charts\">\n{charts}</div>\n")
        }
    }
}

/// How often a word comes, by the number that stands for it, among all of its set.
struct Counts<'a> {
    words: &'a [u64],
    all: u64,
    /// The share of each base.
    shares: [f64; 4],
}

impl<'a> Counts<'a> {
    fn new(words: &'a [u64]) -> Counts<'a> {
        let all: u64 = words.iter().sum();
        let mut bases = [0; 4];
        for (word, n) in words.iter().enumerate() {
            bases[word & 3] += n;
        }
        Counts { words, all, shares: bases.map(|n| n as f64 / all.max(1) as f64) }
    }

    /// How often the word would come if bases followed one another by chance.
    fn expected(&self, word: usize) -> f64 {
        let chance: f64 = (0..Stats::WORD).map(|i| self.shares[word >> (2 * i) & 3]).product();
        chance * self.all as f64
    }

    /// How often it comes for each time it is expected; 0 if it never is.
    fn times(&self, word: usize) -> f64 {
        match self.expected(word) {
            0.0 => 0.0,
            expected => self.words[word] as f64 / expected,
        }
    }
}

fn chart(number: usize, before: &Stats, after: Option<&Stats>) -> Option<String> {
    let counts = Counts::new(before.words());
    let after = after.map(|after| Counts::new(after.words()));
    let mut frequent: Vec<usize> =
        (0..counts.words.len()).filter(|&word| counts.expected(word) >= LEAST_EXPECTED).collect();
    // Of equally frequent ones the first in the order of the report.
    frequent.sort_by(|&a, &b| counts.times(b).total_cmp(&counts.times(a)));
    frequent.truncate(SHOWN);
    let most = *frequent.first()?;
    let highest = frequent
        .iter()
        .map(|&word| counts.times(word).max(after.as_ref().map_or(0.0, |after| after.times(word))));
    let x = Axis::new("Word", -0.5, frequent.len() as f64 - 0.5);
    let y = Axis::up_to("Times as often as expected", highest.fold(1.0, f64::max));
    let title = match number {
        0 => "Frequent words of reads",
        1 => "Frequent words of first reads",
        _ => "Frequent words of second reads",
    };
    let mut chart = Chart::new(format!("words{number}"), title, x, y);
    let places = || (0u32..).map(f64::from).zip(frequent.iter().copied());
    chart.x_ticks(places().map(|(at, word)| (at, Stats::letters(word))).collect());
    chart.rule(1.0, "");
    let half = if after.is_some() { 0.0 } else { 0.4 };
    chart.bars("f7", places().map(|(at, word)| (at - 0.4, at + half, counts.times(word))));
    chart.key(Mark::Area, "f7", "before");
    let mut columns = vec!["Word", "Before", "Times as often as expected"];
    if let Some(after) = &after {
        chart.bars("f1", places().map(|(at, word)| (at, at + 0.4, after.times(word))));
        chart.key(Mark::Area, "f1", "after");
        columns.extend(["After", "Times as often as expected, after"]);
    }
    let mut rows = Vec::new();
    for (at, word) in places() {
        let mut row = vec![Stats::letters(word)];
        for counts in [Some(&counts), after.as_ref()].into_iter().flatten() {
            row.extend([grouped(counts.words[word]), decimal(counts.times(word), 2)]);
        }
        chart.at(at);
        rows.push(row);
    }
    chart.table(&columns, rows);
    let said = format!(
        "{} is {} times as frequent as its bases would let expect. Adapters and repeats make words frequent; those of one base are \
         frequent in most genomes.",
        Stats::letters(most),
        decimal(counts.times(most), 2)
    );
    Some(chart.finish_on_top(&said))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_measured_by_the_shares_of_their_bases() {
        let mut words = vec![0; 1024];
        // AAAAA, and CCCCC three times as often.
        (words[0], words[0b10_1010_1010]) = (100, 300);
        let counts = Counts::new(&words);
        assert_eq!((counts.all, counts.shares), (400, [0.25, 0.0, 0.75, 0.0]));
        assert_eq!(counts.expected(0), 400.0 / 1024.0);
        assert_eq!(counts.times(0), 256.0);
        // Of no T, no word with one is expected.
        assert_eq!(counts.times(1), 0.0);
    }
}
