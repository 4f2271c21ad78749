//! UMIs of templates at one place put into molecules, by the strategies of fgbio and fgumi (0.9).

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::super::cluster::{Clusterer, UmiMethod, UnequalLengths};
use super::super::codes::OddBarcodes;
use super::super::neighbors::UmiSet;

/// How templates of one place are put into molecules by their UMIs, like `fgumi group --strategy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoleculeStrategy {
    /// Equal UMIs.
    Identity,
    /// UMIs that are connected by steps of a few mismatches.
    Edit,
    /// The same, where steps lead only to UMIs with at most half the templates, and one.
    Adjacency,
    /// Adjacency of UMIs of two halves, of which each stands at an end of the molecule: both strands are one molecule.
    Paired,
}

/// The molecule of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Molecule {
    pub(super) number: u64,
    pub(super) strand: MoleculeStrand,
}

/// From which strand of a molecule a template is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum MoleculeStrand {
    /// That isn't known.
    Any,
    A,
    B,
}

/// The UMI of a template.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct TemplateUmi {
    /// In upper case.
    pub(super) text: Vec<u8>,
    /// Whether its first read lies before the second.
    pub(super) is_forward: bool,
}

/// Why templates can't be put into molecules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AssignFault {
    /// UMIs that would have to be compared have several lengths.
    Unequal(UnequalLengths),
    /// The UMI of the template of this index doesn't have two halves.
    NotPaired(usize),
}

/// The longest UMI, or half of a pair of them, that is compared.
const LONGEST: usize = 32;

/// Puts templates into molecules, in memory that is used again.
pub(super) struct MoleculeAssigner {
    strategy: MoleculeStrategy,
    edits: usize,
    min_len: Option<usize>,
    clusterer: Clusterer,
    set: UmiSet,
}

impl MoleculeAssigner {
    pub(super) fn new(
        strategy: MoleculeStrategy,
        edits: usize,
        min_len: Option<usize>,
    ) -> MoleculeAssigner {
        let (method, most): (_, fn(u64) -> u64) = match strategy {
            MoleculeStrategy::Identity | MoleculeStrategy::Edit => {
                (UmiMethod::Cluster, |_| u64::MAX)
            }
            _ => (UmiMethod::Directional, |count| count / 2 + 1),
        };
        let clusterer = Clusterer::with_steps(method, edits, most);
        MoleculeAssigner { strategy, edits, min_len, clusterer, set: UmiSet::default() }
    }

    /// The molecule of each template. Numbers begin with `next`, which becomes the first that wasn't used.
    ///
    /// # Errors
    /// If UMIs can't be compared.
    pub(super) fn assign(
        &mut self,
        umis: &mut [TemplateUmi],
        next: &mut u64,
    ) -> Result<Vec<Molecule>, AssignFault> {
        let Some(min_len) = self.min_len else { return self.assign_all(umis, next) };
        umis.iter_mut().for_each(|umi| umi.text.retain(|byte| b"ACGT".contains(byte)));
        let truncate = |umis: &mut [&mut TemplateUmi]| {
            let shortest = umis.iter().map(|umi| umi.text.len()).min().unwrap_or(0);
            umis.iter_mut().for_each(|umi| umi.text.truncate(shortest));
        };
        if self.strategy != MoleculeStrategy::Identity && self.edits > 0 {
            truncate(&mut umis.iter_mut().collect::<Vec<_>>());
            return self.assign_all(umis, next);
        }
        // Those that begin alike are made equally long.
        let mut order: Vec<usize> = (0..umis.len()).collect();
        order.sort_by(|one, other| umis[*one].text[..min_len].cmp(&umis[*other].text[..min_len]));
        let mut molecules = vec![Molecule { number: 0, strand: MoleculeStrand::Any }; umis.len()];
        let is_equal =
            |one: &usize, other: &usize| umis[*one].text[..min_len] == umis[*other].text[..min_len];
        let ends: Vec<usize> = order.chunk_by(is_equal).map(<[usize]>::len).collect();
        let mut start = 0;
        for len in ends {
            let indexes = &order[start..start + len];
            let mut split: Vec<TemplateUmi> =
                indexes.iter().map(|index| umis[*index].clone()).collect();
            truncate(&mut split.iter_mut().collect::<Vec<_>>());
            let found = self.assign_all(&split, next)?;
            indexes.iter().zip(found).for_each(|(index, molecule)| molecules[*index] = molecule);
            start += len;
        }
        Ok(molecules)
    }

    fn assign_all(
        &mut self,
        umis: &[TemplateUmi],
        next: &mut u64,
    ) -> Result<Vec<Molecule>, AssignFault> {
        match self.strategy {
            MoleculeStrategy::Identity => Ok(identity(umis, next)),
            MoleculeStrategy::Edit => self.edit(umis, next),
            MoleculeStrategy::Adjacency => self.adjacency(umis, next),
            MoleculeStrategy::Paired => self.paired(umis, next),
        }
    }

    fn edit(&mut self, umis: &[TemplateUmi], next: &mut u64) -> Result<Vec<Molecule>, AssignFault> {
        let distinct = Distinct::of(umis, |umi| is_comparable(&umi.text).then(|| umi.text.clone()));
        check_lengths(distinct.texts.iter().map(|text| bases(text)))?;
        // Dashes are compared, too: UMIs with more of them have nothing to do with the others.
        let mut by_len: Vec<usize> = (0..distinct.texts.len()).collect();
        by_len.sort_by_key(|index| distinct.texts[*index].len());
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let is_equal = |a: &usize, b: &usize| distinct.texts[*a].len() == distinct.texts[*b].len();
        for class in by_len.chunk_by(is_equal) {
            let found = self.cluster(class.iter().map(|index| (&distinct.texts[*index], 1)))?;
            groups.extend(found.iter().map(|g| g.iter().map(|index| class[*index]).collect()));
        }
        groups.sort_by_key(|group| group.iter().min().copied());
        let mut numbers = vec![0; distinct.texts.len()];
        for group in &groups {
            group.iter().for_each(|index| numbers[*index] = *next);
            *next += 1;
        }
        let of = |index: usize, _: &TemplateUmi| (numbers[index], MoleculeStrand::Any);
        Ok(distinct.molecules(umis, next, of))
    }

    fn adjacency(
        &mut self,
        umis: &[TemplateUmi],
        next: &mut u64,
    ) -> Result<Vec<Molecule>, AssignFault> {
        // Of UMIs that are equal without dashes, the first is the name.
        let mut firsts: HashMap<Vec<u8>, &[u8]> = HashMap::new();
        let distinct = Distinct::of(umis, |umi| {
            let text = &umi.text;
            if !is_comparable(text) {
                return None;
            }
            let stripped: Vec<u8> = text.iter().copied().filter(|byte| *byte != b'-').collect();
            if stripped.len() != text.len() {
                firsts.entry(stripped.clone()).or_insert(text);
            }
            Some(stripped)
        });
        if distinct.texts.len() > 1 {
            check_lengths(distinct.texts.iter().map(Vec::len))?;
        }
        let name = |index: usize| -> &[u8] {
            let text = &distinct.texts[index];
            firsts.get(text).copied().unwrap_or(text)
        };
        let mut order: Vec<usize> = (0..distinct.texts.len()).collect();
        order.sort_by(|one, other| name(*one).cmp(name(*other)));
        let counted = order.iter().map(|index| (&distinct.texts[*index], distinct.counts[*index]));
        let groups = self.cluster(counted)?;
        let mut numbers = vec![0; distinct.texts.len()];
        for group in &groups {
            group.iter().for_each(|index| numbers[order[*index]] = *next);
            *next += 1;
        }
        let of = |index: usize, _: &TemplateUmi| (numbers[index], MoleculeStrand::Any);
        Ok(distinct.molecules(umis, next, of))
    }

    fn paired(
        &mut self,
        umis: &[TemplateUmi],
        next: &mut u64,
    ) -> Result<Vec<Molecule>, AssignFault> {
        let mut fault = None;
        let mut index = 0;
        // The half of the read that lies before the other comes first.
        let distinct = Distinct::of(umis, |umi| {
            index += 1;
            let Some((first, second)) = halves(&umi.text) else {
                fault.get_or_insert(index - 1);
                return None;
            };
            let is_half = |half: &[u8]| half.len() <= LONGEST && is_comparable(half);
            (is_half(first) && is_half(second)).then(|| match umi.is_forward {
                true => umi.text.clone(),
                false => [second, b"-", first].concat(),
            })
        });
        if let Some(index) = fault {
            return Err(AssignFault::NotPaired(index));
        }
        check_lengths(distinct.texts.iter().map(|text| text.len() - 1))?;
        let split = |text: &[u8]| text.iter().position(|byte| *byte == b'-');
        let first = distinct.texts.first().and_then(|text| split(text));
        // As halves of different lengths are compared as fgumi writes them.
        let is_even = distinct.texts.iter().all(|text| split(text) == first);
        let written: Vec<Vec<u8>> = match is_even {
            true => Vec::new(),
            false => distinct.texts.iter().map(|text| self.prefixed(text, false)).collect(),
        };
        let compared = if is_even { &distinct.texts } else { &written };
        let groups = self.cluster(compared.iter().zip(distinct.counts.iter().copied()))?;
        let mut numbers = vec![(0, false); distinct.texts.len()];
        for group in &groups {
            let (root, others) = group.split_first().map_or((0, &[][..]), |(r, o)| (*r, o));
            numbers[root] = (*next, false);
            let root = self.prefixed(&distinct.texts[root], false);
            for &other in others {
                let text = &distinct.texts[other];
                let distance = |is_turned| mismatches(&root, &self.prefixed(text, is_turned));
                numbers[other] = (*next, distance(false) >= distance(true));
            }
            *next += 1;
        }
        let of = |index: usize, umi: &TemplateUmi| {
            let (number, is_turned) = numbers[index];
            (
                number,
                if umi.is_forward != is_turned { MoleculeStrand::A } else { MoleculeStrand::B },
            )
        };
        Ok(distinct.molecules(umis, next, of))
    }

    /// A pair of UMIs, each behind letters that show at which end it was: that of another end is more than all mismatches away.
    fn prefixed(&self, text: &[u8], is_turned: bool) -> Vec<u8> {
        let (first, second) = halves(text).unwrap_or_default();
        let (low, high) = (vec![b'A'; self.edits + 1], vec![b'B'; self.edits + 1]);
        match is_turned {
            false => [&low[..], b":", first, b"-", &high, b":", second].concat(),
            true => [&high[..], b":", second, b"-", &low, b":", first].concat(),
        }
    }

    /// Groups of UMIs of one length, each with its indexes, the root first.
    fn cluster<'a>(
        &mut self,
        umis: impl Iterator<Item = (&'a Vec<u8>, u64)>,
    ) -> Result<Vec<Vec<usize>>, AssignFault> {
        let mut odd = OddBarcodes::default();
        self.set.clear();
        for (text, count) in umis {
            self.set.numbers.push(odd.number(text));
            self.set.counts.push(count);
        }
        if self.set.numbers.is_empty() {
            return Ok(Vec::new());
        }
        self.clusterer.cluster(&mut self.set, &odd).map_err(AssignFault::Unequal)?;
        let groups = self.clusterer.groups();
        Ok(groups.map(|group| group.iter().map(|index| *index as usize).collect()).collect())
    }
}

/// The different UMIs of templates that can be compared, in the order of their bytes.
struct Distinct {
    texts: Vec<Vec<u8>>,
    counts: Vec<u64>,
    /// For each template the index of its UMI.
    of_template: Vec<Option<u32>>,
}

impl Distinct {
    fn of<'u>(
        umis: &'u [TemplateUmi],
        mut text: impl FnMut(&'u TemplateUmi) -> Option<Vec<u8>>,
    ) -> Distinct {
        let mut indexes: HashMap<Vec<u8>, u32> = HashMap::new();
        let mut of_template = Vec::with_capacity(umis.len());
        let mut counts = Vec::new();
        for umi in umis {
            let index = text(umi).map(|text| match indexes.entry(text) {
                Entry::Occupied(entry) => *entry.get(),
                Entry::Vacant(entry) => {
                    counts.push(0);
                    *entry.insert(counts.len() as u32 - 1)
                }
            });
            if let Some(index) = index {
                counts[index as usize] += 1;
            }
            of_template.push(index);
        }
        let mut texts: Vec<(Vec<u8>, u32)> = indexes.into_iter().collect();
        texts.sort_unstable();
        let mut ranks = vec![0; texts.len()];
        for (rank, (_, index)) in texts.iter().enumerate() {
            ranks[*index as usize] = rank as u32;
        }
        of_template.iter_mut().flatten().for_each(|index| *index = ranks[*index as usize]);
        Distinct {
            counts: texts.iter().map(|(_, index)| counts[*index as usize]).collect(),
            texts: texts.into_iter().map(|(text, _)| text).collect(),
            of_template,
        }
    }

    /// The molecules of all templates. UMIs that can't be compared are each one by itself.
    fn molecules(
        &self,
        umis: &[TemplateUmi],
        next: &mut u64,
        of: impl Fn(usize, &TemplateUmi) -> (u64, MoleculeStrand),
    ) -> Vec<Molecule> {
        let mut alone: HashMap<&TemplateUmi, u64> = HashMap::new();
        let molecules = umis.iter().zip(&self.of_template).map(|(umi, index)| {
            let (number, strand) = match index {
                Some(index) => of(*index as usize, umi),
                None => {
                    let number = *alone.entry(umi).or_insert_with(|| {
                        *next += 1;
                        *next - 1
                    });
                    (number, MoleculeStrand::Any)
                }
            };
            Molecule { number, strand }
        });
        molecules.collect()
    }
}

fn identity(umis: &[TemplateUmi], next: &mut u64) -> Vec<Molecule> {
    let distinct = Distinct::of(umis, |umi| Some(umi.text.clone()));
    let first = *next;
    *next += distinct.texts.len() as u64;
    distinct.molecules(umis, &mut 0, |index, _| (first + index as u64, MoleculeStrand::Any))
}

/// Whether a UMI has only bases, and dashes between them, and isn't too long.
fn is_comparable(text: &[u8]) -> bool {
    text.iter().all(|byte| b"ACGT-".contains(byte)) && bases(text) <= LONGEST
}

fn bases(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte != b'-').count()
}

/// Both halves of a pair of UMIs.
fn halves(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = text.iter().position(|byte| *byte == b'-')?;
    let second = &text[at + 1..];
    (!second.contains(&b'-')).then_some((&text[..at], second))
}

fn mismatches(one: &[u8], other: &[u8]) -> usize {
    match one.len() == other.len() {
        true => one.iter().zip(other).filter(|(a, b)| a != b).count(),
        false => usize::MAX,
    }
}

fn check_lengths(lens: impl Iterator<Item = usize>) -> Result<(), AssignFault> {
    let (mut least, mut most) = (usize::MAX, 0);
    for len in lens {
        (least, most) = (least.min(len), most.max(len));
    }
    match least < most {
        true => Err(AssignFault::Unequal(UnequalLengths(least, most))),
        false => Ok(()),
    }
}
