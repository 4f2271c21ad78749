//! What an expression is made of while it is evaluated: values that may be undefined, or true
//! whatever they are.

use std::borrow::Cow;

/// A value. Truth is kept beside it, since an optional field that is there counts as true even
/// if it is 0, and some functions pass that on.
#[derive(Clone, Debug)]
pub(super) struct Value<'a> {
    pub(super) data: Data<'a>,
    /// True whatever the data are.
    pub(super) truth: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Data<'a> {
    /// A number, undefined if it is NaN.
    Number(f64),
    Text(Cow<'a, [u8]>),
    /// An optional field that isn't there: an undefined text.
    Absent,
    /// An optional field that is an array. It is there, which is all that can be asked.
    Array,
}

impl<'a> Value<'a> {
    /// The undefined number.
    pub(super) const UNDEFINED: Value<'static> =
        Value { data: Data::Number(f64::NAN), truth: false };

    #[inline]
    pub(super) fn number(number: f64) -> Value<'a> {
        Value { data: Data::Number(number), truth: false }
    }

    /// The result of arithmetic: true if it isn't 0.
    #[inline]
    pub(super) fn computed(number: f64) -> Value<'a> {
        Value { data: Data::Number(number), truth: !number.is_nan() && number != 0.0 }
    }

    #[inline]
    pub(super) fn bool(truth: bool) -> Value<'a> {
        Value { data: Data::Number(f64::from(u8::from(truth))), truth }
    }

    #[inline]
    pub(super) fn text(text: impl Into<Cow<'a, [u8]>>) -> Value<'a> {
        Value { data: Data::Text(text.into()), truth: false }
    }

    /// Whether there is a value.
    #[inline]
    pub(super) fn is_defined(&self) -> bool {
        match self.data {
            Data::Number(number) => !number.is_nan(),
            Data::Text(_) | Data::Array => true,
            Data::Absent => false,
        }
    }

    /// Whether there is a value, or something said to be true.
    #[inline]
    pub(super) fn exists(&self) -> bool {
        self.truth || self.is_defined()
    }

    /// Whether it counts as true: a number other than 0, any text, any optional field.
    #[inline]
    pub(super) fn is_true(&self) -> bool {
        self.truth
            || match self.data {
                Data::Number(number) => !number.is_nan() && number != 0.0,
                Data::Text(_) | Data::Array => true,
                Data::Absent => false,
            }
    }

    /// What `!` makes of it. A number that isn't the result of arithmetic counts without its
    /// fraction.
    #[inline]
    pub(super) fn is_false(&self) -> bool {
        !self.truth
            && match self.data {
                Data::Number(number) => number.is_nan() || number as i64 == 0,
                Data::Text(_) | Data::Array => false,
                Data::Absent => true,
            }
    }

    /// What it is, for messages.
    pub(super) fn type_name(&self) -> &'static str {
        match self.data {
            Data::Number(_) => "a number",
            Data::Text(_) | Data::Absent => "text",
            Data::Array => "an array",
        }
    }
}
