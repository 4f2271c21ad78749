//! Typed values of optional fields (SAM specification, sections 1.5 and 4.2.4), read from a record and
//! given to one.

use std::fmt;

/// The value of an optional field, of the type it is stored with.
///
/// ```
/// use biofast_bam::Value;
///
/// let value = Value::from(5u8);
/// assert_eq!((value.as_int(), value.as_text()), (Some(5), None));
/// assert_eq!(Value::from("A00").as_text(), Some(&b"A00"[..]));
/// assert_eq!(Value::int(-300), Some(Value::I16(-300)));
/// assert_eq!(Value::array(&[9u16, 12][..]).to_string(), "B:S,9,12");
/// ```
///
/// Bytes become a value by name, as they may be text or numbers: [`Value::Text`] or [`Value::array`]. So does an `f64`, since
/// [`Value::Double`] (`d`) is not a type of the specification, and not every program reads it: `1.5f32` is what is usually meant.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value<'a> {
    /// `A`: a printable character.
    Character(u8),
    /// `c`, which is `i` in SAM text, as all whole numbers.
    I8(i8),
    /// `C`.
    U8(u8),
    /// `s`.
    I16(i16),
    /// `S`.
    U16(u16),
    /// `i`.
    I32(i32),
    /// `I`.
    U32(u32),
    /// `f`.
    Float(f32),
    /// `d`, which is not in the specification but read and written by htslib.
    Double(f64),
    /// `Z`, without its NUL.
    Text(&'a [u8]),
    /// `H`: hexadecimal digits, two a byte.
    Hex(&'a [u8]),
    /// `B`.
    Array(Array<'a>),
}

/// An array of numbers in an optional field.
///
/// ```
/// use biofast_bam::{Array, Value};
///
/// let Value::Array(array) = Value::array(&[1.5f32, 2.0][..]) else { panic!("an array") };
/// assert_eq!((array.len(), array.as_ints()), (2, None));
/// let Array::F32(elements) = array else { panic!("of floats") };
/// assert_eq!(elements.get(0), Some(1.5));
/// assert_eq!(elements.iter().sum::<f32>(), 3.5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Array<'a> {
    /// `B:c`.
    I8(Elements<'a, i8>),
    /// `B:C`.
    U8(Elements<'a, u8>),
    /// `B:s`.
    I16(Elements<'a, i16>),
    /// `B:S`.
    U16(Elements<'a, u16>),
    /// `B:i`.
    I32(Elements<'a, i32>),
    /// `B:I`.
    U32(Elements<'a, u32>),
    /// `B:f`.
    F32(Elements<'a, f32>),
}

/// The elements of an [`Array`], either a slice or as stored in a record.
#[derive(Clone, Copy)]
pub struct Elements<'a, T>(ArraySource<'a, T>);

#[derive(Clone, Copy)]
enum ArraySource<'a, T> {
    Slice(&'a [T]),
    /// Little-endian, and aligned to nothing.
    Stored(&'a [u8]),
}

/// A type of array elements.
pub trait Element: Copy + PartialEq + fmt::Debug + fmt::Display + private::Stored {}

mod private {
    /// How a number is stored.
    pub trait Stored: Sized {
        /// Its type's letter.
        const KIND: u8;
        /// Bytes.
        const SIZE: usize;
        /// The number at the start of the bytes.
        fn read(bytes: &[u8]) -> Option<Self>;
        /// Appends it.
        fn write(self, out: &mut Vec<u8>);
    }
}

use private::Stored;

impl<'a, T: Element> Elements<'a, T> {
    /// How many.
    pub fn len(&self) -> usize {
        match self.0 {
            ArraySource::Slice(slice) => slice.len(),
            ArraySource::Stored(bytes) => bytes.len() / T::SIZE,
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The element of this index.
    pub fn get(&self, index: usize) -> Option<T> {
        match self.0 {
            ArraySource::Slice(slice) => slice.get(index).copied(),
            ArraySource::Stored(bytes) => T::read(bytes.get(index.checked_mul(T::SIZE)?..)?),
        }
    }

    /// The elements in order.
    pub fn iter(&self) -> impl Iterator<Item = T> + Clone + 'a {
        let elements = *self;
        (0..self.len()).map_while(move |index| elements.get(index))
    }

    /// All elements.
    pub fn to_vec(&self) -> Vec<T> {
        self.iter().collect()
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&[b'B', T::KIND]);
        // A record of that many elements is too long, which is said when it is written.
        out.extend_from_slice(&(self.len() as u32).to_le_bytes());
        match self.0 {
            ArraySource::Slice(slice) => slice.iter().for_each(|element| element.write(out)),
            ArraySource::Stored(bytes) => out.extend_from_slice(bytes),
        }
    }
}

impl<'a> Elements<'a, u8> {
    /// The elements as a slice, as those of `ML`.
    pub fn as_slice(&self) -> &'a [u8] {
        match self.0 {
            ArraySource::Slice(bytes) | ArraySource::Stored(bytes) => bytes,
        }
    }
}

impl<T: Element> PartialEq for Elements<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl<T: Element> fmt::Debug for Elements<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

macro_rules! numbers {
    ($($number:ident $variant:ident $array:ident $kind:literal),*) => {
        $(
            impl Element for $number {}

            impl Stored for $number {
                const KIND: u8 = $kind;
                const SIZE: usize = size_of::<$number>();

                #[inline]
                fn read(bytes: &[u8]) -> Option<Self> {
                    bytes.first_chunk().map(|bytes| $number::from_le_bytes(*bytes))
                }

                #[inline]
                fn write(self, out: &mut Vec<u8>) {
                    out.extend_from_slice(&self.to_le_bytes());
                }
            }

            impl From<$number> for Value<'_> {
                fn from(value: $number) -> Self {
                    Value::$variant(value)
                }
            }

            impl<'a> From<&'a [$number]> for Array<'a> {
                fn from(elements: &'a [$number]) -> Self {
                    Array::$array(Elements(ArraySource::Slice(elements)))
                }
            }

        )*

        impl<'a> Array<'a> {
            /// The array of this element type, stored so.
            fn stored(kind: u8, bytes: &'a [u8]) -> Option<Array<'a>> {
                match kind {
                    $($kind => Some(Array::$array(Elements(ArraySource::Stored(bytes)))),)*
                    _ => None,
                }
            }

            /// How many elements.
            pub fn len(&self) -> usize {
                match self {
                    $(Array::$array(elements) => elements.len(),)*
                }
            }

            fn write(&self, out: &mut Vec<u8>) {
                match self {
                    $(Array::$array(elements) => elements.write(out),)*
                }
            }
        }

        impl fmt::Display for Array<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Array::$array(elements) => {
                        write!(f, "{}", char::from($kind))?;
                        elements.iter().try_for_each(|element| write!(f, ",{element}"))
                    })*
                }
            }
        }
    };
}

numbers!(
    i8 I8 I8 b'c', u8 U8 U8 b'C', i16 I16 I16 b's', u16 U16 U16 b'S', i32 I32 I32 b'i',
    u32 U32 U32 b'I', f32 Float F32 b'f'
);

impl Array<'_> {
    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements if they are whole numbers, whatever their type.
    pub fn as_ints(&self) -> Option<Vec<i64>> {
        Some(match self {
            Array::I8(elements) => elements.iter().map(i64::from).collect(),
            Array::U8(elements) => elements.iter().map(i64::from).collect(),
            Array::I16(elements) => elements.iter().map(i64::from).collect(),
            Array::U16(elements) => elements.iter().map(i64::from).collect(),
            Array::I32(elements) => elements.iter().map(i64::from).collect(),
            Array::U32(elements) => elements.iter().map(i64::from).collect(),
            Array::F32(_) => return None,
        })
    }
}

impl<'a> Value<'a> {
    /// An array (`B`) of these numbers.
    pub fn array(elements: impl Into<Array<'a>>) -> Value<'a> {
        Value::Array(elements.into())
    }

    /// A whole number with the smallest type that holds it, unsigned ones first, as samtools stores
    /// it; `None` if none does.
    pub fn int(value: i64) -> Option<Value<'a>> {
        let unsigned = u8::try_from(value)
            .map(Value::U8)
            .or_else(|_| u16::try_from(value).map(Value::U16))
            .or_else(|_| u32::try_from(value).map(Value::U32));
        unsigned
            .or_else(|_| i8::try_from(value).map(Value::I8))
            .or_else(|_| i16::try_from(value).map(Value::I16))
            .or_else(|_| i32::try_from(value).map(Value::I32))
            .ok()
    }

    /// The number, if it is a whole one of any type.
    #[inline]
    pub fn as_int(&self) -> Option<i64> {
        Some(match *self {
            Value::I8(value) => value.into(),
            Value::U8(value) => value.into(),
            Value::I16(value) => value.into(),
            Value::U16(value) => value.into(),
            Value::I32(value) => value.into(),
            Value::U32(value) => value.into(),
            _ => return None,
        })
    }

    /// The number, if it is one of any type.
    pub fn as_float(&self) -> Option<f64> {
        match *self {
            Value::Float(value) => Some(value.into()),
            Value::Double(value) => Some(value),
            // Below 2^32 each.
            _ => self.as_int().map(|value| value as f64),
        }
    }

    /// The text (`Z`) or the digits (`H`).
    #[inline]
    pub fn as_text(&self) -> Option<&'a [u8]> {
        match *self {
            Value::Text(text) | Value::Hex(text) => Some(text),
            _ => None,
        }
    }

    /// The array.
    pub fn as_array(&self) -> Option<Array<'a>> {
        match *self {
            Value::Array(array) => Some(array),
            _ => None,
        }
    }

    /// What is stored as this; `None` if that contradicts itself.
    #[inline]
    pub(crate) fn read(kind: u8, stored: &'a [u8]) -> Option<Value<'a>> {
        Some(match kind {
            b'A' => Value::Character(u8::read(stored)?),
            b'c' => Value::I8(i8::read(stored)?),
            b'C' => Value::U8(u8::read(stored)?),
            b's' => Value::I16(i16::read(stored)?),
            b'S' => Value::U16(u16::read(stored)?),
            b'i' => Value::I32(i32::read(stored)?),
            b'I' => Value::U32(u32::read(stored)?),
            b'f' => Value::Float(f32::read(stored)?),
            b'd' => Value::Double(f64::from_le_bytes(*stored.first_chunk()?)),
            b'Z' => Value::Text(stored),
            b'H' => Value::Hex(stored),
            b'B' => {
                let [kind, _, _, _, _, elements @ ..] = stored else { return None };
                Value::Array(Array::stored(*kind, elements)?)
            }
            _ => return None,
        })
    }

    /// Appends type and value as BAM stores them.
    ///
    /// # Errors
    /// If a record can't hold it.
    pub(crate) fn write(&self, out: &mut Vec<u8>) -> Result<(), &'static str> {
        match *self {
            Value::Character(byte @ b'!'..=b'~') => out.extend_from_slice(&[b'A', byte]),
            Value::Character(_) => return Err("a character (A) is a printable one"),
            Value::I8(value) => number(value, out),
            Value::U8(value) => number(value, out),
            Value::I16(value) => number(value, out),
            Value::U16(value) => number(value, out),
            Value::I32(value) => number(value, out),
            Value::U32(value) => number(value, out),
            Value::Float(value) if !value.is_finite() => {
                return Err("a number (f) is finite, and below 3.5e38");
            }
            Value::Float(value) => number(value, out),
            Value::Double(value) => {
                out.push(b'd');
                out.extend_from_slice(&value.to_le_bytes());
            }
            Value::Text(text) => {
                if !text.iter().all(|byte| matches!(byte, b' '..=b'~')) {
                    return Err(
                        "text (Z) is ASCII without tabs, line breaks and other control characters",
                    );
                }
                write_text(b'Z', text, out);
            }
            Value::Hex(digits) => {
                if digits.len() % 2 == 1 || !digits.iter().all(u8::is_ascii_hexdigit) {
                    return Err("H is an even number of hexadecimal digits");
                }
                write_text(b'H', digits, out);
            }
            Value::Array(array) => array.write(out),
        }
        Ok(())
    }
}

fn number<T: Stored>(value: T, out: &mut Vec<u8>) {
    out.push(T::KIND);
    value.write(out);
}

fn write_text(kind: u8, text: &[u8], out: &mut Vec<u8>) {
    out.push(kind);
    out.extend_from_slice(text);
    out.push(0);
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Value::Text(text.as_bytes())
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(text: &'a String) -> Self {
        Value::Text(text.as_bytes())
    }
}

impl<'a> From<Array<'a>> for Value<'a> {
    fn from(array: Array<'a>) -> Self {
        Value::Array(array)
    }
}

/// Type and value as SAM text has them.
impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Character(byte) => write!(f, "A:{}", char::from(*byte)),
            Value::Float(value) => write!(f, "f:{value}"),
            Value::Double(value) => write!(f, "d:{value}"),
            Value::Text(text) => write!(f, "Z:{}", biofast_io::Escaped(text)),
            Value::Hex(digits) => write!(f, "H:{}", biofast_io::Escaped(digits)),
            Value::Array(array) => write!(f, "B:{array}"),
            // All others are whole numbers.
            _ => write!(f, "i:{}", self.as_int().unwrap_or_default()),
        }
    }
}
