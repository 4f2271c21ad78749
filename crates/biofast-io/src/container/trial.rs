//! Which decoder inflates the blocks of an input, and how many at once, by trial.
//!
//! The workers of an input share a [`DecoderTrial`]. They all use what is preferred; now and then one of them times another
//! [`BlockDecoder`] on a few groups between those of the preferred one. How fast a core runs, and how fast its data
//! are inflated, changes by more than what the decoders differ: so a group is only compared with those right before and after it, by
//! the same worker. All decoders give the same bytes, so nothing but time depends on the outcome.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::container::codec::{self, Codec, Policy};
use crate::input::BlockDecoder;

/// A worker, among those of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WorkerId(u64);

impl WorkerId {
    pub(crate) fn new() -> WorkerId {
        static WORKERS: AtomicU64 = AtomicU64::new(0);
        WorkerId(WORKERS.fetch_add(1, Ordering::Relaxed))
    }
}

/// The decoder of the next group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    pub(crate) decoder: BlockDecoder,
    /// Whether the time it takes is wanted.
    pub(crate) timed: bool,
}

/// What is tried, and what came of it.
#[derive(Debug)]
pub(crate) struct DecoderTrial {
    candidates: Vec<BlockDecoder>,
    /// The candidate in use.
    preferred: AtomicUsize,
    state: Mutex<TrialState>,
}

#[derive(Debug)]
struct TrialState {
    /// Groups given out.
    groups: u64,
    plans: Vec<TrialSchedule>,
    bout: Option<Bout>,
}

/// When a candidate is tried next.
#[derive(Clone, Copy, Debug)]
struct TrialSchedule {
    /// From this group on.
    due: u64,
    /// So many groups after a bout that it loses.
    wait: u64,
}

/// A candidate and the preferred one in turn, by one worker.
#[derive(Debug)]
struct Bout {
    worker: WorkerId,
    candidate: usize,
    /// The group it began with.
    start: u64,
    /// Nanoseconds a byte of the preferred one's last group, and of the candidate's after it.
    before: Option<f64>,
    tried: Option<f64>,
    wins: u32,
    losses: u32,
}

/// Groups before the first bout, and between those of the other candidates: what is shorter never pays for a trial.
const FIRST: u64 = 16;
/// Groups after the first bout that a candidate loses; each further one doubles them …
const WAIT: u64 = 64;
/// … up to these. The data may change.
const MOST_WAIT: u64 = 256;
/// A bout is won or lost by so many groups: by the median of five.
const ROUNDS: u32 = 3;
/// A candidate's time by that of its neighbours: what isn't clearly faster isn't worth a change …
const FASTER: f64 = 0.96;
/// … and one clearly slower group is enough. (libdeflate may take 1.5 × as long; it isn't tried three times for that.)
const SLOWER: f64 = 1.1;
/// Groups of all workers after which a bout is given up: its worker has ended, or has other work.
const LOST: u64 = 4096;
/// Smaller groups say little, and have too few blocks.
const LEAST_BYTES: usize = 1 << 18;

impl Default for DecoderTrial {
    /// Of what may be used here, as the environment says.
    fn default() -> Self {
        DecoderTrial::new(codec::active(), codec::lanes())
    }
}

impl DecoderTrial {
    /// With so many blocks at once, if that isn't to be tried.
    pub(crate) fn new(policy: Policy, lanes: Option<usize>) -> DecoderTrial {
        let own = |lanes| BlockDecoder::Own { lanes };
        let mut candidates = match (policy, lanes) {
            (Policy::Fixed(Codec::Libdeflate), _) => vec![],
            (_, Some(lanes)) => vec![own(lanes)],
            // The usual number first.
            (_, None) => [3, 2, 4].map(own).to_vec(),
        };
        if policy != Policy::Fixed(Codec::Own) {
            // The least likely comes last.
            candidates.insert(candidates.len().min(2), BlockDecoder::Libdeflate);
        }
        let plan = |n| TrialSchedule { due: FIRST * n as u64, wait: WAIT };
        let plans = (0..candidates.len()).map(plan).collect();
        let state = Mutex::new(TrialState { groups: 0, plans, bout: None });
        DecoderTrial { candidates, preferred: AtomicUsize::new(0), state }
    }

    /// What most groups are inflated by.
    pub(crate) fn preferred(&self) -> BlockDecoder {
        self.candidates[self.preferred.load(Ordering::Relaxed)]
    }

    /// Whether this decoder may be used.
    pub(crate) fn has(&self, decoder: BlockDecoder) -> bool {
        self.candidates.contains(&decoder)
    }

    /// The decoder for a worker's next group.
    pub(crate) fn next(&self, worker: WorkerId) -> Turn {
        if self.candidates.len() < 2 {
            return Turn { decoder: self.preferred(), timed: false };
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let preferred = self.preferred.load(Ordering::Relaxed);
        let candidate = state.next(worker, preferred);
        Turn {
            decoder: self.candidates[candidate.unwrap_or(preferred)],
            timed: candidate.is_some(),
        }
    }

    /// What a worker's timed group took. Groups that ended in a fault aren't told.
    pub(crate) fn record(&self, worker: WorkerId, bytes: usize, took: Duration) {
        if bytes < LEAST_BYTES {
            return;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now = took.as_nanos() as f64 / bytes as f64;
        let preferred = self.preferred.load(Ordering::Relaxed);
        if let Some(winner) = state.record(worker, now, preferred) {
            self.preferred.store(winner, Ordering::Relaxed);
        }
    }
}

impl TrialState {
    /// The candidate of a bout for this worker's next group, if it has one.
    fn next(&mut self, worker: WorkerId, preferred: usize) -> Option<usize> {
        self.groups += 1;
        if self.bout.as_ref().is_some_and(|bout| bout.start + LOST < self.groups) {
            self.bout = None;
        }
        if self.bout.is_none() {
            let due =
                |&(n, plan): &(usize, &TrialSchedule)| n != preferred && plan.due <= self.groups;
            let (candidate, _) =
                self.plans.iter().enumerate().filter(due).min_by_key(|(_, plan)| plan.due)?;
            self.bout = Some(Bout {
                worker,
                candidate,
                start: self.groups,
                before: None,
                tried: None,
                wins: 0,
                losses: 0,
            });
        }
        let bout = self.bout.as_ref().filter(|bout| bout.worker == worker)?;
        Some(if bout.is_candidates_turn() { bout.candidate } else { preferred })
    }

    /// Books nanoseconds a byte; what is preferred from now on, if that changes.
    fn record(&mut self, worker: WorkerId, now: f64, preferred: usize) -> Option<usize> {
        let bout = self.bout.as_mut().filter(|bout| bout.worker == worker)?;
        if bout.is_candidates_turn() {
            bout.tried = Some(now);
            return None;
        }
        if let (Some(before), Some(tried)) = (bout.before, bout.tried.take()) {
            bout.compare(tried / ((before + now) / 2.0));
        }
        bout.before = Some(now);
        let (won, candidate) = (bout.wins >= ROUNDS, bout.candidate);
        if !won && bout.losses < ROUNDS {
            return None;
        }
        self.bout = None;
        let loser = &mut self.plans[if won { preferred } else { candidate }];
        *loser =
            TrialSchedule { due: self.groups + loser.wait, wait: (2 * loser.wait).min(MOST_WAIT) };
        won.then_some(candidate)
    }
}

impl Bout {
    fn is_candidates_turn(&self) -> bool {
        self.before.is_some() && self.tried.is_none()
    }

    /// One group of the candidate: its time by that of its neighbours.
    fn compare(&mut self, ratio: f64) {
        match ratio {
            SLOWER.. => self.losses = ROUNDS,
            ..FASTER => self.wins += 1,
            _ => self.losses += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [BlockDecoder; 4] = [
        BlockDecoder::Own { lanes: 3 },
        BlockDecoder::Own { lanes: 2 },
        BlockDecoder::Libdeflate,
        BlockDecoder::Own { lanes: 4 },
    ];

    /// Groups that a worker's decoders get, when a clock says that a group of decoder `n` takes `pace(n, group)` nanoseconds a byte.
    fn given(groups: usize, pace: impl Fn(usize, usize) -> f64) -> ([usize; 4], BlockDecoder) {
        let trial = DecoderTrial::new(Policy::Faster, None);
        assert_eq!(trial.candidates, ALL);
        let worker = WorkerId::new();
        let mut given = [0; 4];
        for group in 0..groups {
            let turn = trial.next(worker);
            let n = ALL.iter().position(|&decoder| decoder == turn.decoder).expect("one of them");
            given[n] += 1;
            if turn.timed {
                let took = Duration::from_nanos((pace(n, group) * (1 << 20) as f64) as u64);
                trial.record(worker, 1 << 20, took);
            }
        }
        (given, trial.preferred())
    }

    #[test]
    fn short_inputs_are_inflated_by_the_usual_decoder() {
        let (given, preferred) = given(15, |n, _| [1.0, 0.5, 0.5, 0.5][n]);
        assert_eq!((given, preferred), ([15, 0, 0, 0], ALL[0]));
    }

    #[test]
    fn the_fastest_is_found_soon_whichever_it_is() {
        for fastest in 0..4 {
            let (given, preferred) = given(200, |n, _| if n == fastest { 1.0 } else { 1.06 });
            assert_eq!(preferred, ALL[fastest]);
            assert!(given[fastest] > 100, "{given:?}");
        }
    }

    #[test]
    fn trials_cost_less_than_a_hundredth() {
        // As measured with AVX2 on a Zen 4: two, three and four lanes, and libdeflate.
        let pace = [1.0, 1.01, 1.45, 1.04];
        for groups in [30, 40, 60, 100, 300, 900, 10_000] {
            let (given, preferred) = given(groups, |n, _| pace[n]);
            let extra: f64 = (0..4).map(|n| given[n] as f64 * (pace[n] - 1.0)).sum();
            assert_eq!(preferred, ALL[0]);
            assert!(extra / (groups as f64) < 0.015, "{groups}: {given:?}");
            assert!(groups < 200 || extra / (groups as f64) < 0.01, "{groups}: {given:?}");
        }
    }

    #[test]
    fn a_change_of_the_data_is_noticed() {
        let (given, preferred) =
            given(2000, |n, group| [[1.0, 1.2, 2.0, 1.2], [3.0, 3.0, 2.0, 3.0]][group / 1000][n]);
        assert_eq!(preferred, ALL[2]);
        assert!(given[2] > 700, "{given:?}");
    }

    #[test]
    fn disturbances_do_not_change_the_choice_for_long() {
        let random = std::cell::RefCell::new(biofast_testkit::random::Random(1));
        // Half of the time everything takes up to twice as long, for stretches of 40 groups; and single groups do.
        let (given, _) = given(4000, |n, group| {
            let stretch = if group / 40 % 2 == 0 { 1.0 } else { 1.7 };
            let single = if random.borrow_mut().chance(20) { 1.5 } else { 1.0 };
            [1.0, 1.2, 1.4, 1.2][n] * stretch * single
        });
        assert!(given[0] > 3800, "{given:?}");
    }

    #[test]
    fn workers_share_what_one_of_them_finds() {
        let trial = DecoderTrial::new(Policy::Faster, None);
        let workers = [WorkerId::new(), WorkerId::new(), WorkerId::new()];
        let mut tried = [0; 3];
        for _ in 0..400 {
            for (n, &worker) in workers.iter().enumerate() {
                let turn = trial.next(worker);
                let pace =
                    if turn.decoder == BlockDecoder::Libdeflate { 900_000 } else { 1_000_000 };
                if turn.timed {
                    tried[n] += 1;
                    trial.record(worker, 1 << 20, Duration::from_nanos(pace));
                }
            }
        }
        assert_eq!(trial.preferred(), BlockDecoder::Libdeflate);
        assert!(tried.iter().sum::<u32>() < 150, "{tried:?}");
    }

    #[test]
    fn a_bout_whose_worker_has_ended_is_given_up() {
        let trial = DecoderTrial::new(Policy::Faster, None);
        let gone = WorkerId::new();
        while !trial.next(gone).timed {}
        let worker = WorkerId::new();
        let tried = (0..2 * LOST).any(|_| trial.next(worker).timed);
        assert!(tried);
    }

    #[test]
    fn what_is_asked_for_is_not_tried() {
        let candidates = |policy, lanes| DecoderTrial::new(policy, lanes).candidates;
        let own = |lanes| BlockDecoder::Own { lanes };
        assert_eq!(candidates(Policy::Fixed(Codec::Own), None), [own(3), own(2), own(4)]);
        assert_eq!(candidates(Policy::Fixed(Codec::Own), Some(2)), [own(2)]);
        assert_eq!(candidates(Policy::Faster, Some(4)), [own(4), BlockDecoder::Libdeflate]);
        let libdeflate = [BlockDecoder::Libdeflate];
        assert_eq!(candidates(Policy::Fixed(Codec::Libdeflate), Some(2)), libdeflate);
    }
}
