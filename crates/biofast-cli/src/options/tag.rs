//! The names of tags, and what headers and names of records can hold.

use anyhow::bail;
use biofast_ops::retag::KeptTags;

/// A tag: a letter, and a letter or digit.
pub(crate) fn sam_tag(text: &str) -> Result<[u8; 2], String> {
    match text.as_bytes() {
        &[a, b] if a.is_ascii_alphabetic() && b.is_ascii_alphanumeric() => Ok([a, b]),
        _ => Err("expected a tag: a letter and a letter or digit".into()),
    }
}

/// The value of a field of a header line: its lines are ASCII, and tabs and line feeds end fields.
pub(crate) fn header_value(text: &str) -> Result<String, String> {
    match !text.is_empty() && text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        true => Ok(text.to_owned()),
        false => Err("a header can contain only printable ASCII characters, and no tabs".into()),
    }
}

/// A part of the name of a record.
pub(crate) fn sam_name(text: &str) -> Result<String, String> {
    let fits = text.len() <= 254;
    match fits && text.bytes().all(|byte| matches!(byte, b'!'..=b'?' | b'A'..=b'~')) {
        true => Ok(text.to_owned()),
        false => Err("names can contain only '!' to '~' except '@', at most 254 of them".into()),
    }
}

/// Which tags stay.
#[derive(clap::Args)]
pub(crate) struct TagArgs {
    /// Remove these tags, separated by commas, or all but these with ^ in front; may be repeated
    #[arg(short = 'x', long, value_name = "TAGS", value_parser = TagList::parse)]
    remove_tag: Vec<TagList>,

    /// Keep only these tags, separated by commas, or none if TAGS is empty; may be repeated
    #[arg(long, value_name = "TAGS", value_parser = TagList::parse)]
    keep_tag: Vec<TagList>,
}

/// A list of tags as typed.
#[derive(Clone)]
struct TagList {
    tags: Vec<[u8; 2]>,
    are_others: bool,
}

impl TagList {
    fn parse(typed: &str) -> Result<TagList, String> {
        let list = typed.strip_prefix('^');
        let tags = list.unwrap_or(typed).split(',').filter(|tag| !tag.is_empty()).map(sam_tag);
        Ok(TagList { tags: tags.collect::<Result<_, _>>()?, are_others: list.is_some() })
    }
}

impl TagArgs {
    /// The tags that stay.
    pub(crate) fn selection(&self) -> anyhow::Result<KeptTags> {
        let mut selection = KeptTags::default();
        let (others, removed): (Vec<&TagList>, Vec<&TagList>) =
            self.remove_tag.iter().partition(|list| list.are_others);
        for list in self.keep_tag.iter().chain(others) {
            selection = selection.only(&list.tags);
        }
        if !removed.is_empty() && !selection.keeps_all() {
            bail!("--remove-tag has no effect beside a list of the tags that are kept");
        }
        Ok(removed.into_iter().fold(selection, |all, list| all.without(&list.tags)))
    }
}
