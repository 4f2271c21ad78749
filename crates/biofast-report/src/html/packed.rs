//! Parts of a page that few will open: compressed, until the page's script unpacks them.

use libdeflater::{CompressionLvl, Compressor};

/// As many samples are packed together.
const TOGETHER: usize = 20;

/// Bodies of samples that are opened one by one. What several have in common is stored once: they are packed together.
#[derive(Default)]
pub(super) struct Packs {
    bodies: Vec<String>,
    text: String,
    packs: usize,
    id: &'static str,
}

impl Packs {
    /// Packs whose ids in the page start with `id`.
    pub(super) fn new(id: &'static str) -> Packs {
        Packs { id, ..Packs::default() }
    }

    /// Adds a body, and gives the attributes by which it is found.
    pub(super) fn add(&mut self, body: &str) -> String {
        let place =
            format!(" data-pack=\"{}{}\" data-part=\"{}\"", self.id, self.packs, self.bodies.len());
        self.bodies.push(body.to_owned());
        if self.bodies.len() == TOGETHER {
            self.close();
        }
        place
    }

    fn close(&mut self) {
        let all = by_chart(&std::mem::take(&mut self.bodies));
        let (id, number) = (self.id, self.packs);
        self.text += &format!("<template id=\"{id}{number}\">{}</template>\n", pack(&all));
        self.packs += 1;
    }

    /// The elements that hold the bodies.
    pub(super) fn finish(mut self) -> String {
        if !self.bodies.is_empty() {
            self.close();
        }
        self.text
    }
}

/// Bodies of samples, in the page as they are, or packed where there are many.
pub(super) struct Bodies {
    packs: Option<Packs>,
    text: String,
}

impl Bodies {
    /// None yet. The ids of packs start with `id`.
    pub(super) fn new(id: &'static str, are_packed: bool) -> Bodies {
        Bodies { packs: are_packed.then(|| Packs::new(id)), text: String::new() }
    }

    /// Adds a body, and gives the attributes by which it is found; none if it stands in the page.
    pub(super) fn add(&mut self, body: &str) -> String {
        match &mut self.packs {
            Some(packs) => packs.add(body),
            None => {
                self.text += body;
                String::new()
            }
        }
    }

    /// What stands in the page.
    pub(super) fn finish(self) -> String {
        self.packs.map_or(self.text, Packs::finish)
    }
}

/// Bodies cut before each chart: the numbers of their pieces, then the first pieces of all, the second ones, and so on. Charts of
/// one kind are alike, and as neighbours they are within reach of the compressor. A form feed is in no body: what can't be
/// seen is shown by its code.
fn by_chart(bodies: &[String]) -> String {
    let cut = |body: &str| -> Vec<String> {
        let mut pieces = Vec::new();
        for piece in body.split("<figure ") {
            let start = if pieces.is_empty() { "" } else { "<figure " };
            pieces.push(format!("{start}{piece}"));
        }
        pieces
    };
    let cut: Vec<Vec<String>> = bodies.iter().map(|body| cut(body)).collect();
    let numbers: Vec<String> = cut.iter().map(|pieces| pieces.len().to_string()).collect();
    let mut text = numbers.join(" ");
    for number in 0..cut.iter().map(Vec::len).max().unwrap_or(0) {
        for piece in cut.iter().filter_map(|pieces| pieces.get(number)) {
            text.push('\u{c}');
            text += piece;
        }
    }
    text
}

/// Text as the page's script unpacks it: raw DEFLATE in base64 (RFC 4648).
fn pack(text: &str) -> String {
    let mut compressor = Compressor::new(CompressionLvl::best());
    let mut bytes = vec![0; compressor.deflate_compress_bound(text.len())];
    // The bound is always enough; nothing is what an unpacked part would have in the worst case.
    let length = compressor.deflate_compress(text.as_bytes(), &mut bytes).unwrap_or(0);
    bytes.truncate(length);
    base64(&bytes)
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |i: usize| u32::from(three.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            match i <= three.len() {
                true => text.push(char::from(LETTERS[(bits >> (18 - 6 * i) & 63) as usize])),
                false => text.push('='),
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_rfc() {
        let texts = ["", "f", "fo", "foo", "foob", "fooba", "foobar"];
        let expected = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        assert_eq!(texts.map(|text| base64(text.as_bytes())), expected);
        let packed = pack(&"the same again ".repeat(1000));
        assert!(packed.len() < 200, "{}", packed.len());
    }

    #[test]
    fn charts_of_one_kind_are_neighbours() {
        let chart = "<figure id=\"x\"><path d=\"M0 0\"/></figure>";
        let body = |name: &str, charts: usize| format!("<p>{name}</p>{}", chart.repeat(charts));
        let all = by_chart(&[body("a", 1), body("b", 0), body("c", 2)]);
        let pieces: Vec<&str> = all.split('\u{c}').collect();
        assert_eq!(pieces, ["2 1 3", "<p>a</p>", "<p>b</p>", "<p>c</p>", chart, chart, chart]);
    }
}
