//! POSIX extended regular expressions, as `regcomp` of glibc reads them, in the syntax of the
//! crate regex. Only whether a text matches is asked, so which match is taken doesn't matter.

use crate::change::filter::regex::{self, Regex};

/// The largest count of `{n,m}`, as in glibc.
const MAX_COUNT: u32 = 32_767;

/// Compiles a pattern.
///
/// # Errors
/// What is wrong with it.
pub(super) fn compile(pattern: &[u8]) -> Result<Regex, String> {
    let translated = Translator { pattern, at: 0, out: String::new() }.translate()?;
    regex::compile(&translated)
}

struct Translator<'a> {
    pattern: &'a [u8],
    at: usize,
    out: String,
}

/// What a quantifier would apply to.
#[derive(Clone, Copy)]
enum Last {
    /// Nothing: the start of a branch.
    Nothing,
    /// An anchor or a word boundary.
    Anchor,
    /// An atom that starts here in the output.
    Atom(usize),
    /// An atom with its quantifier.
    Repeated(usize),
}

impl Translator<'_> {
    fn next(&mut self) -> Option<u8> {
        let byte = self.pattern.get(self.at).copied();
        self.at += usize::from(byte.is_some());
        byte
    }

    fn literal(&mut self, byte: u8) {
        if byte.is_ascii_alphanumeric() {
            self.out.push(char::from(byte));
        } else {
            self.out.push_str(&format!("\\x{byte:02x}"));
        }
    }

    fn translate(mut self) -> Result<String, String> {
        // Where the open groups start in the output.
        let mut groups = Vec::new();
        let mut last = Last::Nothing;
        while let Some(byte) = self.next() {
            let start = self.out.len();
            last = match byte {
                b'(' => {
                    groups.push(start);
                    self.out.push_str("(?:");
                    Last::Nothing
                }
                b')' => match groups.pop() {
                    Some(start) => {
                        self.out.push(')');
                        Last::Atom(start)
                    }
                    // Without a partner it stands for itself.
                    None => {
                        self.literal(byte);
                        Last::Atom(start)
                    }
                },
                b'|' => {
                    self.out.push('|');
                    Last::Nothing
                }
                b'^' | b'$' => {
                    self.out.push(char::from(byte));
                    Last::Anchor
                }
                b'.' => {
                    self.out.push('.');
                    Last::Atom(start)
                }
                b'*' | b'+' | b'?' | b'{' => self.quantifier(byte, last)?,
                b'[' => {
                    self.bracket()?;
                    Last::Atom(start)
                }
                b'\\' => self.escape(start)?,
                _ => {
                    self.literal(byte);
                    Last::Atom(start)
                }
            };
        }
        if groups.is_empty() { Ok(self.out) } else { Err("`(` without `)`".into()) }
    }

    fn quantifier(&mut self, byte: u8, last: Last) -> Result<Last, String> {
        let start = match last {
            Last::Atom(start) => start,
            Last::Repeated(start) => {
                // A quantifier of a quantifier would mean something else without the group.
                self.out.insert_str(start, "(?:");
                self.out.push(')');
                start
            }
            Last::Nothing | Last::Anchor => {
                return Err(format!("`{}` that has nothing to repeat", char::from(byte)));
            }
        };
        if byte == b'{' {
            let (least, most) = self.counts()?;
            let most = most.map(|most| most.to_string()).unwrap_or_default();
            self.out.push_str(&format!("{{{least},{most}}}"));
        } else {
            self.out.push(char::from(byte));
        }
        Ok(Last::Repeated(start))
    }

    /// The counts of `{n}`, `{n,}`, `{,m}` or `{n,m}` after the brace.
    fn counts(&mut self) -> Result<(u32, Option<u32>), String> {
        let malformed = || "`{` that starts no repetition such as `{2,5}`".to_owned();
        let rest = &self.pattern[self.at..];
        let len = rest.iter().position(|&b| b == b'}').ok_or_else(malformed)?;
        self.at += len + 1;
        let text = std::str::from_utf8(&rest[..len]).map_err(|_| malformed())?;
        let number = |text: &str| match text.bytes().all(|b| b.is_ascii_digit()) {
            true => text.parse().ok().filter(|&n: &u32| n <= MAX_COUNT).ok_or_else(malformed),
            false => Err(malformed()),
        };
        let (least, most) = match text.split_once(',') {
            None => {
                let count = number(text)?;
                (count, Some(count))
            }
            Some((least, most)) => {
                let least = if least.is_empty() { 0 } else { number(least)? };
                (least, if most.is_empty() { None } else { Some(number(most)?) })
            }
        };
        match most {
            Some(most) if most < least => Err(malformed()),
            _ => Ok((least, most)),
        }
    }

    fn escape(&mut self, start: usize) -> Result<Last, String> {
        match self.next() {
            Some(byte @ (b'w' | b'W' | b's' | b'S')) => {
                self.out.push('\\');
                self.out.push(char::from(byte));
                Ok(Last::Atom(start))
            }
            Some(byte @ (b'b' | b'B' | b'<' | b'>')) => {
                self.out.push('\\');
                self.out.push(char::from(byte));
                Ok(Last::Anchor)
            }
            Some(b'`') => {
                self.out.push_str("\\A");
                Ok(Last::Anchor)
            }
            Some(b'\'') => {
                self.out.push_str("\\z");
                Ok(Last::Anchor)
            }
            Some(byte @ b'1'..=b'9') => {
                Err(format!("the unsupported back-reference `\\{}`", char::from(byte)))
            }
            // To glibc it is the letter, to most people a class or a control character.
            Some(byte) if byte.is_ascii_alphanumeric() => Err(format!(
                "`\\{}`, which has no meaning in POSIX expressions (digits are [0-9])",
                char::from(byte)
            )),
            Some(byte) => {
                self.literal(byte);
                Ok(Last::Atom(start))
            }
            None => Err("a backslash at its end".into()),
        }
    }

    /// A bracket expression after its bracket. A backslash has no meaning in it.
    fn bracket(&mut self) -> Result<(), String> {
        let open = || "`[` without `]`".to_owned();
        self.out.push('[');
        if self.pattern.get(self.at) == Some(&b'^') {
            self.at += 1;
            self.out.push('^');
        }
        let first = self.at;
        loop {
            let byte = self.next().ok_or_else(open)?;
            let start = match byte {
                b']' if self.at - 1 > first => {
                    self.out.push(']');
                    return Ok(());
                }
                b'[' if self.pattern.get(self.at) == Some(&b':') => {
                    self.class()?;
                    continue;
                }
                b'[' if matches!(self.pattern.get(self.at), Some(b'.' | b'=')) => {
                    return Err("an unsupported collating symbol or class".into());
                }
                _ => byte,
            };
            self.literal(start);
            // A hyphen before the closing bracket stands for itself.
            if let [b'-', end, ..] = self.pattern[self.at..]
                && end != b']'
            {
                if end < start || end == b'[' && self.is_class(self.at + 1) {
                    return Err("a range that doesn't end at a character after its start".into());
                }
                self.at += 2;
                self.out.push('-');
                self.literal(end);
            }
        }
    }

    /// Whether the bracket at `at` starts a class.
    fn is_class(&self, at: usize) -> bool {
        matches!(self.pattern.get(at + 1), Some(b':' | b'.' | b'='))
    }

    /// A class such as `[:alpha:]` after its bracket.
    fn class(&mut self) -> Result<(), String> {
        const NAMES: [&[u8]; 12] = [
            b"alnum", b"alpha", b"blank", b"cntrl", b"digit", b"graph", b"lower", b"print",
            b"punct", b"space", b"upper", b"xdigit",
        ];
        let rest = &self.pattern[self.at + 1..];
        let name = NAMES
            .iter()
            .find(|name| rest.strip_prefix(**name).is_some_and(|rest| rest.starts_with(b":]")));
        let name = name.ok_or_else(|| "an unknown class of characters".to_owned())?;
        self.at += 1 + name.len() + 2;
        self.out.push_str("[:");
        self.out.extend(name.iter().map(|&b| char::from(b)));
        self.out.push_str(":]");
        Ok(())
    }
}

#[cfg(all(test, feature = "regex"))]
mod tests {
    use super::*;

    fn finds(pattern: &str, text: &str) -> bool {
        compile(pattern.as_bytes()).expect(pattern).is_match(text.as_bytes())
    }

    #[test]
    fn posix_syntax_keeps_its_meaning() {
        // What would be special to the crate isn't.
        assert!(finds(r"^a\.b$", "a.b") && !finds(r"^a\.b$", "axb"));
        assert!(finds(r"^[\]x]$", "\\x]") && finds(r"^[]a]+$", "]a]") && !finds("[^]a]", "]a"));
        assert!(finds("^[a[b]+$", "[ab") && finds("^[a&&b]+$", "a&b") && finds("^[a-]+$", "-a"));
        assert!(finds("^[[:digit:]x-z]+$", "1y") && !finds("[[:digit:]]", "x"));
        assert!(finds("^a+?$", "") && finds("^a+?$", "aa"));
        assert!(finds("^a{,2}$", "aa") && !finds("^a{,2}$", "aaa") && finds("^(ab){2}$", "abab"));
        assert!(finds("a)", "a)") && finds("(a|b|)c", "c") && finds("a]}", "a]}"));
        assert!(finds("^a.c$", "a\nc") && !finds("^b", "a\nb"));
        assert!(finds(r"\<ab\>", "x ab") && !finds(r"\<ab\>", "xab") && finds(r"\w\W\s", "a  "));
        assert!(finds("^é[é]{2}$", "éé"));
    }

    #[test]
    fn what_means_something_else_is_refused() {
        for pattern in [
            "*a", "a|*", "(?:a)", "(?i)a", "(a", "a{", "a{x}", "a{3,2}", "a{40000}", r"a\", r"\d",
            r"(a)\1", r"\n", "[a", "[[.a.]]", "[[:foo:]]", "[z-a]", "^*",
        ] {
            assert!(compile(pattern.as_bytes()).is_err(), "{pattern}");
        }
    }
}
