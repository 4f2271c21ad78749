//! Optional fields: values as Python has them, and back.

use biofast_bam::{Array, Tag, Value};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFloat, PyInt, PyString};

pub(super) fn name(name: &str) -> PyResult<[u8; 2]> {
    let wrong = || PyValueError::new_err(format!("{name:?} isn't the name of an optional field"));
    name.as_bytes().try_into().map_err(|_| wrong())
}

/// The letter of the type a field is stored with.
pub(super) fn kind(tag: &Tag<'_>) -> String {
    char::from(tag.kind).to_string()
}

/// The value of a field: an int, a float, a text, or an `array.array`, whose type is that of the elements.
pub(super) fn value_of<'py>(py: Python<'py>, value: Value<'_>) -> PyResult<Bound<'py, PyAny>> {
    if let Some(int) = value.as_int() {
        return Ok(PyInt::new(py, int).into_any());
    }
    Ok(match value {
        Value::Character(letter) => PyString::new(py, &char::from(letter).to_string()).into_any(),
        Value::Text(text) | Value::Hex(text) => {
            PyString::new(py, &String::from_utf8_lossy(text)).into_any()
        }
        Value::Array(array) => array_of(py, array)?,
        value => PyFloat::new(py, value.as_float().unwrap_or(f64::NAN)).into_any(),
    })
}

fn array_of<'py>(py: Python<'py>, array: Array<'_>) -> PyResult<Bound<'py, PyAny>> {
    macro_rules! with_bytes {
        ($($kind:ident $letter:literal),*) => {
            match array {
                $(Array::$kind(elements) => {
                    ($letter, elements.iter().flat_map(|element| element.to_ne_bytes()).collect::<Vec<u8>>())
                })*
            }
        };
    }
    let (letter, bytes) = with_bytes!(I8 "b", U8 "B", I16 "h", U16 "H", I32 "i", U32 "I", F32 "f");
    py.import("array")?.getattr("array")?.call1((letter, PyBytes::new(py, &bytes)))
}

/// A value that was given to a field.
pub(super) enum GivenValue {
    Number(Value<'static>),
    Text(Vec<u8>),
    Hex(Vec<u8>),
    I8(Vec<i8>),
    U8(Vec<u8>),
    I16(Vec<i16>),
    U16(Vec<u16>),
    I32(Vec<i32>),
    U32(Vec<u32>),
    F32(Vec<f32>),
}

impl GivenValue {
    pub(super) fn as_value(&self) -> Value<'_> {
        match self {
            GivenValue::Number(value) => *value,
            GivenValue::Text(text) => Value::Text(text),
            GivenValue::Hex(digits) => Value::Hex(digits),
            GivenValue::I8(elements) => Value::array(&elements[..]),
            GivenValue::U8(elements) => Value::array(&elements[..]),
            GivenValue::I16(elements) => Value::array(&elements[..]),
            GivenValue::U16(elements) => Value::array(&elements[..]),
            GivenValue::I32(elements) => Value::array(&elements[..]),
            GivenValue::U32(elements) => Value::array(&elements[..]),
            GivenValue::F32(elements) => Value::array(&elements[..]),
        }
    }
}

/// What `value` is as a field of type `kind`; without one an int gets the smallest type, a float `f`, text `Z`, and a sequence `B` with the
/// element type of an `array.array` or numpy array, or the smallest one.
pub(super) fn given_value(value: &Bound<'_, PyAny>, kind: Option<&str>) -> PyResult<GivenValue> {
    let refuse = |what: &str| Err(PyValueError::new_err(format!("{value} isn't {what}")));
    if let Some(text) = text_of(value)? {
        return match (kind, &text[..]) {
            (None | Some("Z"), _) => Ok(GivenValue::Text(text)),
            (Some("H"), _) => Ok(GivenValue::Hex(text)),
            (Some("A"), &[letter]) => Ok(GivenValue::Number(Value::Character(letter))),
            (Some("A"), _) => refuse("one character"),
            (Some(kind), _) => refuse(&format!("of type {kind}")),
        };
    }
    if let Ok(int) = value.extract::<i64>() {
        let fitting = match kind {
            None => Value::int(int),
            Some("c") => i8::try_from(int).ok().map(Value::I8),
            Some("C") => u8::try_from(int).ok().map(Value::U8),
            Some("s") => i16::try_from(int).ok().map(Value::I16),
            Some("S") => u16::try_from(int).ok().map(Value::U16),
            Some("i") => i32::try_from(int).ok().map(Value::I32),
            Some("I") => u32::try_from(int).ok().map(Value::U32),
            Some("f") => Some(Value::Float(int as f32)),
            Some("d") => Some(Value::Double(int as f64)),
            Some(kind) => return refuse(&format!("of type {kind}")),
        };
        return match fitting {
            Some(value) => Ok(GivenValue::Number(value)),
            None => refuse(&format!("a number that type {} holds", kind.unwrap_or("i"))),
        };
    }
    if let Ok(float) = value.extract::<f64>() {
        return match kind {
            None | Some("f") => Ok(GivenValue::Number(Value::Float(float as f32))),
            Some("d") => Ok(GivenValue::Number(Value::Double(float))),
            Some(kind) => refuse(&format!("of type {kind}")),
        };
    }
    given_array(value, kind)
}

fn text_of(value: &Bound<'_, PyAny>) -> PyResult<Option<Vec<u8>>> {
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(Some(bytes.as_bytes().to_vec()));
    }
    match value.cast::<PyString>() {
        Ok(text) => Ok(Some(text.to_str()?.as_bytes().to_vec())),
        Err(_) => Ok(None),
    }
}

fn given_array(value: &Bound<'_, PyAny>, kind: Option<&str>) -> PyResult<GivenValue> {
    let wrong = || {
        let text =
            "an int, a float, a text, a sequence of numbers of 32 bits at most, or None is needed";
        PyTypeError::new_err(text)
    };
    // Of array.array; of numpy.
    let own = value.getattr("typecode").or_else(|_| value.getattr("dtype")?.getattr("char"));
    let own = own.and_then(|letter| letter.extract::<String>()).ok();
    let letter = match (kind.filter(|&kind| kind != "B"), own.as_deref()) {
        (Some(kind), _) => Some(kind),
        (None, Some("b")) => Some("c"),
        (None, Some("B")) => Some("C"),
        (None, Some("h")) => Some("s"),
        (None, Some("H")) => Some("S"),
        (None, Some("i")) => Some("i"),
        (None, Some("I")) => Some("I"),
        (None, Some("f" | "d")) => Some("f"),
        _ => None,
    };
    let ints = value.extract::<Vec<i64>>();
    let letter = match (letter, &ints) {
        (Some(letter), _) => letter,
        (None, Ok(ints)) => smallest(ints).ok_or_else(wrong)?,
        (None, Err(_)) => "f",
    };
    if letter == "f" {
        let floats: Vec<f64> = value.extract().map_err(|_| wrong())?;
        return Ok(GivenValue::F32(floats.into_iter().map(|float| float as f32).collect()));
    }
    let ints = ints.map_err(|_| wrong())?;
    let made = match letter {
        "c" => all(&ints).map(GivenValue::I8),
        "C" => all(&ints).map(GivenValue::U8),
        "s" => all(&ints).map(GivenValue::I16),
        "S" => all(&ints).map(GivenValue::U16),
        "i" => all(&ints).map(GivenValue::I32),
        "I" => all(&ints).map(GivenValue::U32),
        kind => return Err(PyValueError::new_err(format!("a sequence isn't of type {kind}"))),
    };
    made.ok_or_else(wrong)
}

/// All of a type, if they fit.
fn all<T: TryFrom<i64>>(ints: &[i64]) -> Option<Vec<T>> {
    ints.iter().map(|&int| int.try_into().ok()).collect()
}

/// The smallest type that holds all.
fn smallest(ints: &[i64]) -> Option<&'static str> {
    let (low, high) = (ints.iter().min().copied()?, ints.iter().max().copied()?);
    let types: [(&str, i64, i64); 6] = [
        ("C", 0, i64::from(u8::MAX)),
        ("c", i8::MIN.into(), i8::MAX.into()),
        ("S", 0, i64::from(u16::MAX)),
        ("s", i16::MIN.into(), i16::MAX.into()),
        ("I", 0, i64::from(u32::MAX)),
        ("i", i32::MIN.into(), i32::MAX.into()),
    ];
    let fits = |&&(_, least, most): &&(&str, i64, i64)| low >= least && high <= most;
    types.iter().find(fits).map(|(letter, ..)| *letter)
}
