//! Work on several threads whose results come out in the order the work went in.

use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// Jobs that wait for a thread, beside the one it works on.
const WAITING: usize = 1;

/// Threads that take jobs in turn. At most 2 × threads jobs and results exist.
pub struct Lanes<J, R> {
    workers: LaneWorkers<J, R>,
    /// Jobs submitted whose results haven't been taken.
    under_way: usize,
}

enum LaneWorkers<J, R> {
    /// Work is done by whoever submits it.
    Here(Box<dyn FnMut(J) -> R + Send>, VecDeque<R>),
    Threads {
        lanes: Vec<WorkerLane<J, R>>,
        submitted: usize,
        taken: usize,
    },
}

struct WorkerLane<J, R> {
    jobs: Option<SyncSender<J>>,
    results: Receiver<R>,
    thread: Option<JoinHandle<()>>,
}

impl<J: Send + 'static, R: Send + 'static> Lanes<J, R> {
    /// `threads` threads, each with its own worker; with one, the caller does the work.
    pub fn new<W>(threads: usize, mut worker: impl FnMut() -> W) -> io::Result<Lanes<J, R>>
    where
        W: FnMut(J) -> R + Send + 'static,
    {
        if threads <= 1 {
            let workers = LaneWorkers::Here(Box::new(worker()), VecDeque::new());
            return Ok(Lanes { workers, under_way: 0 });
        }
        let lane = |mut work: W| {
            let (jobs, queue) = sync_channel::<J>(WAITING);
            let (finished, results) = sync_channel::<R>(1 + WAITING);
            let thread = std::thread::Builder::new().spawn(move || {
                while let Ok(job) = queue.recv() {
                    if finished.send(work(job)).is_err() {
                        break;
                    }
                }
            })?;
            Ok(WorkerLane { jobs: Some(jobs), results, thread: Some(thread) })
        };
        let lanes = (0..threads).map(|_| lane(worker())).collect::<io::Result<_>>()?;
        let workers = LaneWorkers::Threads { lanes, submitted: 0, taken: 0 };
        Ok(Lanes { workers, under_way: 0 })
    }

    /// Whether another job can be submitted without waiting.
    pub fn has_room(&self) -> bool {
        let room = match &self.workers {
            LaneWorkers::Here(..) => 1,
            LaneWorkers::Threads { lanes, .. } => lanes.len() * (1 + WAITING),
        };
        self.under_way < room
    }

    /// Starts a job.
    pub fn submit(&mut self, job: J) {
        self.under_way += 1;
        match &mut self.workers {
            LaneWorkers::Here(work, results) => results.push_back(work(job)),
            LaneWorkers::Threads { lanes, submitted, .. } => {
                let n = lanes.len();
                let lane = &mut lanes[*submitted % n];
                *submitted += 1;
                // A thread that is gone has panicked: `take` will go on with that.
                let _ = lane.jobs.as_ref().map(|jobs| jobs.send(job));
            }
        }
    }

    /// Waits for the result of the oldest job; `None` if no job is under way.
    pub fn take(&mut self) -> Option<R> {
        if self.under_way == 0 {
            return None;
        }
        self.under_way -= 1;
        match &mut self.workers {
            LaneWorkers::Here(_, results) => results.pop_front(),
            LaneWorkers::Threads { lanes, taken, .. } => {
                let n = lanes.len();
                let lane = &mut lanes[*taken % n];
                *taken += 1;
                match lane.results.recv() {
                    Ok(result) => Some(result),
                    Err(_) => lane.resume_panic(),
                }
            }
        }
    }
}

impl<J, R> WorkerLane<J, R> {
    /// The thread has ended while its results were waited for: its panic goes on here.
    fn resume_panic(&mut self) -> ! {
        match self.thread.take().map(JoinHandle::join) {
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            _ => unreachable!("a worker ends when its queue is closed or it panics"),
        }
    }
}

impl<J, R> Drop for Lanes<J, R> {
    /// Threads never outlive their owner.
    fn drop(&mut self) {
        if let LaneWorkers::Threads { lanes, .. } = &mut self.workers {
            lanes.iter_mut().for_each(|lane| lane.jobs = None);
            for lane in lanes {
                // Results nobody wants any more; and a panic that has been seen or doesn't matter.
                lane.results.iter().for_each(drop);
                let _ = lane.thread.take().map(JoinHandle::join);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_jobs() {
        for threads in [1, 2, 5] {
            let mut work = Lanes::new(threads, || {
                |n: u64| {
                    std::thread::sleep(std::time::Duration::from_micros(n * 7919 % 500));
                    n * n
                }
            })
            .expect("threads");
            let mut jobs = 0..200;
            let mut found = Vec::new();
            loop {
                while work.has_room()
                    && let Some(n) = jobs.next()
                {
                    work.submit(n);
                }
                let Some(n) = work.take() else { break };
                found.push(n);
            }
            assert_eq!(found, (0..200).map(|n| n * n).collect::<Vec<u64>>());
        }
    }

    #[test]
    fn it_can_be_dropped_with_work_under_way() {
        let mut work = Lanes::new(3, || |n: u64| n).expect("threads");
        while work.has_room() {
            work.submit(1);
        }
        assert_eq!(work.take(), Some(1));
    }

    #[test]
    #[should_panic(expected = "job 3")]
    fn a_panic_goes_on_at_the_caller() {
        let mut work = Lanes::new(2, || {
            |n: u64| {
                assert!(n != 3, "job {n}");
                n
            }
        })
        .expect("threads");
        (0..4).for_each(|n| work.submit(n));
        while work.take().is_some() {}
    }
}
