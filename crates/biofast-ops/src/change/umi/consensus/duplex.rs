//! Both strands of a molecule put together.

use super::family::SourceRead;
use super::model::{MAX_QUALITY, MIN_QUALITY, NO_CALL};
use super::strand::{MAX_DEPTH, StrandConsensus};

/// The consensus of both strands, or of one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DuplexConsensus {
    pub(super) bases: Vec<u8>,
    pub(super) qualities: Vec<u8>,
    pub(super) errors: Vec<u16>,
    pub(super) one: StrandConsensus,
    pub(super) other: Option<StrandConsensus>,
}

/// The fewest reads of a molecule, of the strand with more, and of the other.
pub(super) type LeastReads = [usize; 3];

/// Whether there are enough reads of both strands.
pub(super) fn is_enough(least: LeastReads, one: usize, other: usize) -> bool {
    one + other >= least[0] && one.max(other) >= least[1] && one.min(other) >= least[2]
}

impl DuplexConsensus {
    /// Of both strands, which are cut to the length of the shorter one; errors are counted among these reads. `None` if none has a
    /// base in it.
    pub(super) fn of_both<'s>(
        mut one: StrandConsensus,
        mut other: StrandConsensus,
        reads: impl Iterator<Item = &'s SourceRead> + Clone,
    ) -> Option<DuplexConsensus> {
        let len = one.bases.len().min(other.bases.len());
        let has_bases =
            |strand: &StrandConsensus| strand.depths[..len].iter().any(|depth| *depth > 0);
        match (has_bases(&one), has_bases(&other)) {
            (false, false) => return None,
            (true, false) => return Some(DuplexConsensus::of_one(one)),
            (false, true) => return Some(DuplexConsensus::of_one(other)),
            (true, true) => {}
        }
        one.truncate(len);
        other.truncate(len);
        let (mut bases, mut qualities, mut errors) = (Vec::new(), Vec::new(), Vec::new());
        for at in 0..len {
            let (base, quality) = combined(
                (one.bases[at], one.qualities[at]),
                (other.bases[at], other.qualities[at]),
            );
            let is_called =
                one.bases[at] != NO_CALL && other.bases[at] != NO_CALL && quality != MIN_QUALITY;
            bases.push(if is_called { base } else { NO_CALL });
            qualities.push(if is_called { quality } else { MIN_QUALITY });
            let is_error = |read: &&SourceRead| {
                read.bases.get(at).is_some_and(|found| *found != NO_CALL && *found != base)
            };
            let count = if base == NO_CALL { 0 } else { reads.clone().filter(is_error).count() };
            errors.push(count.min(MAX_DEPTH.into()) as u16);
        }
        Some(DuplexConsensus { bases, qualities, errors, one, other: Some(other) })
    }

    /// Of one strand alone.
    pub(super) fn of_one(one: StrandConsensus) -> DuplexConsensus {
        DuplexConsensus {
            bases: one.bases.clone(),
            qualities: one.qualities.clone(),
            errors: one.errors.clone(),
            one,
            other: None,
        }
    }

    pub(super) fn has_enough(&self, least: LeastReads) -> bool {
        let depth = |strand: &StrandConsensus| usize::from(strand.max_depth());
        is_enough(least, depth(&self.one), self.other.as_ref().map_or(0, depth))
    }
}

/// What both strands say of a base.
fn combined(one: (u8, u8), other: (u8, u8)) -> (u8, u8) {
    let within = |quality: u8| quality.clamp(MIN_QUALITY, MAX_QUALITY);
    let (better, worse) = if other.1 > one.1 { (other, one) } else { (one, other) };
    match one.0 == other.0 {
        true => (one.0, within(one.1.saturating_add(other.1))),
        false => (better.0, within(better.1 - worse.1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strand(bases: &[u8], quality: u8, depth: u16) -> StrandConsensus {
        StrandConsensus {
            bases: bases.to_vec(),
            qualities: vec![quality; bases.len()],
            depths: vec![depth; bases.len()],
            errors: vec![0; bases.len()],
        }
    }

    #[test]
    fn agreement_adds_qualities_and_the_better_strand_wins() {
        let both = DuplexConsensus::of_both(
            strand(b"ACGN", 40, 3),
            strand(b"ATGAC", 30, 2),
            std::iter::empty(),
        )
        .unwrap();
        assert_eq!((&both.bases[..], &both.qualities[..]), (&b"ACGN"[..], &[70, 10, 70, 2][..]));
        assert!(both.has_enough([5, 3, 2]) && !both.has_enough([5, 3, 3]));
        let even =
            DuplexConsensus::of_both(strand(b"A", 40, 3), strand(b"C", 40, 2), std::iter::empty());
        assert_eq!(even.unwrap().bases, b"N");
        assert_eq!(combined((b'A', 90), (b'A', 90)), (b'A', 93));
    }

    #[test]
    fn a_strand_without_bases_is_left_out() {
        let (some, none) = (strand(b"ACG", 40, 3), strand(b"NN", 2, 0));
        let found = DuplexConsensus::of_both(some.clone(), none.clone(), std::iter::empty());
        assert_eq!(found, Some(DuplexConsensus::of_one(some)));
        assert_eq!(DuplexConsensus::of_both(none.clone(), none, std::iter::empty()), None);
    }
}
