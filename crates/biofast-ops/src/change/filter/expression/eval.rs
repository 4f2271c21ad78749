//! The value of an expression for a record.

use super::error::{EvalError, EvalErrorKind};
use super::subject::{EvalResult, EvalSubject, tag};
use super::tree::{Arithmetic, Comparison, Function, Link, Logic, Node, RegexOperand, Unary};
use super::value::{Data, Value};
use super::variable::Variable;

fn wrong_type<T>(
    of: &'static str,
    expected: &'static str,
    found: &Value<'_>,
    at: usize,
) -> EvalResult<T> {
    let found = found.type_name();
    Err(EvalError::new(EvalErrorKind::WrongType { of, expected, found }, at))
}

impl Node {
    /// Whether the expression holds.
    pub(super) fn holds<'a>(&'a self, subject: EvalSubject<'a, '_>) -> EvalResult<bool> {
        Ok(match self {
            // The commonest parts, without a value in between.
            Node::Unary { operator: Unary::Not, operand, .. } => operand.value(subject)?.is_false(),
            Node::Logic { first, links } => logic(first, links, subject)?,
            node => node.value(subject)?.is_true(),
        })
    }

    pub(super) fn value<'a>(&'a self, subject: EvalSubject<'a, '_>) -> EvalResult<Value<'a>> {
        Ok(match self {
            Node::Number(number) => Value::number(*number),
            Node::Text(text) => Value::text(&text[..]),
            Node::Variable { variable, at } => variable.value(*at, subject)?,
            Node::Tag { name, at } => tag(*name, *at, subject)?,
            Node::Unary { operator: Unary::Not, .. } => Value::bool(self.holds(subject)?),
            Node::Unary { operator, at, operand } => {
                unary(*operator, *at, operand.value(subject)?)?
            }
            Node::Logic { .. } => Value::bool(self.holds(subject)?),
            Node::Arithmetic { first, links } => {
                let first = first.value(subject)?;
                links.iter().try_fold(first, |left, link| arithmetic(left, link, subject))?
            }
            Node::Compare { comparison, at, sides } => {
                let left = sides.0.value(subject)?;
                compare(*comparison, *at, &left, &sides.1.value(subject)?)?
            }
            Node::Match { wanted, at, text, pattern } => {
                let text = text.value(subject)?;
                matching(*wanted, *at, &text, pattern, subject)?
            }
            Node::Call { function: Function::Length, argument, .. }
                if matches!(**argument, Node::Variable { variable: Variable::Sequence, .. }) =>
            {
                Value::number(subject.record.sequence_len() as f64)
            }
            Node::Call { function, at, argument } => {
                call(*function, *at, argument.value(subject)?)?
            }
            Node::Default(arguments) => {
                let first = arguments.0.value(subject)?;
                if first.exists() { first } else { arguments.1.value(subject)? }
            }
            Node::Power { at, arguments } => {
                let base = arguments.0.value(subject)?;
                let exponent = arguments.1.value(subject)?;
                match numbers("`pow`", *at, &base, &exponent)? {
                    Some((x, y)) => of_number(x.powf(y), base.truth),
                    None => Value::UNDEFINED,
                }
            }
        })
    }
}

fn unary<'a>(operator: Unary, at: usize, operand: Value<'a>) -> EvalResult<Value<'a>> {
    if !operand.is_defined() {
        return Ok(Value::UNDEFINED);
    }
    let Data::Number(number) = operand.data else {
        return wrong_type(operator.symbol(), "a number", &operand, at);
    };
    Ok(Value::computed(match operator {
        Unary::Minus => -number,
        Unary::Complement => !(number as i64) as f64,
        Unary::Plus | Unary::Not => number,
    }))
}

/// A chain of `&&` and `||`, which bind alike. What can't change the result isn't evaluated.
fn logic<'a>(
    first: &'a Node,
    links: &'a [Link<Logic>],
    subject: EvalSubject<'a, '_>,
) -> EvalResult<bool> {
    let mut so_far = first.holds(subject)?;
    for link in links {
        if so_far == (link.operator == Logic::And) {
            so_far = link.right.holds(subject)?;
        }
    }
    Ok(so_far)
}

/// Both as numbers; `None` if one of them is undefined.
fn numbers(
    of: &'static str,
    at: usize,
    left: &Value<'_>,
    right: &Value<'_>,
) -> EvalResult<Option<(f64, f64)>> {
    if !left.is_defined() || !right.is_defined() {
        return Ok(None);
    }
    match (&left.data, &right.data) {
        (Data::Number(left), Data::Number(right)) => Ok(Some((*left, *right))),
        (Data::Number(_), _) => wrong_type(of, "a number", right, at),
        _ => wrong_type(of, "a number", left, at),
    }
}

fn arithmetic<'a>(
    left: Value<'a>,
    link: &'a Link<Arithmetic>,
    subject: EvalSubject<'a, '_>,
) -> EvalResult<Value<'a>> {
    let right = link.right.value(subject)?;
    let operator = link.operator;
    let Some((x, y)) = numbers(operator.symbol(), link.at, &left, &right)? else {
        return Ok(Value::UNDEFINED);
    };
    Ok(Value::computed(match operator {
        Arithmetic::Multiply => x * y,
        Arithmetic::Divide => x / y,
        // Of whole numbers; nothing is left of a division that isn't possible.
        Arithmetic::Remainder => match y as i64 {
            0 => f64::NAN,
            y => (x as i64).wrapping_rem(y) as f64,
        },
        Arithmetic::Add => x + y,
        Arithmetic::Subtract => x - y,
        Arithmetic::BitAnd => (x as i64 & y as i64) as f64,
        Arithmetic::BitXor => (x as i64 ^ y as i64) as f64,
        Arithmetic::BitOr => (x as i64 | y as i64) as f64,
    }))
}

/// Nothing compares with what is undefined; text and numbers differ, without an order.
fn compare<'a>(
    comparison: Comparison,
    at: usize,
    left: &Value<'_>,
    right: &Value<'_>,
) -> EvalResult<Value<'a>> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    if !left.is_defined() || !right.is_defined() {
        return Ok(Value::UNDEFINED);
    }
    for side in [left, right] {
        if let Data::Array = side.data {
            return wrong_type(comparison.symbol(), "a number or text", side, at);
        }
    }
    let order = match (&left.data, &right.data) {
        (Data::Number(left), Data::Number(right)) => left.partial_cmp(right),
        (Data::Text(left), Data::Text(right)) => Some(left.cmp(right)),
        _ => None,
    };
    Ok(Value::bool(match comparison {
        Comparison::Equal => order == Some(Equal),
        Comparison::NotEqual => order != Some(Equal),
        Comparison::Less => order == Some(Less),
        Comparison::LessOrEqual => matches!(order, Some(Less | Equal)),
        Comparison::Greater => order == Some(Greater),
        Comparison::GreaterOrEqual => matches!(order, Some(Greater | Equal)),
    }))
}

fn matching<'a>(
    wanted: bool,
    at: usize,
    text: &Value<'_>,
    pattern: &'a RegexOperand,
    subject: EvalSubject<'a, '_>,
) -> EvalResult<Value<'a>> {
    let of = if wanted { "`=~`" } else { "`!~`" };
    let found: Option<&[u8]> = match &text.data {
        Data::Text(text) => Some(text),
        Data::Absent => None,
        _ => return wrong_type(of, "text", text, at),
    };
    let computed;
    let regex = match pattern {
        RegexOperand::Constant(regex) => regex,
        RegexOperand::Computed { node, last } => {
            let pattern = node.value(subject)?;
            computed = match &pattern.data {
                Data::Text(pattern) => RegexOperand::compile(pattern, last)
                    .map_err(|why| EvalError::new(EvalErrorKind::BadPattern(why), at))?,
                Data::Absent => return Ok(Value::UNDEFINED),
                _ => return wrong_type(of, "text", &pattern, at),
            };
            &computed
        }
    };
    // What isn't there neither matches nor doesn't.
    Ok(Value::bool(found.is_some_and(|text| regex.is_match(text) == wanted)))
}

/// A result that is undefined if it isn't a number, and keeps the truth of what it is of.
fn of_number<'a>(number: f64, truth: bool) -> Value<'a> {
    match number.is_nan() {
        true => Value::UNDEFINED,
        false => Value { data: Data::Number(number), truth },
    }
}

fn call<'a>(function: Function, at: usize, argument: Value<'a>) -> EvalResult<Value<'a>> {
    let truth = argument.truth;
    if function == Function::Exists {
        return Ok(Value::bool(argument.exists()));
    }
    if function.takes_text() {
        let text: &[u8] = match &argument.data {
            Data::Text(text) => text,
            Data::Absent => b"",
            _ => return wrong_type(function.name(), "text", &argument, at),
        };
        let number = match function {
            Function::Minimum => text.iter().min().map_or(f64::NAN, |&byte| f64::from(byte)),
            Function::Maximum => text.iter().max().map_or(f64::NAN, |&byte| f64::from(byte)),
            Function::Average => {
                let sum: u64 = text.iter().map(|&byte| u64::from(byte)).sum();
                sum as f64 / text.len().max(1) as f64
            }
            _ => text.len() as f64,
        };
        return Ok(Value { data: Data::Number(number), truth });
    }
    let number = match argument.data {
        Data::Number(number) => number,
        Data::Array => return wrong_type(function.name(), "a number", &argument, at),
        // As samtools has it.
        Data::Text(_) | Data::Absent => 0.0,
    };
    Ok(match function {
        Function::Exponential => of_number(number.exp(), truth),
        Function::Logarithm => of_number(number.ln(), truth),
        _ => of_number(number.sqrt(), truth),
    })
}
