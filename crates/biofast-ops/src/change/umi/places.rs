//! Reads gathered until all of their place have come, and then decided about.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use biofast_bam::Header;
use biofast_io::output::Output;

use super::cluster::{Clusterer, UnequalLengths};
use super::codes::{Numbered, OddBarcodes};
use super::decisions::UmiDecisions;
use super::neighbors::UmiSet;
use super::rules::{MultimappingTag, UmiRules, UmiTask};
use super::stats::UmiStats;
use super::survey::{Candidate, MateKey, OFFSET, SurveyedReads};
use crate::{Error, Refusal};

/// Bases by which a read may begin before its position without being too late for its place.
const SPAN: i64 = 1000;

/// So many reads are gathered at least before those at complete places are decided about.
const GATHERED: usize = 1 << 16;

/// What was found at the places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UmiPlaceCounts {
    /// Places at which there are reads, by strand, template and whatever else is told apart.
    pub places: u64,
    /// Distinct UMIs of all places.
    pub umis: u64,
    /// The most distinct UMIs of a place.
    pub most_umis: u64,
    /// Groups of UMIs of all places.
    pub groups: u64,
    /// Reads that begin so far before their position that their place was decided about already: they were grouped by themselves.
    pub late: u64,
}

/// Gathers reads in the order of the input, and decides about them.
pub(super) struct PlaceGatherer<'a> {
    input: &'a str,
    header: &'a Header,
    rules: &'a UmiRules,
    task: UmiTask,
    odd: OddBarcodes,
    genes: Numbered,
    waiting: Vec<Candidate>,
    names: Vec<u8>,
    /// The reference sequence of those that wait.
    reference: i32,
    /// All places up to this one were decided about.
    decided: i64,
    /// The place of the last record.
    last: u64,
    /// How many may wait before it is looked which are complete.
    most: usize,
    clusterer: Clusterer,
    set: UmiSet,
    /// Where the reads of each UMI of a place are, the UMIs in the order of their first reads.
    runs: Vec<std::ops::Range<usize>>,
    decisions: UmiDecisions,
    counts: UmiPlaceCounts,
    stats: Option<UmiStats>,
    rows: Option<&'a mut Output>,
    text: Vec<u8>,
}

impl<'a> PlaceGatherer<'a> {
    pub(super) fn new(
        (input, header): (&'a str, &'a Header),
        rules: &'a UmiRules,
        task: UmiTask,
        has_stats: bool,
        rows: Option<&'a mut Output>,
    ) -> PlaceGatherer<'a> {
        PlaceGatherer {
            input,
            header,
            rules,
            task,
            odd: OddBarcodes::default(),
            genes: Numbered::default(),
            waiting: Vec::new(),
            names: Vec::new(),
            reference: -1,
            decided: i64::MIN,
            last: 0,
            most: GATHERED,
            clusterer: Clusterer::new(rules.method, rules.threshold),
            set: UmiSet::default(),
            runs: Vec::new(),
            decisions: UmiDecisions::default(),
            counts: UmiPlaceCounts::default(),
            stats: has_stats.then(UmiStats::default),
            rows,
            text: Vec::new(),
        }
    }

    /// Takes what was found in the next batch, and leaves it empty.
    pub(super) fn take(&mut self, found: &mut SurveyedReads) -> Result<(), Error> {
        found.check_order(&mut self.last).map_err(|error| {
            Error::Alignments(error.in_input(&self.input.into()).naming(self.header))
        })?;
        self.decisions.add_plain(&found.plain);
        let mut start = 0;
        for (end, reference, position) in std::mem::take(&mut found.runs) {
            if reference != self.reference {
                self.decide(None)?;
                (self.reference, self.decided) = (reference, i64::MIN);
            }
            for candidate in &found.candidates[start..end] {
                let mut candidate = *candidate;
                candidate.umi = self.odd.adopt(candidate.umi, &found.odd);
                if self.rules.per_cell {
                    candidate.cell = self.odd.adopt(candidate.cell, &found.odd);
                }
                if self.rules.gene.is_some() {
                    let gene = &found.genes.texts[candidate.position as usize];
                    candidate.position = self.genes.number(gene);
                } else if i64::from(candidate.position) <= self.decided {
                    self.counts.late += 1;
                }
                if self.rows.is_some() {
                    let name = name_at(&found.names, candidate.mate.place);
                    candidate.mate.place = keep_name(&mut self.names, name);
                }
                self.waiting.push(candidate);
            }
            start = end;
            if self.waiting.len() >= self.most
                && self.rules.gene.is_none()
                && !self.rules.whole_contig
            {
                self.decide(Some(i64::from(position) - SPAN + OFFSET))?;
            }
        }
        found.clear();
        Ok(())
    }

    /// Decides about all that wait, when no more come.
    pub(super) fn finish(&mut self) -> Result<(), Error> {
        self.decide(None)?;
        self.write_rows(0)
    }

    /// What was found, with the barcodes that aren't packed.
    pub(super) fn into_parts(
        mut self,
    ) -> (UmiDecisions, OddBarcodes, UmiPlaceCounts, Option<UmiStats>) {
        self.decisions.complete();
        (self.decisions, self.odd, self.counts, self.stats)
    }

    /// Decides about what waits at places up to `horizon`, or all.
    fn decide(&mut self, horizon: Option<i64>) -> Result<(), Error> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let genes = self.rules.gene.is_some().then(|| self.rank_genes());
        let mut waiting = std::mem::take(&mut self.waiting);
        let odd = &self.odd;
        waiting.sort_unstable_by(|one, other| {
            compare_places(one, other, odd)
                .then_with(|| (one.umi, one.record).cmp(&(other.umi, other.record)))
        });
        let end = match horizon {
            None => waiting.len(),
            Some(horizon) => waiting.partition_point(|c| i64::from(c.position) <= horizon),
        };
        let mut rest = &waiting[..end];
        while let Some(first) = rest.first() {
            let is_there = |other: &&Candidate| compare_places(first, other, &self.odd).is_eq();
            let (place, others) = rest.split_at(rest.iter().take_while(is_there).count());
            decide_place(self, place, genes.as_deref())?;
            rest = others;
        }
        if let Some(horizon) = horizon {
            self.decided = self.decided.max(horizon);
        }
        waiting.drain(..end);
        if self.rows.is_some() {
            let names = std::mem::take(&mut self.names);
            for candidate in &mut waiting {
                let name = name_at(&names, candidate.mate.place);
                candidate.mate.place = keep_name(&mut self.names, name);
            }
        }
        self.most = GATHERED.max(2 * waiting.len());
        // What one deep place took isn't needed for those behind it.
        if waiting.capacity() > 4 * self.most {
            waiting.shrink_to(2 * self.most);
        }
        self.waiting = waiting;
        Ok(())
    }

    /// Gives genes numbers in their order. Returns them.
    fn rank_genes(&mut self) -> Vec<Box<[u8]>> {
        let genes = std::mem::take(&mut self.genes).texts;
        let mut order: BTreeMap<&[u8], u32> = genes.iter().map(|gene| (&gene[..], 0)).collect();
        order.values_mut().zip(0..).for_each(|(rank, number)| *rank = number);
        for candidate in &mut self.waiting {
            candidate.position = order[&genes[candidate.position as usize][..]];
        }
        order.into_keys().map(Box::from).collect()
    }

    /// Writes the rows of groups if there are more bytes of them.
    fn write_rows(&mut self, than: usize) -> Result<(), Error> {
        if let Some(rows) = self.rows.as_deref_mut().filter(|_| self.text.len() > than) {
            rows.append(&self.text)?;
            self.text.clear();
        }
        Ok(())
    }

    /// The error of UMIs that can't be compared.
    fn unequal(&self, UnequalLengths(one, other): UnequalLengths, place: &Candidate) -> Error {
        let contig = self.header.reference_name(self.reference).unwrap_or_default();
        let contig = String::from_utf8_lossy(contig).into_owned();
        let position = match self.rules.gene {
            Some(_) => None,
            None => Some(i64::from(place.position) - OFFSET + 1),
        };
        let lengths = [one, other];
        Refusal::UnequalUmis { input: self.input.into(), contig, position, lengths }.into()
    }
}

/// The order of places.
fn compare_places(one: &Candidate, other: &Candidate, odd: &OddBarcodes) -> Ordering {
    let key = |candidate: &Candidate| {
        let Candidate { position, is_reverse, splice, template_len, len, .. } = *candidate;
        (position, is_reverse, splice, template_len, len)
    };
    key(one).cmp(&key(other)).then_with(|| odd.compare(one.cell, other.cell))
}

fn name_at(names: &[u8], at: u64) -> &[u8] {
    let at = at as usize;
    let len = usize::from(names[at]);
    &names[at + 1..][..len]
}

fn keep_name(names: &mut Vec<u8>, name: &[u8]) -> u64 {
    let at = names.len() as u64;
    names.push(name.len() as u8);
    names.extend_from_slice(name);
    at
}

/// Decides about the reads of a place, which are in order of their UMIs.
fn decide_place(
    of: &mut PlaceGatherer<'_>,
    reads: &[Candidate],
    genes: Option<&[Box<[u8]>]>,
) -> Result<(), Error> {
    let runs = &mut of.runs;
    runs.clear();
    let mut start = 0;
    for run in reads.chunk_by(|one, other| one.umi == other.umi) {
        runs.push(start..start + run.len());
        start += run.len();
    }
    // umi_tools has UMIs in the order in which they come.
    runs.sort_unstable_by_key(|run| reads[run.start].record);
    of.set.clear();
    of.set.numbers.extend(runs.iter().map(|run| reads[run.start].umi));
    of.set.counts.extend(runs.iter().map(|run| run.len() as u64));
    let clustered = of.clusterer.cluster(&mut of.set, &of.odd);
    if let Err(unequal) = clustered {
        return Err(of.unequal(unequal, &reads[0]));
    }
    let umis = of.set.numbers.len() as u64;
    of.counts.places += 1;
    of.counts.umis += umis;
    of.counts.most_umis = of.counts.most_umis.max(umis);
    for group in of.clusterer.groups() {
        let number = of.counts.groups;
        of.counts.groups += 1;
        let Some(&lead) = group.first() else { continue };
        let lead = lead as usize;
        match of.task {
            UmiTask::Dedup => {
                let run = &reads[of.runs[lead].clone()];
                if let Some(kept) = best_read(run, of.rules.multimapping) {
                    of.decisions.keep(kept.record);
                    if kept.mate != MateKey::NONE {
                        of.decisions.keep_mate(kept.mate);
                    }
                }
            }
            UmiTask::Group => {
                of.decisions.begin_group(of.set.numbers[lead]);
                for index in group {
                    for read in &reads[of.runs[*index as usize].clone()] {
                        of.decisions.add_to_group(read.record);
                    }
                }
            }
        }
        if of.rows.is_some() {
            let total: u64 = group.iter().map(|index| of.set.counts[*index as usize]).sum();
            for &index in group {
                for read in &reads[of.runs[index as usize].clone()] {
                    let out = &mut of.text;
                    out.extend_from_slice(name_at(&of.names, read.mate.place));
                    out.push(b'\t');
                    let contig = of.header.reference_name(of.reference);
                    out.extend_from_slice(contig.unwrap_or_default());
                    let gene = genes.and_then(|genes| genes.get(read.position as usize));
                    let position = read.mate.hash as i64 - OFFSET;
                    out.extend_from_slice(format!("\t{position}\t").as_bytes());
                    out.extend_from_slice(gene.map_or(b"NA", |gene| &gene[..]));
                    out.push(b'\t');
                    of.odd.append(read.umi, out);
                    let count = of.set.counts[index as usize];
                    out.extend_from_slice(format!("\t{count}\t").as_bytes());
                    of.odd.append(of.set.numbers[lead], out);
                    out.extend_from_slice(format!("\t{total}\t{number}\n").as_bytes());
                }
            }
        }
    }
    if let Some(stats) = &mut of.stats {
        stats.add(&of.set, of.clusterer.groups(), &of.odd);
    }
    of.write_rows(1 << 16)
}

/// The read that is kept of those with the same UMI, in the order of the input.
///
/// Of several that are as good umi_tools takes one by chance, but never the first of them unless it stands alone. Here it is the second.
fn best_read(reads: &[Candidate], tag: Option<MultimappingTag>) -> Option<&Candidate> {
    let (mut best, rest) = reads.split_first()?;
    let mut ties = 0;
    for read in rest {
        match read.mapping_quality.cmp(&best.mapping_quality) {
            Ordering::Less => continue,
            Ordering::Greater => {
                (best, ties) = (read, 0);
                continue;
            }
            Ordering::Equal => {}
        }
        match (tag, read.multimapping.cmp(&best.multimapping)) {
            (None, _) => {}
            (Some(MultimappingTag::Xt), _) if best.multimapping == 0 => continue,
            (Some(_), Ordering::Greater) => continue,
            (Some(_), Ordering::Less) => (best, ties) = (read, 0),
            (Some(_), Ordering::Equal) => {}
        }
        ties += 1;
        if ties == 1 {
            best = read;
        }
    }
    Some(best)
}
