//! From text to tree: a Pratt parser, which also refuses what could never be evaluated.

use super::error::{MAX_DEPTH, ParseError, ParseErrorKind};
use super::pattern;
use super::tree::{
    Arithmetic, Comparison, Function, Link, Logic, Node, RegexOperand, Unary, ValueKind,
};
use super::variable::Variable;

type ParseResult<T> = std::result::Result<T, ParseError>;

/// An operator between two values.
#[derive(Clone, Copy)]
enum Infix {
    Logic(Logic),
    Arithmetic(Arithmetic),
    Compare(Comparison),
    /// Whether a match is wanted.
    Match(bool),
}

impl Infix {
    /// The operator at the start of `text`, and its length.
    fn at_start(text: &[u8]) -> Option<(Infix, usize)> {
        let two = match text {
            [b'&', b'&', ..] => Some(Infix::Logic(Logic::And)),
            [b'|', b'|', ..] => Some(Infix::Logic(Logic::Or)),
            [b'=', b'=', ..] => Some(Infix::Compare(Comparison::Equal)),
            [b'!', b'=', ..] => Some(Infix::Compare(Comparison::NotEqual)),
            [b'<', b'=', ..] => Some(Infix::Compare(Comparison::LessOrEqual)),
            [b'>', b'=', ..] => Some(Infix::Compare(Comparison::GreaterOrEqual)),
            [b'=', b'~', ..] => Some(Infix::Match(true)),
            [b'!', b'~', ..] => Some(Infix::Match(false)),
            _ => None,
        };
        if let Some(two) = two {
            return Some((two, 2));
        }
        let one = match text.first()? {
            b'<' => Infix::Compare(Comparison::Less),
            b'>' => Infix::Compare(Comparison::Greater),
            b'|' => Infix::Arithmetic(Arithmetic::BitOr),
            b'^' => Infix::Arithmetic(Arithmetic::BitXor),
            b'&' => Infix::Arithmetic(Arithmetic::BitAnd),
            b'+' => Infix::Arithmetic(Arithmetic::Add),
            b'-' => Infix::Arithmetic(Arithmetic::Subtract),
            b'*' => Infix::Arithmetic(Arithmetic::Multiply),
            b'/' => Infix::Arithmetic(Arithmetic::Divide),
            b'%' => Infix::Arithmetic(Arithmetic::Remainder),
            _ => return None,
        };
        Some((one, 1))
    }

    /// How strongly it binds. `&&` and `||` bind alike, and bit operators more strongly than
    /// comparisons, other than in C.
    fn power(self) -> u8 {
        match self {
            Infix::Logic(_) => 1,
            Infix::Compare(Comparison::Equal | Comparison::NotEqual) | Infix::Match(_) => 2,
            Infix::Compare(_) => 3,
            Infix::Arithmetic(Arithmetic::BitOr) => 4,
            Infix::Arithmetic(Arithmetic::BitXor) => 5,
            Infix::Arithmetic(Arithmetic::BitAnd) => 6,
            Infix::Arithmetic(Arithmetic::Add | Arithmetic::Subtract) => 7,
            Infix::Arithmetic(
                Arithmetic::Multiply | Arithmetic::Divide | Arithmetic::Remainder,
            ) => 8,
        }
    }
}

/// Parses a whole text.
pub(super) fn parse(text: &str) -> ParseResult<Node> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    let node = parser.infix(0)?;
    match parser.peek() {
        None => Ok(node),
        Some(_) => Err(parser.unexpected("an operator or the end")),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.at..]
    }

    /// The next byte that is no white space.
    fn peek(&mut self) -> Option<u8> {
        let blanks = self.rest().iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r'));
        self.at += blanks.count();
        self.rest().first().copied()
    }

    fn error<T>(&self, kind: ParseErrorKind, at: usize) -> ParseResult<T> {
        Err(ParseError::new(kind, at))
    }

    fn unexpected(&self, expected: &'static str) -> ParseError {
        let next = self.text.get(self.at..).and_then(|rest| rest.chars().next());
        let found = match next {
            None => "the end of the expression".to_owned(),
            Some(found) => match self.likely_operator().filter(|_| expected.contains("operator")) {
                Some((typed, meant)) => format!("`{typed}` (did you mean `{meant}`?)"),
                None => format!("`{}`", found.escape_debug()),
            },
        };
        ParseError::new(ParseErrorKind::Unexpected { expected, found }, self.at)
    }

    /// An operator of other languages that comes next, and what it is here.
    fn likely_operator(&self) -> Option<(&'static str, &'static str)> {
        const OTHERS: [(&str, &str); 8] = [
            ("and", "&&"),
            ("AND", "&&"),
            ("or", "||"),
            ("OR", "||"),
            ("=>", ">="),
            ("=<", "<="),
            ("<>", "!="),
            ("=", "=="),
        ];
        OTHERS.into_iter().find(|(typed, _)| self.rest().starts_with(typed.as_bytes()))
    }

    fn expect(&mut self, byte: u8, expected: &'static str) -> ParseResult<()> {
        if self.peek() != Some(byte) {
            return Err(self.unexpected(expected));
        }
        self.at += 1;
        Ok(())
    }

    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> ParseResult<T>) -> ParseResult<T> {
        if self.depth == MAX_DEPTH {
            return self.error(ParseErrorKind::TooDeep, self.at);
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// The operator that comes next, if it binds with at least `lowest`.
    fn operator(&mut self, lowest: u8) -> Option<Infix> {
        self.peek();
        let (operator, len) = Infix::at_start(self.rest())?;
        if operator.power() < lowest {
            return None;
        }
        self.at += len;
        Some(operator)
    }

    /// A value, and what operators of at least `lowest` add to it.
    fn infix(&mut self, lowest: u8) -> ParseResult<Node> {
        self.nested(|parser| {
            let mut left = parser.prefix()?;
            loop {
                parser.peek();
                let at = parser.at;
                left = match parser.operator(lowest) {
                    None => return Ok(left),
                    Some(Infix::Logic(operator)) => parser.logic(left, operator, at)?,
                    Some(Infix::Arithmetic(operator)) => parser.arithmetic(left, operator, at)?,
                    // Comparisons are read from right to left: a < b < c is a < (b < c).
                    Some(operator @ Infix::Compare(comparison)) => {
                        let right = parser.infix(operator.power())?;
                        Node::Compare { comparison, at, sides: Box::new((left, right)) }
                    }
                    Some(operator @ Infix::Match(wanted)) => {
                        parser.pattern(left, operator.power(), wanted, at)?
                    }
                };
            }
        })
    }

    /// The rest of a chain of `&&` and `||`.
    fn logic(&mut self, first: Node, operator: Logic, at: usize) -> ParseResult<Node> {
        let power = Infix::Logic(operator).power();
        let mut links = Vec::new();
        let (mut operator, mut at) = (operator, at);
        loop {
            let right = self.infix(power + 1)?;
            links.push(Link { operator, at, right });
            self.peek();
            at = self.at;
            match Infix::at_start(self.rest()) {
                Some((Infix::Logic(same), len)) => {
                    self.at += len;
                    operator = same;
                }
                _ => return Ok(Node::Logic { first: Box::new(first), links: links.into() }),
            }
        }
    }

    /// The rest of a chain of arithmetic operators of the same precedence.
    fn arithmetic(&mut self, first: Node, operator: Arithmetic, at: usize) -> ParseResult<Node> {
        let power = Infix::Arithmetic(operator).power();
        let mut links = Vec::new();
        let (mut left, mut operator, mut at) = (first.kind(), operator, at);
        loop {
            let right = self.infix(power + 1)?;
            for found in [left, right.kind()] {
                self.require(found, ValueKind::Number, operator.symbol(), at)?;
            }
            links.push(Link { operator, at, right });
            left = ValueKind::Number;
            self.peek();
            at = self.at;
            match Infix::at_start(self.rest()) {
                Some((next @ Infix::Arithmetic(same), len)) if next.power() == power => {
                    self.at += len;
                    operator = same;
                }
                _ => return Ok(Node::Arithmetic { first: Box::new(first), links: links.into() }),
            }
        }
    }

    fn pattern(&mut self, text: Node, power: u8, wanted: bool, at: usize) -> ParseResult<Node> {
        self.peek();
        let start = self.at;
        let pattern = self.infix(power)?;
        let of = if wanted { "`=~`" } else { "`!~`" };
        for found in [text.kind(), pattern.kind()] {
            self.require(found, ValueKind::Text, of, at)?;
        }
        let pattern = match pattern {
            Node::Text(pattern) => RegexOperand::Constant(
                pattern::compile(&pattern)
                    .map_err(|why| ParseError::new(ParseErrorKind::BadPattern(why), start))?,
            ),
            node => RegexOperand::Computed { node: Box::new(node), last: Default::default() },
        };
        Ok(Node::Match { wanted, at, text: Box::new(text), pattern })
    }

    /// Refuses a value of the wrong type, where its type is known.
    fn require(
        &self,
        found: ValueKind,
        wanted: ValueKind,
        of: &'static str,
        at: usize,
    ) -> ParseResult<()> {
        if found == ValueKind::Any || found == wanted {
            return Ok(());
        }
        let (expected, found) = (wanted.name(), found.name());
        self.error(ParseErrorKind::WrongType { of, expected, found }, at)
    }

    /// A value without operators behind it.
    fn prefix(&mut self) -> ParseResult<Node> {
        const VALUE: &str = "a value";
        match self.peek() {
            Some(b'(') => {
                self.at += 1;
                let node = self.infix(0)?;
                self.expect(b')', "an operator or `)`")?;
                Ok(node)
            }
            Some(b'!') => self.unary(Unary::Not),
            Some(b'~') => self.unary(Unary::Complement),
            Some(b'+') => self.unary(Unary::Plus),
            Some(b'-') => self.unary(Unary::Minus),
            Some(b'"') => self.quoted(),
            Some(b'[') => match *self.rest() {
                [b'[', first, second, b']', ..] => {
                    let at = self.at;
                    self.at += 4;
                    Ok(Node::Tag { name: [first, second], at })
                }
                _ => {
                    self.at += 1;
                    Err(self.unexpected("two letters and `]`, as in [NM]"))
                }
            },
            Some(byte) if byte.is_ascii_digit() || byte == b'.' => self.number(),
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => self.name(),
            _ => Err(self.unexpected(VALUE)),
        }
    }

    fn unary(&mut self, operator: Unary) -> ParseResult<Node> {
        let at = self.at;
        self.at += 1;
        let operand = self.nested(Parser::prefix)?;
        if operator != Unary::Not {
            self.require(operand.kind(), ValueKind::Number, operator.symbol(), at)?;
        }
        Ok(Node::Unary { operator, at, operand: Box::new(operand) })
    }

    /// A text in quotation marks. A backslash before a character it means nothing to stays, for
    /// the sake of regular expressions.
    fn quoted(&mut self) -> ParseResult<Node> {
        let start = self.at;
        let mut text = Vec::new();
        let mut bytes = self.rest().iter().skip(1).copied();
        self.at += 1;
        while let Some(byte) = bytes.next() {
            self.at += 1;
            match byte {
                b'"' => return Ok(Node::Text(text.into())),
                b'\\' => {
                    let Some(next) = bytes.next() else { break };
                    self.at += 1;
                    match next {
                        b'"' | b'\\' => text.push(next),
                        b't' => text.push(b'\t'),
                        b'n' => text.push(b'\n'),
                        b'r' => text.push(b'\r'),
                        _ => text.extend([b'\\', next]),
                    }
                }
                _ => text.push(byte),
            }
        }
        self.error(ParseErrorKind::UnterminatedText, start)
    }

    /// The bytes from here on for which `belongs` holds.
    fn take(&mut self, belongs: impl Fn(u8) -> bool) -> &'a str {
        let len = self.rest().iter().take_while(|&&byte| belongs(byte)).count();
        // Only bytes of ASCII are asked for.
        let taken = self.text.get(self.at..self.at + len).unwrap_or_default();
        self.at += len;
        taken
    }

    fn number(&mut self) -> ParseResult<Node> {
        let start = self.at;
        let mut text = self.take(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_'));
        let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
        // The sign of an exponent.
        if hexadecimal.is_none()
            && text.ends_with(['e', 'E'])
            && matches!(self.rest(), [b'+' | b'-', b'0'..=b'9', ..])
        {
            self.at += 1;
            self.take(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_'));
            text = &self.text[start..self.at];
        }
        let number = match hexadecimal {
            Some(digits) if !digits.starts_with('+') => {
                u128::from_str_radix(digits, 16).ok().map(|number| number as f64)
            }
            Some(_) => None,
            None => text.parse().ok(),
        };
        match number {
            Some(number) => Ok(Node::Number(number)),
            None => self.error(ParseErrorKind::BadNumber(text.to_owned()), start),
        }
    }

    /// A variable or a call.
    fn name(&mut self) -> ParseResult<Node> {
        let start = self.at;
        let name = self.take(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_'));
        if let Some(variable) = Variable::from_name(name) {
            return Ok(Node::Variable { variable, at: start });
        }
        if ["inf", "infinity", "nan"].iter().any(|known| known.eq_ignore_ascii_case(name)) {
            return Ok(Node::Number(name.parse().unwrap_or(f64::NAN)));
        }
        let function = Function::from_name(name);
        if function.is_none() && !["default", "pow"].contains(&name) {
            return self.error(ParseErrorKind::UnknownName(name.to_owned()), start);
        }
        self.expect(b'(', "`(` after the name of a function")?;
        let first = self.infix(0)?;
        let node = match function {
            Some(function) => {
                if function.takes_text() {
                    self.require(first.kind(), ValueKind::Text, function.name(), start)?;
                }
                Node::Call { function, at: start, argument: Box::new(first) }
            }
            None => {
                self.expect(b',', "an operator or `,`")?;
                let arguments = Box::new((first, self.infix(0)?));
                if name == "default" {
                    Node::Default(arguments)
                } else {
                    for found in [arguments.0.kind(), arguments.1.kind()] {
                        self.require(found, ValueKind::Number, "`pow`", start)?;
                    }
                    Node::Power { at: start, arguments }
                }
            }
        };
        self.expect(b')', "an operator or `)`")?;
        Ok(node)
    }
}
