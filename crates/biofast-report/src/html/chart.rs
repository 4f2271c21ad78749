//! One chart: an SVG drawing with its title, key, description and figures as a table.

use std::fmt::Write;

use super::scale::{Axis, Scale};
use super::text::escape;
use crate::number::{compact, decimal};

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 270.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 34.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 44.0;
/// So many lines have their names at their ends, if none is longer than this.
const NAMED_LINES: usize = 6;
const LONGEST_NAME: usize = 18;
/// Names are as far apart, and a letter is as wide, at the largest size that they have on small screens.
const NAME_HEIGHT: f64 = 15.0;
const LETTER: f64 = 7.7;
/// What is before a name: a piece of its line, behind the names of rules if there are any.
const NAME_MARK: f64 = 22.0;
const RULE_NAMES: f64 = 28.0;
/// Names of rules are short, and may be all of wide letters.
const RULE_LETTER: f64 = 9.5;

/// How a mark looks in the key.
#[derive(Clone, Copy)]
pub(super) enum Mark {
    Line,
    Area,
}

/// A chart in the making. Colours and dashes are classes of the style sheet.
pub(super) struct Chart {
    title: String,
    id: String,
    axes: [Axis; 2],
    /// Ticks with names, in place of the numbers of an axis.
    names: [Option<Vec<(f64, String)>>; 2],
    x: Scale,
    y: Scale,
    marks: String,
    key: String,
    /// Lines that have a name.
    named: Vec<NamedLine>,
    /// The letters of the longest name of a rule, if there are rules.
    rule_name: Option<usize>,
    /// Places of the rows of figures along an axis, in the drawing.
    places: Vec<f64>,
    /// Whether these are heights.
    upright: bool,
    columns: String,
    rows: Vec<Vec<String>>,
}

/// A line with a name, and how high it ends.
struct NamedLine {
    class: String,
    name: String,
    end: f64,
}

impl NamedLine {
    /// What stands at its end: what is in parentheses is in the key alone.
    fn label(&self) -> &str {
        self.name.split(" (").next().unwrap_or(&self.name)
    }
}

/// A step of a path, in tenths.
pub(super) fn step(x: i64, y: i64) -> String {
    format!("{}{}{} ", tenths(x), if y < 0 { "" } else { " " }, tenths(y))
}

/// Tenths as a number, as short as SVG allows.
pub(super) fn tenths(n: i64) -> String {
    let (sign, n) = (if n < 0 { "-" } else { "" }, n.unsigned_abs());
    match (n / 10, n % 10) {
        (whole, 0) => format!("{sign}{whole}"),
        (0, part) => format!("{sign}.{part}"),
        (whole, part) => format!("{sign}{whole}.{part}"),
    }
}

/// A coordinate with one decimal at most.
fn place(value: f64) -> String {
    decimal(value, 1)
}

/// Places with one decimal: start and step where they are evenly apart, else all.
fn places(all: &[f64]) -> String {
    if let (Some(first), Some(last)) = (all.first(), all.last())
        && all.len() > 2
    {
        let step = (last - first) / (all.len() - 1) as f64;
        let even = |(i, at): (usize, &f64)| (first + step * i as f64 - at).abs() < 0.05;
        if all.iter().enumerate().all(even) {
            return format!("{}+{}", decimal(*first, 2), decimal(step, 4));
        }
    }
    all.iter().map(|at| place(*at)).collect::<Vec<_>>().join(" ")
}

/// Figures as the page's script reads them: a line for each column, as neighbours in a column are alike.
pub(super) fn by_column(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let column = |at: usize| {
        let cells = rows.iter().map(|row| row.get(at).map_or(String::new(), |cell| escape(cell)));
        cells.collect::<Vec<_>>().join("\t")
    };
    (0..columns).map(column).collect::<Vec<_>>().join("\n")
}

impl Chart {
    /// An empty chart. `id` is unique in the page.
    pub(super) fn new(id: String, title: &str, x: Axis, y: Axis) -> Chart {
        Chart {
            title: title.into(),
            id,
            axes: [x, y],
            names: [None, None],
            x: x.between(LEFT, WIDTH - RIGHT),
            y: y.between(HEIGHT - BOTTOM, TOP),
            marks: String::new(),
            key: String::new(),
            named: Vec::new(),
            rule_name: None,
            places: Vec::new(),
            upright: false,
            columns: String::new(),
            rows: Vec::new(),
        }
    }

    /// The name of the x axis.
    pub(super) fn x_name(&self) -> &'static str {
        self.axes[0].name
    }

    /// Names at places of the x axis, in place of its numbers.
    pub(super) fn x_ticks(&mut self, names: Vec<(f64, String)>) {
        self.names[0] = Some(names);
    }

    /// The same of the y axis.
    pub(super) fn y_ticks(&mut self, names: Vec<(f64, String)>) {
        self.names[1] = Some(names);
    }

    /// The ticks of an axis, with what stands there.
    fn ticks(&self, axis: usize) -> Vec<(f64, String)> {
        if let Some(names) = &self.names[axis] {
            return names.clone();
        }
        let Axis { unit, .. } = self.axes[axis];
        // Above and below a line in the middle are as much.
        let shown = |tick: f64| if axis == 1 { tick.abs() } else { tick };
        let ticks = self.axes[axis].ticks().into_iter();
        ticks.map(|tick| (tick, format!("{}{unit}", compact(shown(tick))))).collect()
    }

    /// Areas that fill their places side by side: left, right, bottom and top.
    pub(super) fn cells(&mut self, class: &str, cells: &[[f64; 4]]) {
        let mut path = String::new();
        for &[left, right, bottom, top] in cells {
            let (x, y) = (self.x.at(left), self.y.at(top));
            let _ = write!(
                path,
                "M{} {}h{}v{}h-{}z",
                place(x),
                place(y),
                place(self.x.at(right) - x),
                place(self.y.at(bottom) - y),
                place(self.x.at(right) - x),
            );
        }
        if !path.is_empty() {
            let _ = write!(self.marks, "<path class=\"mark area {class}\" d=\"{path}\"/>");
        }
    }

    /// A path over points that are at least a pixel apart: the first place, then steps in tenths of a pixel, which take less room.
    fn path(&self, start: char, points: impl ExactSizeIterator<Item = (f64, f64)>) -> String {
        self.path_by(1, start, points)
    }

    /// The same in steps of so many tenths of a pixel.
    fn path_by(
        &self,
        tenths_of_pixel: i64,
        start: char,
        points: impl ExactSizeIterator<Item = (f64, f64)>,
    ) -> String {
        let mut text = String::new();
        let mut last = f64::NEG_INFINITY;
        let mut now = [0i64; 2];
        let end = points.len();
        for (i, (x, y)) in points.enumerate() {
            let x = self.x.at(x);
            if (x - last).abs() < 1.0 && i + 1 < end {
                continue;
            }
            last = x;
            let unit = tenths_of_pixel as f64;
            let next =
                [x, self.y.at(y)].map(|at| (10.0 * at / unit).round() as i64 * tenths_of_pixel);
            let _ = match i {
                0 => write!(text, "{start}{} {}l", tenths(next[0]), tenths(next[1])),
                _ => write!(text, "{}", step(next[0] - now[0], next[1] - now[1])),
            };
            now = next;
        }
        text.truncate(text.trim_end_matches([' ', 'l']).len());
        text
    }

    /// A line.
    pub(super) fn line(&mut self, class: &str, points: &[(f64, f64)]) {
        let path = self.path('M', points.iter().copied());
        let _ = write!(self.marks, "<path class=\"mark line {class}\" d=\"{path}\"/>");
    }

    /// A line with its name at its end, or in the key where there isn't room for all of them.
    pub(super) fn named_line(&mut self, class: &str, points: &[(f64, f64)], name: &str) {
        self.line(class, points);
        let end = self.y.at(points.last().map_or(0.0, |point| point.1));
        self.named.push(NamedLine { class: class.into(), name: name.into(), end });
    }

    /// Whether names stand at the ends of lines.
    fn names_at_ends(&self) -> bool {
        let short = |line: &NamedLine| line.label().chars().count() <= LONGEST_NAME;
        (2..=NAMED_LINES).contains(&self.named.len()) && self.named.iter().all(short)
    }

    /// How wide the names of rules are.
    fn rule_names(&self) -> f64 {
        self.rule_name.map_or(0.0, |longest| RULE_NAMES.max(RULE_LETTER * longest as f64))
    }

    /// The names at the ends of lines, and how wide the drawing is with them.
    fn labels(&self) -> (String, f64) {
        if !self.names_at_ends() {
            return (String::new(), (WIDTH - RIGHT + 5.0 + self.rule_names()).max(WIDTH).ceil());
        }
        let start = WIDTH - RIGHT + 4.0 + self.rule_names();
        let mut lines: Vec<&NamedLine> = self.named.iter().collect();
        lines.sort_by(|a, b| a.end.total_cmp(&b.end));
        let heights = apart(lines.iter().map(|line| line.end).collect());
        let mut text = String::new();
        for (line, y) in lines.iter().zip(heights) {
            let _ = write!(
                text,
                "<path class=\"line {}\" d=\"M{} {}h16\"/><text class=\"end\" x=\"{}\" y=\"{}\">{}</text>",
                line.class,
                place(start),
                place(y),
                place(start + NAME_MARK),
                place(y + 4.0),
                escape(line.label())
            );
        }
        let longest = lines.iter().map(|line| line.label().chars().count()).max().unwrap_or(0);
        (text, (start + NAME_MARK + LETTER * longest as f64).max(WIDTH).ceil())
    }

    /// The line of a sample, which is chosen by `id` and named to who points at it. One of many is drawn in whole pixels.
    pub(super) fn sample(
        &mut self,
        class: &str,
        points: &[(f64, f64)],
        id: &str,
        is_one_of_many: bool,
    ) {
        let path = self.path_by(if is_one_of_many { 10 } else { 1 }, 'M', points.iter().copied());
        let _ =
            write!(self.marks, "<path class=\"mark line {class}\" data-s=\"{id}\" d=\"{path}\"/>");
    }

    /// A dot at each point.
    pub(super) fn dots(&mut self, class: &str, points: &[(f64, f64)]) {
        let mut path = String::new();
        for &(x, y) in points {
            let (x, y) = (self.x.at(x), self.y.at(y));
            let _ = write!(path, "M{} {}a3 3 0 1 0 6 0a3 3 0 1 0-6 0", place(x - 3.0), place(y));
        }
        if !path.is_empty() {
            let _ = write!(self.marks, "<path class=\"mark area {class}\" d=\"{path}\"/>");
        }
    }

    /// What lies between two lines: x, lower and upper.
    pub(super) fn band(&mut self, class: &str, points: &[(f64, f64, f64)]) {
        let upper = self.path('M', points.iter().map(|&(x, _, upper)| (x, upper)));
        let lower = self.path('L', points.iter().rev().map(|&(x, lower, _)| (x, lower)));
        let _ = write!(self.marks, "<path class=\"mark area {class}\" d=\"{upper}{lower}Z\"/>");
    }

    /// Bars that fill their place: left edge, right edge and height.
    pub(super) fn bars(&mut self, class: &str, bars: impl Iterator<Item = (f64, f64, f64)>) {
        let mut path = String::new();
        let floor = self.y.at(0.0);
        for (from, to, height) in bars.filter(|bar| bar.2 != 0.0) {
            let (left, right) = (self.x.at(from), self.x.at(to));
            let gap = if right - left > 4.0 { 1.0 } else { 0.0 };
            // What is there at all can be seen.
            let tall = self.y.at(height) - floor;
            let tall = if tall.abs() < 0.7 { 0.7f64.copysign(-height) } else { tall };
            let _ = write!(
                path,
                "M{} {}v{}h{}v{}z",
                place(left + gap / 2.0),
                place(floor),
                place(tall),
                place((right - left - gap).max(0.5)),
                place(-tall)
            );
        }
        if !path.is_empty() {
            let _ = write!(self.marks, "<path class=\"mark bar {class}\" d=\"{path}\"/>");
        }
    }

    /// A thin line at a value worth comparing with.
    pub(super) fn rule(&mut self, value: f64, name: &str) {
        self.rule_name = self.rule_name.max(Some(name.chars().count()));
        let y = self.y.at(value);
        let _ = write!(
            self.marks,
            "<path class=\"rule\" d=\"M{} {y}H{}\"/><text class=\"small\" x=\"{}\" y=\"{}\">{name}</text>",
            place(LEFT),
            place(WIDTH - RIGHT),
            place(WIDTH - RIGHT + 5.0),
            place(y + 4.0),
            y = place(y),
        );
    }

    /// Whether names at these values would touch.
    pub(super) fn would_touch(&self, one: f64, other: f64) -> bool {
        (self.y.at(one) - self.y.at(other)).abs() < 11.0
    }

    /// What a colour means.
    pub(super) fn key(&mut self, mark: Mark, class: &str, name: &str) {
        let entry = Chart::key_entry(mark, class, name, "");
        self.key += &entry;
    }

    /// An entry of the key; `of_entry` has its attributes.
    fn key_entry(mark: Mark, class: &str, name: &str, of_entry: &str) -> String {
        let swatch = match mark {
            Mark::Line => format!("<path class=\"line {class}\" d=\"M1 6H23\"/>"),
            Mark::Area => format!("<path class=\"area {class}\" d=\"M1 1H23V11H1Z\"/>"),
        };
        format!(
            "<li{of_entry}><svg viewBox=\"0 0 24 12\" width=\"24\" height=\"12\" aria-hidden=\"true\">{swatch}</svg>{}</li>",
            escape(name)
        )
    }

    /// Where the next row of figures belongs on the x axis: it is shown to who points there.
    pub(super) fn at(&mut self, x: f64) {
        self.places.push(self.x.at(x));
    }

    /// The same on the y axis. A chart has either.
    pub(super) fn at_height(&mut self, y: f64) {
        self.upright = true;
        self.places.push(self.y.at(y));
    }

    /// The figures for those who read, point or save them: names of columns, and rows.
    pub(super) fn table(&mut self, columns: &[&str], rows: Vec<Vec<String>>) {
        let names: Vec<String> = columns.iter().map(|column| escape(column)).collect();
        self.columns = names.join("\t");
        self.rows = rows;
    }

    /// The figures as attributes, of which the page's script makes tables, tooltips and files.
    fn figures(&self) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let mut text = format!(
            " data-columns=\"{}\" data-figures=\"{}\"",
            self.columns,
            by_column(&self.rows)
        );
        if self.places.len() == self.rows.len() {
            let way = if self.upright { "y" } else { "x" };
            let _ = write!(text, " data-{way}=\"{}\"", places(&self.places));
        }
        text
    }

    /// The frame: grid, ticks and names of the axes.
    fn frame(&self) -> String {
        let mut text = String::new();
        let [x, y] = &self.axes;
        let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
        for (tick, name) in self.ticks(1) {
            let at = self.y.at(tick);
            let _ = write!(
                text,
                "<path class=\"grid\" d=\"M{LEFT} {at}H{right}\"/><text x=\"{}\" y=\"{}\" \
                 text-anchor=\"end\">{}</text>",
                place(LEFT - 6.0),
                place(at + 4.0),
                escape(&name),
                at = place(at),
            );
        }
        for (tick, name) in self.ticks(0) {
            let at = place(self.x.at(tick));
            let _ = write!(
                text,
                "<path class=\"tick\" d=\"M{at} {bottom}v4\"/><text x=\"{at}\" y=\"{}\" \
                 text-anchor=\"middle\">{}</text>",
                bottom + 16.0,
                escape(&name)
            );
        }
        let _ = write!(
            text,
            "<path class=\"axis\" d=\"M{LEFT} {bottom}H{right}\"/><text class=\"name\" x=\"{}\" \
             y=\"{}\" text-anchor=\"middle\">{}</text><text class=\"name\" text-anchor=\"middle\" \
             transform=\"translate(12 {}) rotate(-90)\">{}</text>",
            (LEFT + right) / 2.0,
            HEIGHT - 8.0,
            x.name,
            (TOP + bottom) / 2.0,
            y.name
        );
        text
    }

    /// The figure, where it stands right below a heading of the second level.
    pub(super) fn finish_on_top(self, description: &str) -> String {
        self.finish(description).replacen("<h4>", "<h4 aria-level=\"3\">", 1)
    }

    /// The figure. `description` says in words what there is to see.
    pub(super) fn finish(self, description: &str) -> String {
        let (labels, width) = self.labels();
        // Who hears the page has them from the key.
        let is_alone = self.named.len() == 1 && self.key.is_empty();
        let named = self.named.iter().filter(|_| !is_alone).map(|line| {
            let at_end = self.names_at_ends() && line.label() == line.name;
            let unseen = if at_end { " class=\"unseen\"" } else { "" };
            Chart::key_entry(Mark::Line, &line.class, &line.name, unseen)
        });
        let key = named.collect::<String>() + &self.key;
        let key = match key.as_str() {
            "" => String::new(),
            key => format!("<ul class=\"key\">{key}</ul>"),
        };
        let table = match self.rows.is_empty() {
            true => String::new(),
            false => format!(
                "<details class=\"figures\"><summary>Values<span class=\"unseen\"> of {}</span></summary></details>",
                escape(&self.title),
            ),
        };
        format!(
            "<figure class=\"chart\" id=\"{id}\"{figures}><figcaption><h4>{title}</h4>{key}</figcaption>\
             <svg viewBox=\"0 0 {width} {HEIGHT}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\">\
             <title id=\"{id}-t\">{title}</title><desc id=\"{id}-d\">{description}</desc>\
             {frame}{marks}{labels}</svg><p class=\"said\">{description}</p>{table}</figure>\n",
            id = self.id,
            figures = self.figures(),
            title = escape(&self.title),
            description = escape(description),
            frame = self.frame(),
            marks = self.marks,
        )
    }
}

/// Heights from the top, in their order, so far apart that names there don't touch, and inside the drawing.
fn apart(mut heights: Vec<f64>) -> Vec<f64> {
    let mut least = TOP;
    for height in &mut heights {
        *height = height.max(least);
        least = *height + NAME_HEIGHT;
    }
    let mut most = HEIGHT - BOTTOM;
    for height in heights.iter_mut().rev() {
        *height = height.min(most);
        most = *height - NAME_HEIGHT;
    }
    heights
}

/// The ids and titles of the charts in a part of a page, as they are written there.
pub(super) fn listed(part: &str) -> impl Iterator<Item = (&str, &str)> {
    part.split("<figure class=\"chart\" id=\"").skip(1).filter_map(|chart| {
        let (id, rest) = chart.split_once('"')?;
        let (_, rest) = rest.split_once("<figcaption><h4>")?;
        Some((id, rest.split_once("</h4>")?.0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_touch_and_stay_inside() {
        for heights in [vec![100.0; 6], vec![0.0; 6], vec![400.0; 6], vec![12.0, 14.0, 90.0, 225.0]]
        {
            let placed = apart(heights.clone());
            let gaps = placed.windows(2).map(|two| two[1] - two[0]);
            assert!(gaps.fold(f64::MAX, f64::min) >= NAME_HEIGHT - 1e-9, "{placed:?}");
            let inside = TOP..=HEIGHT - BOTTOM;
            assert!(placed.iter().all(|height| inside.contains(height)), "{placed:?}");
        }
        assert_eq!(apart(vec![20.0, 80.0]), [20.0, 80.0]);
    }

    #[test]
    fn lines_are_named_at_their_ends_if_there_is_room() {
        let chart = |names: &[&str]| {
            let axes = [Axis::new("x", 0.0, 1.0), Axis::new("y", 0.0, 1.0)];
            let mut chart = Chart::new("id".into(), "Title", axes[0], axes[1]);
            names.iter().for_each(|name| chart.named_line("c1", &[(0.0, 0.0), (1.0, 1.0)], name));
            chart.finish("")
        };
        let two = chart(&["first reads", "mean (of errors)"]);
        assert!(two.contains(">first reads</text>") && two.contains(">mean</text>"));
        // What is shortened is explained in the key, which has all of it for those who hear it.
        assert_eq!(two.matches("<li class=\"unseen\">").count(), 1);
        assert!(two.contains("</svg>mean (of errors)</li>"));
        let width = two.split("viewBox=\"0 0 ").last().and_then(|rest| rest.split(' ').next());
        assert!(width.and_then(|width| width.parse().ok()).is_some_and(|width: f64| width > WIDTH));
        for none in [&["one"][..], &["a"; 7], &["a name that is too long", "b"]] {
            assert!(!chart(none).contains("class=\"end\""), "{none:?}");
        }
    }
}
