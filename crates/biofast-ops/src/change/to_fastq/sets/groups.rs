//! Which files of a set a read goes to: by its read group, or by the GEM group of its barcode.

use std::collections::HashMap;

use biofast_bam::{Error, Header, Record};

use super::layout::{Lack, text_of};

/// Where the reads of a group go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SetGroup {
    /// The folder of their files.
    pub(super) folder: String,
    /// The lane in the names of their files.
    pub(super) lane: u32,
}

/// All groups, each of which has a number.
pub(super) enum SetGroups {
    /// The header's.
    Named { by_id: HashMap<Vec<u8>, u32>, groups: Vec<SetGroup> },
    /// The numbers that barcodes end in, if the header has no read groups.
    Gems,
}

impl SetGroups {
    pub(super) fn of_header(header: &Header) -> SetGroups {
        let mut by_id = HashMap::new();
        let mut groups: Vec<SetGroup> = Vec::new();
        for id in header.read_groups().filter_map(|group| group.id()) {
            let group = of_id(id);
            let number = groups.iter().position(|known| *known == group).unwrap_or(groups.len());
            if number == groups.len() {
                groups.push(group);
            }
            // A header has fewer than 2^32 lines.
            by_id.insert(id.to_vec(), number as u32);
        }
        if groups.is_empty() { SetGroups::Gems } else { SetGroups::Named { by_id, groups } }
    }

    /// How many groups there may be, about.
    pub(super) fn count(&self) -> usize {
        match self {
            SetGroups::Named { groups, .. } => groups.len(),
            SetGroups::Gems => 8,
        }
    }

    /// The number of the group of a record, or why it has none.
    pub(super) fn number_of(&self, record: &Record<'_>) -> Result<Result<u32, Lack>, Error> {
        match self {
            SetGroups::Named { by_id, .. } => {
                let id = text_of(record, *b"RG")?;
                let number = id.and_then(|id| by_id.get(id).copied());
                Ok(number.ok_or_else(|| "the tag RG names no read group of the header".into()))
            }
            SetGroups::Gems => {
                let barcode = match text_of(record, *b"CB")? {
                    Some(barcode) => Some(barcode),
                    None => text_of(record, *b"BX")?,
                };
                let number = barcode.and_then(|text| text.split(|&byte| byte == b'-').nth(1));
                let number = number.and_then(|number| str::from_utf8(number).ok()?.parse().ok());
                Ok(Ok(number.unwrap_or(0)))
            }
        }
    }

    pub(super) fn get(&self, number: u32) -> SetGroup {
        match self {
            SetGroups::Named { groups, .. } => groups[number as usize].clone(),
            SetGroups::Gems => SetGroup { folder: format!("gemgroup{number:03}"), lane: 0 },
        }
    }
}

/// The group of a read group's ID, such as `sample:0:1:HXXXXXXX:2`: the lane comes last, to which old versions of `samtools merge`
/// appended `-` and a random number.
fn of_id(id: &[u8]) -> SetGroup {
    let id = String::from_utf8_lossy(id);
    let lane_of = |text: &str| {
        let (lane, end) = text.split_once('-').unwrap_or((text, ""));
        let is_random = end.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_random { lane.parse().ok() } else { None }
    };
    let parts = id.rsplit_once(':').and_then(|(name, lane)| Some((name, lane_of(lane)?)));
    let (name, lane) = parts.unwrap_or((&id, 1));
    let plain = |(at, c): (usize, char)| match c {
        ':' | '/' | '\\' => '_',
        '.' if at == 0 => '_',
        c if c.is_control() => '_',
        c => c,
    };
    SetGroup { folder: name.char_indices().map(plain).collect(), lane }
}
