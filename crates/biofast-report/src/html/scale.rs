//! From values to places in a drawing.

/// An axis: values from `from` to `to` at places from `start` to `end`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    from: f64,
    to: f64,
    log: bool,
    start: f64,
    end: f64,
}

/// What an axis shows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub(super) name: &'static str,
    pub(super) from: f64,
    pub(super) to: f64,
    /// Equal ratios, not equal differences, are equally far apart.
    pub(super) log: bool,
    /// Values between whole numbers mean nothing.
    pub(super) whole: bool,
    /// Behind the numbers of the ticks.
    pub(super) unit: &'static str,
}

impl Axis {
    /// An axis of numbers that may have decimals.
    pub(super) fn new(name: &'static str, from: f64, to: f64) -> Axis {
        // An axis of one value would have no length.
        let to = if to > from { to } else { from + 1.0 };
        Axis { name, from, to, log: false, whole: false, unit: "" }
    }

    /// An axis from 0 to the first good place for a tick that isn't below `highest`.
    pub(super) fn up_to(name: &'static str, highest: f64) -> Axis {
        let axis = Axis::new(name, 0.0, highest);
        let step = step(axis.to, 5);
        Axis { to: (axis.to / step - 1e-9).ceil() * step, ..axis }
    }

    pub(super) fn percent(self) -> Axis {
        Axis { unit: " %", to: self.to.min(100.0), ..self }
    }

    pub(super) fn whole(self) -> Axis {
        Axis { whole: true, ..self }
    }

    pub(super) fn log(self, log: bool) -> Axis {
        Axis { log, ..self }
    }

    pub(super) fn between(self, start: f64, end: f64) -> Scale {
        Scale { from: self.from, to: self.to, log: self.log, start, end }
    }

    /// Where ticks are.
    pub(super) fn ticks(&self) -> Vec<f64> {
        if self.log {
            let all: Vec<f64> = (0..19)
                .flat_map(|i| [1.0, 2.0, 5.0].map(|digit| digit * 10f64.powi(i)))
                .filter(|&tick| tick >= self.from * 0.999 && tick <= self.to * 1.001)
                .collect();
            // Of many only the powers of ten, as they would touch.
            let powers = |tick: &f64| (tick.log10() - tick.log10().round()).abs() < 1e-9;
            return match all.len() > 9 {
                true => all.into_iter().filter(powers).collect(),
                false => all,
            };
        }
        let mut step = step(self.to - self.from, 6);
        if self.whole {
            step = step.max(1.0);
        }
        let first = (self.from / step - 1e-9).ceil();
        let last = (self.to / step + 1e-9).floor();
        let ticks = (0..=(last - first) as usize).map(|i| (first + i as f64) * step);
        // Positions begin with 1.
        let one = (self.whole && self.from == 1.0 && step > 2.0).then_some(1.0);
        one.into_iter().chain(ticks).collect()
    }
}

impl Scale {
    /// Where `value` is.
    pub(super) fn at(&self, value: f64) -> f64 {
        let share = match self.log {
            true => (value.max(self.from) / self.from).ln() / (self.to / self.from).ln(),
            false => (value - self.from) / (self.to - self.from),
        };
        self.start + share.clamp(0.0, 1.0) * (self.end - self.start)
    }
}

/// A distance of ticks that people count in, so that there are about `n`.
fn step(span: f64, n: u32) -> f64 {
    let raw = span / f64::from(n);
    let power = 10f64.powf(raw.log10().floor());
    let digit = [1.0, 2.0, 5.0].into_iter().find(|digit| digit * power >= raw * 0.999);
    digit.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(Axis::up_to("", 41.0).ticks(), [0.0, 10.0, 20.0, 30.0, 40.0, 50.0]);
        assert_eq!(Axis::new("", 1.0, 150.0).whole().ticks(), [1.0, 50.0, 100.0, 150.0]);
        assert_eq!(Axis::new("", 0.0, 2.0).whole().ticks(), [0.0, 1.0, 2.0]);
        assert_eq!(Axis::new("", 1.0, 5000.0).log(true).ticks(), [1.0, 10.0, 100.0, 1000.0]);
        assert_eq!(Axis::up_to("", 0.0).ticks().len(), 6);
    }

    #[test]
    fn places_stay_inside_the_drawing() {
        let scale = Axis::new("", 1.0, 1000.0).log(true).between(0.0, 300.0);
        assert_eq!([0.0, 1.0, 1000.0, 1e9].map(|v| scale.at(v).round()), [0.0, 0.0, 300.0, 300.0]);
        assert!((scale.at(10.0) - 100.0).abs() < 1e-6);
        let down = Axis::new("", 0.0, 10.0).between(200.0, 0.0);
        assert_eq!(down.at(2.5), 150.0);
    }
}
