//! The colours of charts as people see them: with normal vision, and without red, green or blue cones.

/// What of linear red, green and blue is seen (Machado, Oliveira and Fernandes 2009, severity 1).
const VISIONS: [[[f64; 3]; 3]; 4] = [
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
];

/// Linear red, green and blue of `#rrggbb`.
fn linear(colour: &str) -> [f64; 3] {
    [0, 2, 4].map(|at| {
        let part = u8::from_str_radix(&colour[at..at + 2], 16).expect("a colour");
        let part = f64::from(part) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    })
}

/// CIE L*a*b* of linear red, green and blue.
fn lab(rgb: [f64; 3]) -> [f64; 3] {
    let [r, g, b] = rgb.map(|part| part.clamp(0.0, 1.0));
    let curve = |t: f64| if t > 0.008856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 };
    let x = curve((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
    let y = curve(0.2126 * r + 0.7152 * g + 0.0722 * b);
    let z = curve((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

#[test]
fn lines_differ_for_all_eyes_on_light_and_dark_paper_and_in_print() {
    let css = include_str!("page.css");
    // In the order of the style sheet: light, dark, print.
    let blocks: Vec<&str> = css.split("--c1: #").skip(1).collect();
    assert_eq!(blocks.len(), 3);
    for block in blocks {
        let mut colours = vec![&block[..6]];
        for number in 2..=7 {
            let (_, colour) = block.split_once(&format!("--c{number}: #")).expect("a colour");
            colours.push(&colour[..6]);
        }
        for vision in VISIONS {
            let seen = colours.iter().map(|colour| {
                let rgb = linear(colour);
                lab(vision.map(|row| row.iter().zip(rgb).map(|(share, part)| share * part).sum()))
            });
            let seen: Vec<[f64; 3]> = seen.collect();
            for (i, one) in seen.iter().enumerate() {
                for (other, of) in seen[..i].iter().zip(&colours) {
                    let apart = one.iter().zip(other).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
                    assert!(apart.sqrt() > 12.0, "{} and {of} in {vision:?}", colours[i]);
                }
            }
        }
    }
}
