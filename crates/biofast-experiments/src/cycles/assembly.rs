//! Finds the hot loop of a function in a compiler's assembly.

use std::cmp::Reverse;

/// A loop's body.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Loop {
    /// Its instructions, a line each.
    pub text: String,
    /// Input bytes it loads an iteration.
    pub bytes: u32,
}

impl Loop {
    /// More bytes first, then fewer instructions.
    fn rank(&self) -> (u32, Reverse<usize>) {
        (self.bytes, Reverse(self.text.lines().count()))
    }
}

/// The innermost loop that loads most in the functions of `kernel` in the module of `isa` or inside of it; of several, the
/// shortest, since others are for input that is seldom seen. `None` if there is no such function or no such loop.
pub(super) fn hot_loop(text: &str, isa: &str, kernel: &str) -> Option<Loop> {
    let lines: Vec<&str> = text.lines().collect();
    let module = if isa == "scalar" { "reference" } else { isa };
    let functions = lines.iter().enumerate().filter_map(|(at, line)| {
        let path = path(line.strip_suffix(':')?)?;
        let [modules @ .., function] = &path[..] else { return None };
        let named =
            *function == kernel || function.strip_prefix(kernel) == Some(&format!("_{isa}"));
        (modules.contains(&module) && named).then(|| {
            let body = &lines[at + 1..];
            let end = body.iter().position(|line| line.contains(".cfi_endproc"));
            &body[..end.unwrap_or(body.len())]
        })
    });
    functions.filter_map(innermost).max_by_key(Loop::rank)
}

/// The path in a mangled name, without crate and hash: `_ZN5crate6module8function17h…E`.
fn path(symbol: &str) -> Option<Vec<&str>> {
    let mut rest = symbol.strip_prefix("_ZN")?;
    let mut path = Vec::new();
    while rest != "E" {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let len: usize = rest[..digits].parse().ok()?;
        path.push(rest.get(digits..digits + len)?);
        rest = rest.get(digits + len..)?;
    }
    path.pop();
    Some(path)
}

/// The loop of a function that contains no other and loads most bytes.
fn innermost(lines: &[&str]) -> Option<Loop> {
    let label_of =
        |line: &str| line.strip_suffix(':').filter(|l| l.starts_with(".L")).map(str::to_owned);
    let labels: Vec<Option<String>> = lines.iter().map(|line| label_of(line)).collect();
    let jumps = lines.iter().enumerate().filter_map(|(to, line)| {
        let (_, operands) = instruction(line)?;
        let target = operands.rsplit([' ', ',', '\t']).next()?;
        let from = labels.iter().position(|label| label.as_deref() == Some(target))?;
        (from < to).then_some((from, to))
    });
    let loops: Vec<(usize, usize)> = jumps.collect();
    let inner = loops.iter().filter(|(from, to)| {
        !loops.iter().any(|(a, b)| (a, b) != (from, to) && from <= a && b <= to)
    });
    let found = inner.map(|&(from, to)| {
        let body = lines[from..=to].iter().filter(|line| instruction(line).is_some());
        let bytes = body.clone().map(|line| loaded(line)).sum();
        Loop { text: body.fold(String::new(), |text, line| text + line + "\n"), bytes }
    });
    // Jumps need their labels.
    let found = found.map(|found| {
        let straight = found.text.lines().filter(|line| !is_jump(line));
        Loop { text: straight.fold(String::new(), |text, line| text + line + "\n"), ..found }
    });
    found.filter(|found| found.bytes > 0).max_by_key(Loop::rank)
}

/// Mnemonic and operands; `None` for labels, directives and comments.
fn instruction(line: &str) -> Option<(&str, &str)> {
    let text = line.strip_prefix('\t')?;
    if text.starts_with(['.', '#', '/']) {
        return None;
    }
    Some(text.split_once('\t').unwrap_or((text, "")))
}

fn is_jump(line: &str) -> bool {
    instruction(line).is_some_and(|(mnemonic, operands)| {
        let x86 = mnemonic.starts_with('j');
        let arm = mnemonic == "b" || mnemonic.starts_with("b.") || mnemonic.starts_with("cb");
        (x86 || arm || mnemonic.starts_with("tb")) && operands.contains(".L")
    })
}

/// Bytes an instruction loads, but for constants and the stack.
fn loaded(line: &str) -> u32 {
    let Some((mnemonic, operands)) = instruction(line) else { return 0 };
    let constant = ["(%rip)", "(%rsp", "[sp", "{1to", ":lo12:"];
    if constant.iter().any(|c| operands.contains(c)) {
        return 0;
    }
    match mnemonic {
        "ldr" | "ldur" if operands.starts_with('q') => 16,
        "ldr" | "ldur" if operands.starts_with('d') || operands.starts_with('x') => 8,
        "ldrb" | "ldurb" => 1,
        "ldp" if operands.starts_with('q') => 32,
        "ldp" if operands.starts_with('d') || operands.starts_with('x') => 16,
        "ld1" => 16 * operands.split(']').next().unwrap_or("").matches(".16b").count() as u32,
        _ if mnemonic.starts_with("movz") && operands.contains('(') => {
            if mnemonic.contains("zb") {
                1
            } else {
                2
            }
        }
        _ if !operands.contains('(') || mnemonic.starts_with("lea") => 0,
        // The last operand is what is written; a store loads nothing.
        _ if mnemonic.starts_with('v') && mnemonic.contains("mov") && operands.ends_with(')') => 0,
        _ if operands.contains("%zmm") => 64,
        _ if operands.contains("%ymm") => 32,
        _ if operands.contains("%xmm") => 16,
        _ if mnemonic == "cmpb" || mnemonic == "movb" => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEON: &str = "\
_ZN5crate7aarch644neon8count_gc17h0123456789abcdefE:
\t.cfi_startproc
\tmov\tx12, x0
.LBB1_2:
\tmov\tv3.16b, v0.16b
.LBB1_3:
\tldr\tq4, [x15], #16
\tsubs\tx14, x14, #16
\tcmeq\tv4.16b, v4.16b, v2.16b
\tb.ne\t.LBB1_3
\tsubs\tx10, x10, x13
\tb.ne\t.LBB1_2
.LBB1_4:
\tldrb\tw12, [x11, x9]
\tb.ne\t.LBB1_4
\tret
\t.cfi_endproc
";

    #[test]
    fn the_innermost_loop_that_loads_most_is_the_hot_one() {
        let found = hot_loop(NEON, "neon", "count_gc").expect("a loop");
        assert_eq!(found.bytes, 16);
        assert_eq!(found.text.lines().count(), 3);
        assert!(found.text.starts_with("\tldr\tq4"), "{}", found.text);
        assert_eq!(hot_loop(NEON, "neon", "count_n"), None);
        assert_eq!(hot_loop(NEON, "scalar", "count_gc"), None);
    }
}
