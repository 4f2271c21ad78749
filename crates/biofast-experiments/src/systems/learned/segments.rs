//! The fewest line segments that come within `epsilon` of the position of every key, in one pass (O'Rourke 1981, as
//! used by the PGM index): the lines through all allowed intervals so far are bounded by two extreme ones, which the
//! convex hulls of the intervals' ends tell. Arithmetic is exact (`i128`) until a line is chosen.

/// A line: the position of `key` is `intercept + slope * (key - first)`, about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Segment {
    /// The smallest key it is for.
    pub(super) first: u64,
    pub(super) slope: f64,
    pub(super) intercept: f64,
    /// The position of `first`.
    pub(super) start: usize,
}

impl Segment {
    /// The line's value, not less than `start` and not more than `end`. Never falls as `key` grows: each step of
    /// the arithmetic, rounded, keeps the order.
    #[inline]
    pub(super) fn predict(&self, key: u64, end: usize) -> usize {
        let value = self.intercept + self.slope * (key - self.first) as f64;
        // A float outside the range becomes its nearest end.
        (value as usize).clamp(self.start, end)
    }
}

#[derive(Clone, Copy)]
struct Point {
    x: i128,
    y: i128,
}

impl Point {
    /// From another point to this one.
    fn from(self, other: Point) -> Slope {
        Slope { dx: self.x - other.x, dy: self.y - other.y }
    }
}

#[derive(Clone, Copy)]
struct Slope {
    dx: i128,
    dy: i128,
}

impl Slope {
    /// Both must point the same way along x. Keys are below 2^64 and positions below 2^62, so products fit.
    fn below(self, other: Slope) -> bool {
        self.dy * other.dx < self.dx * other.dy
    }

    fn cross(self, other: Slope) -> i128 {
        self.dx * other.dy - self.dy * other.dx
    }

    fn value(self) -> f64 {
        self.dy as f64 / self.dx as f64
    }
}

/// The lines still possible, in a segment that began at some key.
struct Lines {
    epsilon: i128,
    /// The first key: x is counted from it, so that floats keep their digits for what differs.
    first: u64,
    points: usize,
    /// The extreme lines: the flattest from 0 to 2, the steepest from 1 to 3.
    corners: [Point; 4],
    lower: Vec<Point>,
    upper: Vec<Point>,
    lower_start: usize,
    upper_start: usize,
}

impl Lines {
    fn new(epsilon: usize) -> Self {
        Lines {
            epsilon: epsilon as i128,
            first: 0,
            points: 0,
            corners: [Point { x: 0, y: 0 }; 4],
            lower: Vec::new(),
            upper: Vec::new(),
            lower_start: 0,
            upper_start: 0,
        }
    }

    /// Takes the next key; false if no line passes close enough to it and to all before.
    fn add(&mut self, key: u64, position: usize) -> bool {
        if self.points == 0 {
            self.first = key;
        }
        let (x, y) = (i128::from(key - self.first), position as i128);
        let (top, bottom) = (Point { x, y: y + self.epsilon }, Point { x, y: y - self.epsilon });
        match self.points {
            0 => {
                self.corners = [top, bottom, bottom, top];
                self.lower = vec![bottom];
                self.upper = vec![top];
            }
            1 => {
                self.corners[2] = bottom;
                self.corners[3] = top;
                self.lower.push(bottom);
                self.upper.push(top);
            }
            _ => {
                let flattest = self.corners[2].from(self.corners[0]);
                let steepest = self.corners[3].from(self.corners[1]);
                if top.from(self.corners[2]).below(flattest)
                    || steepest.below(bottom.from(self.corners[3]))
                {
                    return false;
                }
                if top.from(self.corners[1]).below(steepest) {
                    self.lower_steepest(top);
                }
                if flattest.below(bottom.from(self.corners[0])) {
                    self.raise_flattest(bottom);
                }
            }
        }
        self.points += 1;
        true
    }

    /// The steepest line now goes through `top` and the point of the lower hull where it touches.
    fn lower_steepest(&mut self, top: Point) {
        let mut best = self.lower_start;
        for i in best + 1..self.lower.len() {
            if self.lower[best].from(top).below(self.lower[i].from(top)) {
                break;
            }
            best = i;
        }
        self.corners[1] = self.lower[best];
        self.corners[3] = top;
        self.lower_start = best;
        let upper = &mut self.upper;
        while upper.len() >= self.upper_start + 2 {
            let [.., a, b] = upper[..] else { break };
            if b.from(a).cross(top.from(a)) > 0 {
                break;
            }
            upper.pop();
        }
        upper.push(top);
    }

    /// The flattest line now goes through `bottom` and the point of the upper hull where it touches.
    fn raise_flattest(&mut self, bottom: Point) {
        let mut best = self.upper_start;
        for i in best + 1..self.upper.len() {
            if self.upper[i].from(bottom).below(self.upper[best].from(bottom)) {
                break;
            }
            best = i;
        }
        self.corners[0] = self.upper[best];
        self.corners[2] = bottom;
        self.upper_start = best;
        let lower = &mut self.lower;
        while lower.len() >= self.lower_start + 2 {
            let [.., a, b] = lower[..] else { break };
            if b.from(a).cross(bottom.from(a)) < 0 {
                break;
            }
            lower.pop();
        }
        lower.push(bottom);
    }

    /// A line between the extreme ones, through the point where they cross.
    fn segment(&self, start: usize) -> Segment {
        let [a, b, c, d] = self.corners;
        let first = self.first;
        if self.points < 2 {
            return Segment { first, slope: 0.0, intercept: start as f64, start };
        }
        let (flattest, steepest) = (c.from(a), d.from(b));
        let slope = ((flattest.value() + steepest.value()) / 2.0).max(0.0);
        let turn = flattest.cross(steepest);
        let (x, y) = if turn == 0 {
            (a.x as f64, a.y as f64)
        } else {
            let along = b.from(a).cross(steepest) as f64 / turn as f64;
            (a.x as f64 + along * flattest.dx as f64, a.y as f64 + along * flattest.dy as f64)
        };
        Segment { first, slope, intercept: y - slope * x, start }
    }
}

/// Segments for strictly ascending keys, whose positions are 0, 1, 2, …
pub(super) fn segments(keys: &[u64], epsilon: usize) -> Vec<Segment> {
    let mut all = Vec::new();
    let mut lines = Lines::new(epsilon);
    let mut start = 0;
    for (i, &key) in keys.iter().enumerate() {
        if !lines.add(key, i) {
            all.push(lines.segment(start));
            lines = Lines::new(epsilon);
            lines.add(key, i);
            start = i;
        }
    }
    if !keys.is_empty() {
        all.push(lines.segment(start));
    }
    all
}
