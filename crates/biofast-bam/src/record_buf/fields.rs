//! The optional fields of a record of one's own.

use std::ops::Range;

use crate::error::Error;
use crate::record_buf::RecordBuf;
use crate::tags::{self, Tags};
use crate::value::Value;

impl RecordBuf {
    /// The value of the optional field of this name, the first one if there are several.
    ///
    /// # Errors
    /// If the fields before it, or all of them, can't be read.
    pub fn tag(&self, name: &[u8; 2]) -> Result<Option<Value<'_>>, Error> {
        tags::find(self.tags(), name).ok_or_else(|| self.bad_tags(tags::MALFORMED))
    }

    /// Gives the optional field `name` this text (type `Z`); see [`set_tag`](Self::set_tag).
    ///
    /// # Errors
    /// As `set_tag`.
    pub fn set_text(&mut self, name: &[u8; 2], text: impl AsRef<[u8]>) -> Result<&mut Self, Error> {
        self.set_tag(name, Value::Text(text.as_ref()))
    }

    /// Gives the optional field `name` a value: in its place where there is one, else at the end.
    ///
    /// Whole numbers keep the type they come with; [`Value::int`] has the smallest one.
    ///
    /// ```
    /// use biofast_bam::{RecordBuf, Value};
    ///
    /// let mut record = RecordBuf::default();
    /// record.set_tag(b"NM", 3u8)?.set_tag(b"ML", Value::array(&[9u8, 200][..]))?.set_tag(b"XF", 0.5f32)?;
    /// record.set_tag(b"NM", Value::Text(b"three"))?;
    /// let names: Vec<_> = record.tags().map(|tag| tag.name).collect();
    /// assert_eq!(names, [*b"NM", *b"ML", *b"XF"]);
    /// assert!(record.set_tag(b"CO", "two\nlines").is_err());
    /// # Ok::<(), biofast_bam::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the name isn't two characters of which the first is a letter and the second a letter or digit, or the value
    /// can't be stored: text with control characters, digits that aren't hexadecimal. `CG` is for long CIGARs, and
    /// written where it is needed. Nothing is then changed.
    pub fn set_tag<'v>(
        &mut self,
        name: &[u8; 2],
        value: impl Into<Value<'v>>,
    ) -> Result<&mut Self, Error> {
        let [first, second] = *name;
        if !first.is_ascii_alphabetic() || !second.is_ascii_alphanumeric() {
            return Err(self.bad_tags("expected a tag: a letter and a letter or digit"));
        }
        if name == b"CG" {
            let reason = "CG is for CIGARs of more than 65,535 operations; use set_cigar";
            return Err(self.bad_tags(reason));
        }
        let mut field = name.to_vec();
        value.into().write(&mut field).map_err(|reason| self.bad_tags(reason))?;
        match self.find(name) {
            Some(range) => {
                let end = range.start + field.len();
                self.tags.splice(range, field);
                // There is one of each.
                self.remove_from(end, name);
            }
            None => self.tags.extend_from_slice(&field),
        }
        Ok(self)
    }

    /// Removes the optional field of this name; false if there was none.
    pub fn remove_tag(&mut self, name: &[u8; 2]) -> bool {
        self.remove_from(0, name)
    }

    /// Removes all optional fields.
    pub fn clear_tags(&mut self) -> &mut Self {
        self.tags.clear();
        self
    }

    /// Where the first field of this name is.
    fn find(&self, name: &[u8; 2]) -> Option<Range<usize>> {
        find_from(&self.tags, 0, name)
    }

    fn remove_from(&mut self, start: usize, name: &[u8; 2]) -> bool {
        let before = self.tags.len();
        let mut at = start;
        while let Some(range) = find_from(&self.tags, at, name) {
            at = range.start;
            self.tags.drain(range);
        }
        self.tags.len() < before
    }
}

/// Where the first field of this name is behind `start`, which is the start of a field.
fn find_from(bytes: &[u8], start: usize, name: &[u8; 2]) -> Option<Range<usize>> {
    let mut tags = Tags::new(&bytes[start..]);
    let mut at = start;
    while let Some(tag) = tags.next() {
        let end = bytes.len() - tags.rest().len();
        if tag.name == *name {
            return Some(at..end);
        }
        at = end;
    }
    None
}
