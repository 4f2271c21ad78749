//! Reads of an input one after the other, second reads that wait for their mates, and where pairs go.

use std::collections::HashMap;

use biofast_io::Options;
use biofast_io::output::Writer;

use super::feed::{Feed, ReadContent, RepairRead};
use super::find::{PairingMap, SeenNames};
use super::source::RepairInput;
use super::totals::RepairTotals;
use crate::Error;
use crate::change::to_fastq::NameHashes;

/// Where reads go.
pub(super) struct RepairWriters {
    /// One or two.
    pub(super) pairs: Vec<Writer>,
    pub(super) orphans: [Option<Writer>; 2],
}

impl RepairWriters {
    /// Writes a pair.
    pub(super) fn pair(&mut self, first: &[u8], second: &[u8]) -> Result<(), Error> {
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

/// First or second reads, without those that have no mates, which are written as they come.
pub(super) struct MateStream<'a> {
    feed: Feed,
    /// 0 or 1.
    mate: usize,
    found: &'a PairingMap,
    input: usize,
    seen: SeenNames,
    name: &'a str,
}

impl<'a> MateStream<'a> {
    pub(super) fn open(
        kept: &'a [RepairInput],
        options: &[Options; 2],
        found: &'a PairingMap,
        mate: usize,
    ) -> Result<MateStream<'a>, Error> {
        let input = mate.min(kept.len() - 1);
        let feed = Feed::new(kept[input].named()?, &options[input], ReadContent::Text)?;
        let name = &kept[input].name;
        Ok(MateStream { feed, mate, found, input, seen: SeenNames::default(), name })
    }

    /// The next one that has a mate.
    pub(super) fn next(
        &mut self,
        writers: &mut RepairWriters,
        totals: &mut RepairTotals,
    ) -> Result<Option<RepairRead<'_>>, Error> {
        let MateStream { feed, mate, found, input, seen, name } = self;
        let is_mixed = found.orphans.len() == 1;
        loop {
            // Asked for again below: the borrow of a read that is returned would last for the loop.
            let Some((ordinal, is_orphan)) = feed.peek()?.map(|read| {
                seen.add(read.name);
                (read.ordinal, found.orphans[*input].has(read.ordinal))
            }) else {
                return match *seen == found.seen[*input] {
                    true => Ok(None),
                    false => Err(Error::Changed((*name).to_owned())),
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
    pub(super) fn changed(&self) -> Error {
        Error::Changed(self.name.to_owned())
    }
}

/// Second reads that wait for their turn, by name.
pub(super) struct SecondReads {
    texts: HashMap<Box<[u8]>, MateTexts, NameHashes>,
    pub(super) cost: usize,
    pub(super) moved: u64,
}

/// Those of a name, in their order.
struct MateTexts {
    first: Box<[u8]>,
    more: std::collections::VecDeque<Box<[u8]>>,
}

/// What one costs beside its name and text, about.
const OVERHEAD: usize = 120;

/// So many may wait whatever they cost.
const FEW: usize = 16;

impl SecondReads {
    pub(super) fn new() -> SecondReads {
        SecondReads { texts: HashMap::with_hasher(NameHashes::new()), cost: 0, moved: 0 }
    }

    pub(super) fn add(&mut self, read: &RepairRead<'_>) {
        self.moved += 1;
        self.cost += read.name.len() + read.text.len() + OVERHEAD;
        match self.texts.get_mut(read.name) {
            Some(texts) => texts.more.push_back(read.text.into()),
            None => {
                let texts = MateTexts { first: read.text.into(), more: Default::default() };
                self.texts.insert(read.name.into(), texts);
            }
        }
    }

    pub(super) fn take(&mut self, name: &[u8]) -> Option<Box<[u8]>> {
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

    pub(super) fn is_too_much(&self, most: usize) -> bool {
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
