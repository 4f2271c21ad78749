//! The intervals a library was enriched for, and those of the baits that did it.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use biofast_bam::query::Note;
use biofast_bam::region::IntervalFile;
use biofast_bam::{Error, Fasta, Header};

use crate::measure::failure::Failure;

/// Targets and baits of a hybrid selection, from BED files or Picard's interval lists.
#[derive(Clone, Debug)]
pub struct Panel {
    name: String,
    targets: List,
    /// None: the targets.
    baits: Option<List>,
}

/// Intervals of a file.
#[derive(Clone, Debug)]
struct List {
    file: IntervalFile,
    intervals: Vec<PanelInterval>,
    /// Names of references.
    references: Vec<Vec<u8>>,
}

#[derive(Clone, Copy, Debug)]
struct PanelInterval {
    reference: usize,
    start: u32,
    end: u32,
    line: u64,
}

impl Panel {
    /// Reads the targets and the baits; without a file of baits the targets are taken for them.
    ///
    /// # Errors
    /// If a file can't be read; at the first line that is no interval; if there is no interval at all.
    pub fn open(targets: &Path, baits: Option<&Path>) -> Result<Panel, Error> {
        let name = baits.unwrap_or(targets).file_name().unwrap_or_default().to_string_lossy();
        Ok(Panel {
            name: name.split('.').next().unwrap_or_default().to_owned(),
            targets: List::open(targets)?,
            baits: baits.map(List::open).transpose()?,
        })
    }

    /// The name of the baits: that of their file, up to the first dot.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Notes about the files that have intervals of length 0.
    pub fn notes(&self) -> impl Iterator<Item = Note> + '_ {
        std::iter::once(&self.targets).chain(&self.baits).filter_map(|list| list.file.note())
    }

    /// How many targets there are.
    pub fn targets(&self) -> usize {
        self.targets.intervals.len()
    }

    /// The intervals by the references of a header, with the GC content of targets if there are bases.
    ///
    /// # Errors
    /// At the first interval that lies on none of the references, or behind its end; if the bases can't be read.
    pub(crate) fn bind(
        &self,
        header: &Header,
        fasta: Option<&Fasta>,
    ) -> Result<BoundPanel, Failure> {
        let targets = self.targets.bind(header).map_err(Failure::Input)?;
        let baits = match &self.baits {
            Some(baits) => baits.bind(header).map_err(Failure::Input)?,
            None => targets.clone(),
        };
        let gc = match fasta {
            Some(fasta) => {
                fasta.bind(header);
                let all = (0i32..).zip(&targets).map(|(reference, own)| {
                    own.iter().map(|stretch| gc(fasta, reference, *stretch)).collect()
                });
                Some(all.collect::<io::Result<Vec<Vec<u8>>>>().map_err(Failure::Reference)?)
            }
            None => None,
        };
        let territory = |all: &[MergedIntervals]| -> u64 {
            all.iter().flatten().map(|(start, end)| u64::from(end - start)).sum()
        };
        Ok(BoundPanel {
            name: self.name.clone(),
            count: self.targets.intervals.len(),
            genome: header.references().iter().map(|reference| reference.length).sum(),
            target_territory: territory(&targets),
            bait_territory: territory(&baits),
            targets,
            baits,
            gc,
        })
    }
}

/// Stretches of a reference, sorted: neither do they overlap nor touch.
pub(crate) type MergedIntervals = Vec<(u32, u32)>;

/// The intervals of a header's references.
pub(crate) struct BoundPanel {
    pub(crate) name: String,
    /// Targets as they are listed.
    pub(crate) count: usize,
    /// Bases of all references.
    pub(crate) genome: u64,
    pub(crate) target_territory: u64,
    pub(crate) bait_territory: u64,
    pub(crate) targets: Vec<MergedIntervals>,
    pub(crate) baits: Vec<MergedIntervals>,
    /// The GC content of each target in percent.
    pub(crate) gc: Option<Vec<Vec<u8>>>,
}

impl BoundPanel {
    /// The GC content of the target at a position.
    pub(crate) fn gc_at(&self, reference: usize, at: u32) -> Option<u8> {
        let gc = self.gc.as_ref()?.get(reference)?;
        let targets = self.targets.get(reference)?;
        gc.get(targets.partition_point(|target| target.1 <= at)).copied()
    }
}

/// The GC content of a stretch in percent, rounded.
fn gc(fasta: &Fasta, reference: i32, (start, end): (u32, u32)) -> io::Result<u8> {
    let mut bases = Vec::new();
    fasta.fetch(reference, start.into(), (end - start) as usize, &mut bases)?;
    if bases.is_empty() {
        return Ok(0);
    }
    let gc = bases.iter().filter(|base| matches!(base, b'G' | b'C' | b'g' | b'c')).count();
    Ok((gc as f64 / bases.len() as f64 * 100.0 + 0.5).floor() as u8)
}

impl List {
    fn open(path: &Path) -> Result<List, Error> {
        let (mut intervals, mut references) = (Vec::new(), Vec::new());
        let mut places: HashMap<Vec<u8>, usize> = HashMap::new();
        let file = IntervalFile::read(path, |found| {
            let reference = match places.get(found.reference) {
                Some(&place) => place,
                None => {
                    places.insert(found.reference.to_vec(), references.len());
                    references.push(found.reference.to_vec());
                    references.len() - 1
                }
            };
            let (start, end, line) = (found.start, found.end, found.line);
            intervals.push(PanelInterval { reference, start, end, line });
        })?;
        let list = List { file, intervals, references };
        if list.intervals.is_empty() {
            return Err(list.error(1, b"", "the file has no intervals"));
        }
        Ok(list)
    }

    fn error(&self, line: u64, reference: &[u8], reason: &str) -> Error {
        let region = String::from_utf8_lossy(reference).into_owned();
        self.file.error(line, region, reason.into())
    }

    fn bind(&self, header: &Header) -> Result<Vec<MergedIntervals>, Error> {
        let own = header.references();
        let mut places = vec![None; self.references.len()];
        let by_name: HashMap<&[u8], usize> =
            own.iter().zip(0..).map(|(reference, place)| (&reference.name[..], place)).collect();
        for (place, name) in places.iter_mut().zip(&self.references) {
            *place = by_name.get(&name[..]).copied();
        }
        let mut all = vec![Vec::new(); own.len()];
        for &PanelInterval { reference, start, end, line } in &self.intervals {
            let name = &self.references[reference];
            let Some(place) = places[reference] else {
                return Err(self.error(line, name, "the alignments have no such reference"));
            };
            if u64::from(end) > own[place].length {
                return Err(self.error(
                    line,
                    name,
                    "the interval ends past the end of its reference",
                ));
            }
            if start < end {
                all[place].push((start, end));
            }
        }
        all.iter_mut().for_each(unite);
        Ok(all)
    }
}

/// Sorts stretches, and makes one of those that overlap or touch.
fn unite(stretches: &mut MergedIntervals) {
    stretches.sort_unstable();
    stretches.dedup_by(|next, last| {
        let touches = next.0 <= last.1;
        if touches {
            last.1 = last.1.max(next.1);
        }
        touches
    });
}

/// The stretches of a list that overlap those from `from` to `to`.
#[inline]
pub(crate) fn overlapping(all: &[(u32, u32)], from: u32, to: u32) -> &[(u32, u32)] {
    let first = all.partition_point(|stretch| stretch.1 <= from);
    let count = all[first..].partition_point(|stretch| stretch.0 < to);
    &all[first..first + count]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(content: &str) -> Result<Panel, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.bed");
        std::fs::write(&path, content).unwrap();
        Panel::open(&path, None)
    }

    #[test]
    fn bed_and_interval_list_are_the_same_stretches() {
        let header = Header::from_text(b"@SQ\tSN:c\tLN:99\n@SQ\tSN:d\tLN:50\n").unwrap();
        let bed =
            open("track name=x\nd\t0\t5\nc\t20\t30\tb\nc\t4\t9\nc\t9\t12\nc\t7\t8\n").unwrap();
        let list = "@HD\tVN:1.6\n@SQ\tSN:c\tLN:99\nd\t1\t5\t+\ta\nc\t21\t30\t-\tb\nc\t5\t9\t+\t.\nc\t10\t12\t+\t.\nc\t8\t8\t+\t.\n";
        for panel in [bed, open(list).unwrap()] {
            let bound = panel.bind(&header, None).ok().unwrap();
            assert_eq!(bound.targets, [vec![(4, 12), (20, 30)], vec![(0, 5)]]);
            assert_eq!((bound.count, bound.target_territory, bound.genome), (5, 23, 149));
            assert_eq!(overlapping(&bound.targets[0], 11, 21), [(4, 12), (20, 30)]);
            assert_eq!(overlapping(&bound.targets[0], 12, 20), []);
        }
    }

    #[test]
    fn what_is_no_interval_is_named_by_its_line() {
        for (content, words) in [
            ("c\t1\t5\nc\t7\n", "line 2"),
            ("@SQ\tSN:c\tLN:9\nc\t0\t5\t+\tx\n", "line 2"),
            ("c\t5\t4\n", "line 1"),
            ("# nothing\n", "no intervals"),
        ] {
            let error = open(content).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        let header = Header::from_text(b"@SQ\tSN:c\tLN:99\n").unwrap();
        for (content, words) in [("c\t1\t5\nx\t0\t1\n", "line 2"), ("c\t90\t100\n", "past the end")]
        {
            match open(content).unwrap().bind(&header, None) {
                Err(Failure::Input(error)) => assert!(error.to_string().contains(words)),
                _ => panic!("{content}"),
            }
        }
    }
}
