//! The second reading: first reads in their order, each with its mate.

use std::collections::HashMap;

use biofast_io::Options;
use biofast_io::output::Writer;

use super::apart::Apart;
use super::feed::{Feed, Read, Wanted};
use super::find::{Found, SeenNames};
use super::source::Kept;
use super::{Limits, Problem, Totals};
use crate::change::to_fastq::Names;

/// Where reads go.
pub(super) struct Writers {
    /// One or two.
    pub(super) pairs: Vec<Writer>,
    pub(super) orphans: [Option<Writer>; 2],
}

impl Writers {
    /// Writes a pair.
    pub(super) fn pair(&mut self, first: &[u8], second: &[u8]) -> Result<(), Problem> {
        match &mut self.pairs[..] {
            [] => {}
            [both] => {
                both.append(first)?;
                both.append(second)?;
            }
            [one, two, ..] => {
                one.append(first)?;
                two.append(second)?;
            }
        }
        Ok(())
    }
}

/// What was written.
pub(super) struct Woven {
    pub(super) writers: Writers,
    pub(super) totals: Totals,
    /// Second reads that waited.
    pub(super) moved: u64,
    /// Bytes in temporary files.
    pub(super) stored: u64,
}

/// First or second reads, without those that have no mates, which are written as they come.
pub(super) struct Mates<'a> {
    feed: Feed,
    /// 0 or 1.
    mate: usize,
    found: &'a Found,
    input: usize,
    seen: SeenNames,
    name: &'a str,
}

impl<'a> Mates<'a> {
    fn open(
        kept: &'a [Kept],
        options: &[Options; 2],
        found: &'a Found,
        mate: usize,
    ) -> Result<Mates<'a>, Problem> {
        let input = mate.min(kept.len() - 1);
        let feed = Feed::new(kept[input].named()?, &options[input], Wanted::Text)?;
        let name = &kept[input].name;
        Ok(Mates { feed, mate, found, input, seen: SeenNames::default(), name })
    }

    /// The next one that has a mate.
    pub(super) fn next(
        &mut self,
        writers: &mut Writers,
        totals: &mut Totals,
    ) -> Result<Option<Read<'_>>, Problem> {
        let Mates { feed, mate, found, input, seen, name } = self;
        let is_mixed = found.orphans.len() == 1;
        loop {
            // Asked for again below: the borrow of a read that is returned would last for the loop.
            let Some((ordinal, is_orphan)) = feed.peek()?.map(|read| {
                seen.add(read.name);
                (read.ordinal, found.orphans[*input].has(read.ordinal))
            }) else {
                return match *seen == found.seen[*input] {
                    true => Ok(None),
                    false => Err(Problem::Changed((*name).to_owned())),
                };
            };
            if is_mixed && usize::from(found.seconds.has(ordinal)) != *mate {
                feed.skip();
                continue;
            }
            if !is_orphan {
                let read = self.feed.next()?;
                if let Some(read) = &read {
                    totals.pairs[*mate].add(&read.amount);
                }
                return Ok(read);
            }
            if let Some(read) = feed.next()? {
                totals.orphans[*mate].add(&read.amount);
                if let Some(writer) = &mut writers.orphans[*mate] {
                    writer.append(read.text)?;
                }
            }
        }
    }

    /// The error if its mate isn't where it was.
    pub(super) fn changed(&self) -> Problem {
        Problem::Changed(self.name.to_owned())
    }
}

/// Second reads that wait for their turn, by name.
pub(super) struct Waiting {
    texts: HashMap<Box<[u8]>, Texts, Names>,
    cost: usize,
    pub(super) moved: u64,
}

/// Those of a name, in their order.
struct Texts {
    first: Box<[u8]>,
    more: std::collections::VecDeque<Box<[u8]>>,
}

/// What one costs beside its name and text, about.
const OVERHEAD: usize = 120;
/// So many may wait whatever they cost.
const FEW: usize = 16;

impl Waiting {
    fn new() -> Waiting {
        Waiting { texts: HashMap::with_hasher(Names::new()), cost: 0, moved: 0 }
    }

    fn add(&mut self, read: &Read<'_>) {
        self.moved += 1;
        self.cost += read.name.len() + read.text.len() + OVERHEAD;
        match self.texts.get_mut(read.name) {
            Some(texts) => texts.more.push_back(read.text.into()),
            None => {
                let texts = Texts { first: read.text.into(), more: Default::default() };
                self.texts.insert(read.name.into(), texts);
            }
        }
    }

    fn take(&mut self, name: &[u8]) -> Option<Box<[u8]>> {
        if self.texts.is_empty() {
            return None;
        }
        let texts = self.texts.get_mut(name)?;
        let text = match texts.more.pop_front() {
            Some(next) => std::mem::replace(&mut texts.first, next),
            None => self.texts.remove(name)?.first,
        };
        self.cost -= name.len() + text.len() + OVERHEAD;
        Some(text)
    }

    fn is_too_much(&self, most: usize) -> bool {
        self.cost > most && self.texts.len() > FEW
    }

    /// All that wait, those of a name in their order.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = (Box<[u8]>, Box<[u8]>)> + '_ {
        self.cost = 0;
        self.texts.drain().flat_map(|(name, texts)| {
            let all = std::iter::once(texts.first).chain(texts.more);
            all.map(move |text| (name.clone(), text))
        })
    }
}

/// Writes all.
pub(super) fn weave(
    kept: &[Kept],
    options: &[Options; 2],
    limits: &Limits,
    found: &Found,
    mut writers: Writers,
) -> Result<Woven, Problem> {
    let mut firsts = Mates::open(kept, options, found, 0)?;
    let mut seconds = Mates::open(kept, options, found, 1)?;
    let mut totals = Totals::default();
    let mut waiting = Waiting::new();
    let mut apart = None;
    'firsts: while let Some(first) = firsts.next(&mut writers, &mut totals)? {
        if let Some(text) = waiting.take(first.name) {
            writers.pair(first.text, &text)?;
            continue;
        }
        loop {
            let Some(second) = seconds.next(&mut writers, &mut totals)? else {
                return Err(seconds.changed());
            };
            if second.name == first.name {
                writers.pair(first.text, second.text)?;
                break;
            }
            waiting.add(&second);
            if waiting.is_too_much(limits.memory) {
                let mut parts = Apart::create(limits)?;
                parts.add_first(&first)?;
                apart = Some(parts);
                break 'firsts;
            }
        }
    }
    let moved;
    let mut stored = 0;
    if let Some(mut apart) = apart {
        while let Some(first) = firsts.next(&mut writers, &mut totals)? {
            apart.add_first(&first)?;
        }
        moved = apart.add_seconds(&mut waiting, &mut seconds, &mut writers, &mut totals)?;
        stored = apart.write(limits, &mut writers, &seconds)?;
    } else {
        // What is left has no mates.
        if seconds.next(&mut writers, &mut totals)?.is_some() || waiting.cost > 0 {
            return Err(seconds.changed());
        }
        moved = waiting.moved;
    }
    Ok(Woven { writers, totals, moved, stored })
}
