//! The tree an expression is parsed into.

use std::sync::{Mutex, PoisonError};

use super::pattern;
use super::variable::Variable;
use crate::change::filter::regex::Regex;

/// A part of an expression. `at` is its byte in the text.
#[derive(Debug)]
pub(super) enum Node {
    Number(f64),
    Text(Box<[u8]>),
    Variable {
        variable: Variable,
        at: usize,
    },
    Tag {
        name: [u8; 2],
        at: usize,
    },
    Unary {
        operator: Unary,
        at: usize,
        operand: Box<Node>,
    },
    /// Operators of one precedence from left to right; a list, so that long chains aren't deep.
    Arithmetic {
        first: Box<Node>,
        links: Box<[Link<Arithmetic>]>,
    },
    /// The same of truth.
    Logic {
        first: Box<Node>,
        links: Box<[Link<Logic>]>,
    },
    Compare {
        comparison: Comparison,
        at: usize,
        sides: Box<(Node, Node)>,
    },
    Match {
        /// What is true if the pattern is found.
        wanted: bool,
        at: usize,
        text: Box<Node>,
        pattern: RegexOperand,
    },
    Call {
        function: Function,
        at: usize,
        argument: Box<Node>,
    },
    Default(Box<(Node, Node)>),
    Power {
        at: usize,
        arguments: Box<(Node, Node)>,
    },
}

#[derive(Debug)]
pub(super) struct Link<O> {
    pub(super) operator: O,
    pub(super) at: usize,
    pub(super) right: Node,
}

/// What is known of a value before there is a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueKind {
    Number,
    Text,
    /// Depends on the record.
    Any,
}

impl ValueKind {
    pub(super) fn name(self) -> &'static str {
        match self {
            ValueKind::Number => "a number",
            ValueKind::Text => "text",
            ValueKind::Any => "a value",
        }
    }
}

impl Node {
    pub(super) fn kind(&self) -> ValueKind {
        match self {
            Node::Text(_) => ValueKind::Text,
            Node::Variable { variable, .. } if variable.is_text() => ValueKind::Text,
            Node::Tag { .. } => ValueKind::Any,
            Node::Default(sides) => match (sides.0.kind(), sides.1.kind()) {
                (first, second) if first == second => first,
                _ => ValueKind::Any,
            },
            _ => ValueKind::Number,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unary {
    Plus,
    Minus,
    Not,
    Complement,
}

impl Unary {
    pub(super) fn symbol(self) -> &'static str {
        match self {
            Unary::Plus => "`+`",
            Unary::Minus => "`-`",
            Unary::Not => "`!`",
            Unary::Complement => "`~`",
        }
    }
}

/// Operators between truths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Logic {
    And,
    Or,
}

/// Operators between numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arithmetic {
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    BitAnd,
    BitXor,
    BitOr,
}

impl Arithmetic {
    pub(super) fn symbol(self) -> &'static str {
        match self {
            Arithmetic::Multiply => "`*`",
            Arithmetic::Divide => "`/`",
            Arithmetic::Remainder => "`%`",
            Arithmetic::Add => "`+`",
            Arithmetic::Subtract => "`-`",
            Arithmetic::BitAnd => "`&`",
            Arithmetic::BitXor => "`^`",
            Arithmetic::BitOr => "`|`",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparison {
    pub(super) fn symbol(self) -> &'static str {
        match self {
            Comparison::Equal => "`==`",
            Comparison::NotEqual => "`!=`",
            Comparison::Less => "`<`",
            Comparison::LessOrEqual => "`<=`",
            Comparison::Greater => "`>`",
            Comparison::GreaterOrEqual => "`>=`",
        }
    }
}

/// Functions of one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Average,
    Exists,
    Exponential,
    Length,
    Logarithm,
    Maximum,
    Minimum,
    SquareRoot,
}

impl Function {
    pub(super) fn from_name(name: &str) -> Option<Function> {
        Some(match name {
            "avg" => Function::Average,
            "exists" => Function::Exists,
            "exp" => Function::Exponential,
            "length" => Function::Length,
            "log" => Function::Logarithm,
            "max" => Function::Maximum,
            "min" => Function::Minimum,
            "sqrt" => Function::SquareRoot,
            _ => return None,
        })
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Function::Average => "`avg`",
            Function::Exists => "`exists`",
            Function::Exponential => "`exp`",
            Function::Length => "`length`",
            Function::Logarithm => "`log`",
            Function::Maximum => "`max`",
            Function::Minimum => "`min`",
            Function::SquareRoot => "`sqrt`",
        }
    }

    /// Whether it is of the bytes of a text.
    pub(super) fn takes_text(self) -> bool {
        use Function::{Average, Length, Maximum, Minimum};
        matches!(self, Average | Length | Maximum | Minimum)
    }
}

/// The right side of `=~` and `!~`.
#[derive(Debug)]
pub(super) enum RegexOperand {
    /// Written in the expression: compiled once.
    Constant(Regex),
    /// Taken from the record: the last one compiled is kept, since it is often the next one, too.
    Computed { node: Box<Node>, last: Mutex<Option<(Vec<u8>, Regex)>> },
}

impl RegexOperand {
    /// The compiled form of a computed pattern.
    pub(super) fn compile(
        text: &[u8],
        last: &Mutex<Option<(Vec<u8>, Regex)>>,
    ) -> Result<Regex, String> {
        // What is in it is whole at any time.
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, regex)) = &*last
            && known == text
        {
            return Ok(regex.clone());
        }
        let regex = pattern::compile(text)?;
        *last = Some((text.to_vec(), regex.clone()));
        Ok(regex)
    }
}
