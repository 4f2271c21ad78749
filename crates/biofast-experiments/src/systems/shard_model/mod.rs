//! How long shards of a large input take on many workers: a calculation from what one machine was measured to take, and from
//! assumptions about the others. Used by entry 059.

mod measured;

pub(crate) use measured::READS;

/// What one machine takes; seconds are of one core.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measured {
    /// Stored bytes that the next two are about.
    pub(crate) bytes: f64,
    /// To read them as shards, without what each shard takes whatever its size.
    pub(crate) read_s: f64,
    /// To find where they can be cut.
    pub(crate) plan_s: f64,
    /// What a shard takes whatever its size.
    pub(crate) shard_s: f64,
    pub(crate) merge_part_s: f64,
    /// Such a report.
    pub(crate) part_bytes: f64,
}

/// What is assumed. Bytes and seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Assumed {
    /// Stored bytes of all files.
    pub(crate) bytes: f64,
    /// A second, of a link that so many workers share.
    pub(crate) link: f64,
    pub(crate) workers_of_link: f64,
    /// A second, of all that is stored.
    pub(crate) storage: f64,
    /// Workers started a second, and how long one takes to start.
    pub(crate) starts: f64,
    pub(crate) start_s: f64,
    /// Of an hour of a core.
    pub(crate) price: f64,
}

impl Assumed {
    /// 10 TB, and the network of ordinary machines in a cloud.
    pub(crate) const TEN_TB: Assumed = Assumed {
        bytes: 1e13,
        link: 1.25e9,
        workers_of_link: 32.0,
        storage: 1e11,
        starts: 50.0,
        start_s: 5.0,
        price: 0.04,
    };
}

/// What is known of where files can be cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Plans {
    /// Nothing: so many files are read, side by side as far as there are workers.
    Files(f64),
    /// All.
    Known,
}

/// Seconds, and what they cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Times {
    pub(crate) plan_s: f64,
    pub(crate) read_s: f64,
    pub(crate) merge_s: f64,
    pub(crate) cost: f64,
}

impl Times {
    pub(crate) fn total_s(&self) -> f64 {
        self.plan_s + self.read_s + self.merge_s
    }
}

/// The times of so many workers, of which each reads one shard.
pub(crate) fn times(workers: f64, plans: Plans, measured: &Measured, assumed: &Assumed) -> Times {
    // Bytes a second that each of some workers gets, and works on.
    let fetched = |workers: f64| {
        let on_link = assumed.link / workers.min(assumed.workers_of_link);
        on_link.min(assumed.storage / workers)
    };
    let rate = |workers: f64, seconds: f64| fetched(workers).min(measured.bytes / seconds);
    let started = |workers: f64| assumed.start_s + workers / assumed.starts;
    let (plan_s, planners) = match plans {
        Plans::Known => (0.0, 0.0),
        Plans::Files(files) => {
            let planners = files.min(workers);
            let each = assumed.bytes / files * (files / planners).ceil();
            (started(planners) + each / rate(planners, measured.plan_s), planners)
        }
    };
    let shard = assumed.bytes / workers;
    let read_s = started(workers) + measured.shard_s + shard / rate(workers, measured.read_s);
    let merge_s = workers * (measured.merge_part_s + measured.part_bytes / assumed.link);
    let core_s = planners * plan_s + workers * (read_s - workers / assumed.starts) + merge_s;
    Times { plan_s, read_s, merge_s, cost: core_s / 3600.0 * assumed.price }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUND: Measured = Measured {
        bytes: 1e8,
        read_s: 1.0,
        plan_s: 0.5,
        shard_s: 0.01,
        merge_part_s: 0.002,
        part_bytes: 0.0,
    };
    const PLAIN: Assumed = Assumed {
        bytes: 1e12,
        link: 1e9,
        workers_of_link: 10.0,
        storage: 1e12,
        starts: 100.0,
        start_s: 1.0,
        price: 3.6,
    };

    #[test]
    fn times_are_those_reckoned_by_hand() {
        // One worker works slower than it fetches: 10^12 bytes at 10^8 a second.
        let one = times(1.0, Plans::Known, &ROUND, &PLAIN);
        assert!((one.read_s - (1.01 + 0.01 + 1e4)).abs() < 1e-6, "{one:?}");
        assert!((one.merge_s - 0.002).abs() < 1e-9 && one.plan_s == 0.0);
        // Ten share a link, and get as much each.
        let ten = times(10.0, Plans::Files(1.0), &ROUND, &PLAIN);
        assert!((ten.read_s - (1.1 + 0.01 + 1e3)).abs() < 1e-6, "{ten:?}");
        // The plan is made at twice the speed, by one.
        assert!((ten.plan_s - (1.01 + 5e3)).abs() < 1e-6, "{ten:?}");
        // Half of them plan two of four files each.
        let two = times(2.0, Plans::Files(4.0), &ROUND, &PLAIN);
        assert!((two.plan_s - (1.02 + 2.5e3)).abs() < 1e-6, "{two:?}");
        // Storage that gives 10^10 bytes a second to a thousand.
        let slow = Assumed { storage: 1e10, ..PLAIN };
        let many = times(1000.0, Plans::Known, &ROUND, &slow);
        assert!((many.read_s - (11.0 + 0.01 + 100.0)).abs() < 1e-6, "{many:?}");
        assert!((many.cost - (1000.0 * 101.01 + 2.0) / 1000.0).abs() < 1e-6, "{many:?}");
    }
}
