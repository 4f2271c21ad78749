//! Tags of alignments dropped, kept and renamed, and UMIs moved between names and tags.

use std::collections::BTreeSet;

use biofast_bam::{Error, Header, Record, Value};

use super::edit::{RecordEdit, made};
use super::grep::complement;
use super::sort::duplicates::umi_of_name;
use crate::tags::{append_text, stored_tags};

/// Which tags stay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptTags {
    /// These alone, if there are such.
    kept: Option<BTreeSet<[u8; 2]>>,
    /// If not, all but these.
    dropped: BTreeSet<[u8; 2]>,
}

impl KeptTags {
    /// These alone, and those of other calls.
    #[must_use]
    pub fn only(mut self, tags: &[[u8; 2]]) -> KeptTags {
        self.kept.get_or_insert_default().extend(tags);
        self
    }

    /// Not these, unless others are named that alone stay.
    #[must_use]
    pub fn without(mut self, tags: &[[u8; 2]]) -> KeptTags {
        self.dropped.extend(tags);
        self
    }

    /// Not this one, whatever is named.
    #[must_use]
    pub fn never(mut self, tag: [u8; 2]) -> KeptTags {
        self.kept.iter_mut().for_each(|kept| _ = kept.remove(&tag));
        self.without(&[tag])
    }

    /// Whether a tag stays.
    pub fn keeps(&self, tag: [u8; 2]) -> bool {
        match &self.kept {
            Some(kept) => kept.contains(&tag),
            None => !self.dropped.contains(&tag),
        }
    }

    /// Whether all tags stay.
    pub fn keeps_all(&self) -> bool {
        self.kept.is_none() && self.dropped.is_empty()
    }
}

/// A UMI on its way between the name of a read and a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UmiMove {
    /// From the end of the name to the tag. A name without one is an error.
    FromName {
        /// What stands before it; if nothing is said, it is found as by [`umi_of_name`].
        separator: Option<u8>,
        /// Whether the name loses it.
        removes: bool,
    },
    /// From the tag to the end of the name, behind this character. A record without the tag is an error.
    ToName {
        /// What stands before it.
        separator: u8,
    },
}

/// What becomes of tags and names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RetagRules {
    /// Which tags stay.
    pub tags: KeptTags,
    /// Old and new names of tags. Their places stay.
    pub renamed: Vec<([u8; 2], [u8; 2])>,
    /// What becomes of UMIs.
    pub umi: Option<UmiMove>,
    /// The tag of UMIs; RX if none is named.
    pub umi_tag: Option<[u8; 2]>,
}

/// Drops, keeps and renames tags, and moves UMIs between names and tags.
///
/// In the tag, parts of a UMI have a hyphen between them, as the specification wants it, and parts marked with `r` are
/// reverse-complemented, as by fgbio; in the name they have a plus, as of bcl-convert.
///
/// ```
/// use biofast_bam::Reader;
/// use biofast_ops::edit::RecordEdit;
/// use biofast_ops::retag::{Retag, RetagRules, KeptTags, UmiMove};
///
/// let sam = b"r:ACC+rTTG\t4\t*\t0\t0\t*\t*\t0\t0\tA\tI\tNM:i:0\tBC:Z:T\n";
/// let mut reader = Reader::from_reader("example", &sam[..])?;
/// let rules = RetagRules {
///     tags: KeptTags::default().without(&[*b"NM"]),
///     renamed: vec![(*b"BC", *b"B1")],
///     umi: Some(UmiMove::FromName { separator: None, removes: true }),
///     ..RetagRules::default()
/// };
/// let retag = Retag::new(&reader.shared_header(), &rules);
/// let record = reader.next_record()?.ok_or("no record")?;
/// let mut room = Vec::new();
/// let record = retag.edit(record, &mut room)?.ok_or("left out")?;
/// assert_eq!((record.name(), record.tag_bytes()), (&b"r"[..], &b"B1ZT\0RXZACC-CAA\0"[..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Retag {
    header: Header,
    rules: RetagRules,
    umi_tag: [u8; 2],
}

impl Retag {
    /// For files with this header. If names change, they may be in another order, which the header then says.
    pub fn new(header: &Header, rules: &RetagRules) -> Retag {
        let renames = match rules.umi {
            Some(UmiMove::ToName { .. }) => true,
            Some(UmiMove::FromName { removes, .. }) => removes,
            None => false,
        };
        let header = match renames && header.is_grouped_by_name() {
            true => header.with_grouping("unsorted", "query", None),
            false => header.clone(),
        };
        Retag { header, rules: rules.clone(), umi_tag: rules.umi_tag.unwrap_or(*b"RX") }
    }

    fn umi(&self, record: &Record<'_>) -> Result<MovedUmi, Error> {
        let name = record.name();
        match self.rules.umi {
            None => Ok(MovedUmi::default()),
            Some(UmiMove::FromName { separator, removes }) => {
                let found = match separator {
                    None => umi_of_name(name),
                    Some(separator) => {
                        let at = name.iter().rposition(|byte| *byte == separator);
                        at.map(|at| &name[at + 1..])
                    }
                };
                let found = found.and_then(|umi| Some((umi, in_tag(umi)?)));
                let Some((umi, in_tag)) = found.filter(|(umi, _)| name.ends_with(umi)) else {
                    return Err(record.unwritable(NO_UMI_IN_NAME));
                };
                // With what stands before it.
                let left = name.len() - umi.len() - 1;
                if removes && left == 0 {
                    return Err(record.unwritable("its name is nothing but a UMI"));
                }
                Ok(MovedUmi { name: removes.then(|| name[..left].to_vec()), tag: Some(in_tag) })
            }
            Some(UmiMove::ToName { separator }) => {
                let Some(Value::Text(umi)) = record.tag(&self.umi_tag)? else {
                    return Err(record.unwritable(NO_UMI_IN_TAG));
                };
                if umi.is_empty() || !umi.iter().all(|byte| is_of_umi(*byte)) {
                    return Err(record.unwritable("its UMI isn't made of letters, '-' and '+'"));
                }
                let mut name = [name, &[separator][..]].concat();
                name.extend(umi.iter().map(|byte| if *byte == b'-' { b'+' } else { *byte }));
                if name.len() > LONGEST_NAME {
                    return Err(record.unwritable("its name is too long for BAM with the UMI"));
                }
                Ok(MovedUmi { name: Some(name), tag: None })
            }
        }
    }
}

/// What becomes of a record when its UMI moves.
#[derive(Default)]
struct MovedUmi {
    /// Its new name, if it gets one.
    name: Option<Vec<u8>>,
    /// What stands in its tag, if that changes.
    tag: Option<Vec<u8>>,
}

/// Why a record without a UMI can't be changed where it is looked for in its name.
#[doc(hidden)]
pub const NO_UMI_IN_NAME: &str = "its name doesn't end in a UMI";
/// The same where it is looked for in a tag.
#[doc(hidden)]
pub const NO_UMI_IN_TAG: &str = "it has no tag with a UMI";

/// The longest name that BAM holds.
const LONGEST_NAME: usize = 254;

fn is_of_umi(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'+')
}

/// What of a name is a UMI, as the tag has it; `None` if it is something else.
fn in_tag(umi: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(umi.len());
    for part in umi.split(|byte| matches!(byte, b'+' | b'-' | b'_')) {
        let (bases, is_reverse) = match part.strip_prefix(b"r") {
            Some(bases) => (bases, true),
            None => (part, false),
        };
        if bases.is_empty() || !bases.iter().all(|base| b"ACGTN".contains(base)) {
            return None;
        }
        if !out.is_empty() {
            out.push(b'-');
        }
        match is_reverse {
            false => out.extend_from_slice(bases),
            true => out.extend(bases.iter().rev().map(|&base| complement(base))),
        }
    }
    Some(out)
}

impl RecordEdit for Retag {
    fn header(&self) -> &Header {
        &self.header
    }

    fn edit<'r>(
        &self,
        record: Record<'r>,
        room: &'r mut Vec<u8>,
    ) -> Result<Option<Record<'r>>, Error> {
        let MovedUmi { name, tag: umi } = self.umi(&record)?;
        let bytes = record.as_bytes();
        let tags = bytes.len() - record.tag_bytes().len();
        room.clear();
        match &name {
            None => room.extend_from_slice(&bytes[..tags]),
            Some(name) => {
                let end = FIXED + record.name().len() + 1;
                room.extend_from_slice(&bytes[..FIXED]);
                room[8] = name.len() as u8 + 1;
                room.extend_from_slice(name);
                room.push(0);
                room.extend_from_slice(&bytes[end..tags]);
            }
        }
        // New and old names.
        let mut names: Vec<[[u8; 2]; 2]> = Vec::new();
        let is_other = |names: &[[[u8; 2]; 2]], new: [u8; 2], old: [u8; 2]| {
            names.iter().any(|[known, of]| *known == new && *of != old)
        };
        for (tag, stored) in stored_tags(&record) {
            if !self.rules.tags.keeps(tag.name) || umi.is_some() && tag.name == self.umi_tag {
                continue;
            }
            let new = self.rules.renamed.iter().find(|(old, _)| *old == tag.name);
            let new = new.map_or(tag.name, |(_, new)| *new);
            if !self.rules.renamed.is_empty() {
                if is_other(&names, new, tag.name) {
                    return Err(record.unwritable(TWICE));
                }
                names.push([new, tag.name]);
            }
            room.extend_from_slice(&new);
            room.extend_from_slice(&bytes[stored][2..]);
        }
        if let Some(umi) = umi {
            if is_other(&names, self.umi_tag, self.umi_tag) {
                return Err(record.unwritable(TWICE));
            }
            append_text(self.umi_tag, &umi, room);
        }
        made(&record, room).map(Some)
    }
}

const TWICE: &str = "it would have a tag twice after renaming";

/// Bytes in front of a name.
const FIXED: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn umis_get_the_form_of_tags() {
        for (umi, tag) in [
            ("ACG", Some("ACG")),
            ("ACG+TTN", Some("ACG-TTN")),
            ("ACG_TTN", Some("ACG-TTN")),
            ("rACG+TTN", Some("CGT-TTN")),
            ("ACG-rTTN", Some("ACG-NAA")),
            ("", None),
            ("r", None),
            ("ACG+", None),
            ("12", None),
            ("acg", None),
        ] {
            assert_eq!(in_tag(umi.as_bytes()).as_deref(), tag.map(str::as_bytes), "{umi}");
        }
    }
}
