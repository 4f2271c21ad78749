//! Several headers to one, and what records of each input become under it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use biofast_bam::{Error, ErrorKind, Header};
use biofast_io::{Location, Shown};

/// The new ID of each ID.
pub(super) type Ids = HashMap<Vec<u8>, Vec<u8>>;

/// How the records of an input are written under the common header.
pub(super) struct Translation {
    /// The new index of each reference; nothing where all keep theirs.
    pub(super) references: Option<Vec<i32>>,
    /// Whether references come in another order than in the input.
    pub(super) is_reordered: bool,
    /// The new IDs of read groups and programs.
    pub(super) read_groups: Ids,
    pub(super) programs: Ids,
    /// The read group of all records, whatever they say.
    pub(super) read_group: Option<Vec<u8>>,
}

/// Whether lines of equal IDs are taken to be one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Combine {
    pub(super) read_groups: bool,
    pub(super) programs: bool,
}

/// Puts headers together as `samtools merge` does: the first `@HD` line; reference sequences by their names, those that are
/// new behind the others; all read groups and programs, under another ID where another input has that one; all comments.
#[derive(Default)]
pub(super) struct Joined {
    combine: Combine,
    /// How many inputs there are.
    inputs: usize,
    first_line: Vec<u8>,
    /// Index and length of each reference.
    references: HashMap<Vec<u8>, (i32, u64)>,
    sequences: Vec<u8>,
    read_groups: Lines,
    programs: Lines,
    /// Comments, and lines of types that aren't known.
    others: Vec<u8>,
}

/// Lines of one type that have IDs.
#[derive(Default)]
struct Lines {
    ids: HashSet<Vec<u8>>,
    text: Vec<u8>,
}

impl Joined {
    pub(super) fn new(combine: Combine) -> Joined {
        Joined { combine, ..Joined::default() }
    }

    /// Adds a header that is no input's, in front of them.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub(super) fn add_first(&mut self, header: &Header) -> Result<(), Error> {
        let wrong = |reason| Error::new(ErrorKind::HeadersDiffer(reason), Location::default());
        let mut text = Vec::new();
        header.write_sam(&mut text)?;
        self.add_as(0, header, &text, None).map(drop).map_err(wrong)
    }

    /// Adds the header of the next input, of this name. All of its records get `read_group`, if that is given.
    ///
    /// # Errors
    /// If a reference has two lengths, or there are more than a header can have.
    pub(super) fn add(
        &mut self,
        name: &Arc<str>,
        header: &Header,
        read_group: Option<Vec<u8>>,
    ) -> Result<Translation, Error> {
        self.inputs += 1;
        let wrong = |reason| Error::new(ErrorKind::HeadersDiffer(reason), Location::in_input(name));
        let mut text = Vec::new();
        header.write_sam(&mut text).map_err(|error| error.or_at(Location::in_input(name)))?;
        self.add_as(self.inputs, header, &text, read_group).map_err(wrong)
    }

    /// The header of all.
    ///
    /// # Errors
    /// If lines contradict each other.
    pub(super) fn header(&self) -> Result<Header, Error> {
        Header::from_text(&self.text())
    }

    /// Adds the header of the input of this number, counted from 1, which is written as `text`.
    fn add_as(
        &mut self,
        number: usize,
        header: &Header,
        text: &[u8],
        read_group: Option<Vec<u8>>,
    ) -> Result<Translation, String> {
        let combine = self.combine;
        let lines: Vec<&[u8]> = text
            .split(|&b| b == b'\n')
            .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
            .filter(|line| !line.is_empty())
            .collect();
        let of = |start: &'static [u8]| lines.iter().copied().filter(move |l| l.starts_with(start));
        if self.first_line.is_empty()
            && let Some(line) = of(b"@HD").next()
        {
            self.first_line = line.to_vec();
        }
        let (references, is_reordered) = self.add_references(header, of(b"@SQ\t"))?;
        let (groups, new_groups) = match &read_group {
            Some(id) => self.read_groups.replaced(id, of(b"@RG\t")),
            None => self.read_groups.translated(number, of(b"@RG\t"), combine.read_groups),
        };
        let (programs, new_programs) =
            self.programs.translated(number, of(b"@PG\t"), combine.programs);
        // These lines name programs, whose IDs are known only now.
        new_groups.iter().for_each(|line| {
            self.read_groups.push(&with_field(line, b"PG:", |id| programs.get(id).cloned()));
        });
        new_programs.iter().for_each(|line| {
            self.programs.push(&with_field(line, b"PP:", |id| programs.get(id).cloned()));
        });
        let known = [&b"@HD"[..], b"@SQ\t", b"@RG\t", b"@PG\t"];
        for line in lines.iter().filter(|line| !known.iter().any(|start| line.starts_with(start))) {
            self.others.extend_from_slice(line);
            self.others.push(b'\n');
        }
        Ok(Translation { references, is_reordered, read_groups: groups, programs, read_group })
    }

    /// The new indices of an input's references, and whether their order is another one.
    fn add_references<'a>(
        &mut self,
        header: &Header,
        lines: impl Iterator<Item = &'a [u8]>,
    ) -> Result<(Option<Vec<i32>>, bool), String> {
        let mut by_name = HashMap::new();
        for line in lines {
            by_name.entry(field(line, b"SN:").unwrap_or_default()).or_insert(line);
        }
        let mut indices = Vec::with_capacity(header.references().len());
        for reference in header.references() {
            let next = i32::try_from(self.references.len());
            let next =
                next.map_err(|_| "too many reference sequences for one header".to_owned())?;
            if let Some(&(index, length)) = self.references.get(&reference.name) {
                if length != reference.length {
                    return Err(format!(
                        "reference sequence '{}' has {} bases here but {length} in an earlier file: they were aligned to \
                         different references",
                        Shown(&reference.name),
                        reference.length
                    ));
                }
                indices.push(index);
                continue;
            }
            indices.push(next);
            self.references.insert(reference.name.clone(), (next, reference.length));
            match by_name.get(&reference.name[..]) {
                Some(line) => self.sequences.extend_from_slice(line),
                None => {
                    self.sequences.extend_from_slice(b"@SQ\tSN:");
                    self.sequences.extend_from_slice(&reference.name);
                    self.sequences
                        .extend_from_slice(format!("\tLN:{}", reference.length).as_bytes());
                }
            }
            self.sequences.push(b'\n');
        }
        let is_reordered = !indices.is_sorted();
        let is_same = indices.iter().zip(0..).all(|(&index, old)| index == old);
        Ok(((!is_same).then_some(indices), is_reordered))
    }

    fn text(&self) -> Vec<u8> {
        let mut text = self.first_line.clone();
        if !text.is_empty() {
            text.push(b'\n');
        }
        [&self.sequences, &self.read_groups.text, &self.programs.text, &self.others]
            .iter()
            .for_each(|part| text.extend_from_slice(part));
        text
    }
}

impl Lines {
    /// The new ID of each ID, and the lines that are added, with their new IDs.
    fn translated<'a>(
        &mut self,
        number: usize,
        lines: impl Iterator<Item = &'a [u8]>,
        combine: bool,
    ) -> (Ids, Vec<Vec<u8>>) {
        let (mut ids, mut new) = (HashMap::new(), Vec::new());
        for line in lines {
            let Some(id) = field(line, b"ID:") else {
                new.push(line.to_vec());
                continue;
            };
            if self.ids.contains(id) && combine {
                ids.entry(id.to_vec()).or_insert_with(|| id.to_vec());
                continue;
            }
            let unused = self.unused(id, number);
            self.ids.insert(unused.clone());
            new.push(with_field(line, b"ID:", |_| Some(unused.clone())));
            ids.entry(id.to_vec()).or_insert(unused);
        }
        (ids, new)
    }

    /// All lines as one of this ID, which the first of them becomes if the ID is new.
    fn replaced<'a>(
        &mut self,
        id: &[u8],
        mut lines: impl Iterator<Item = &'a [u8]>,
    ) -> (Ids, Vec<Vec<u8>>) {
        if !self.ids.insert(id.to_vec()) {
            return (Ids::new(), Vec::new());
        }
        let line = lines.find(|line| field(line, b"ID:").is_some()).unwrap_or(b"@RG\tID:");
        (Ids::new(), vec![with_field(line, b"ID:", |_| Some(id.to_vec()))])
    }

    /// The ID, or if there is one like it, with the input's number behind it.
    fn unused(&self, id: &[u8], number: usize) -> Vec<u8> {
        let with = |suffix: String| [id, suffix.as_bytes()].concat();
        let more = (2u64..).map(|n| with(format!("-{number}.{n}")));
        let mut candidates = [id.to_vec(), with(format!("-{number}"))].into_iter().chain(more);
        candidates.find(|id| !self.ids.contains(id)).unwrap_or_default()
    }

    fn push(&mut self, line: &[u8]) {
        self.text.extend_from_slice(line);
        self.text.push(b'\n');
    }
}

/// The value of a header line's field, such as `ID:`.
fn field<'a>(line: &'a [u8], tag: &[u8; 3]) -> Option<&'a [u8]> {
    line.split(|&b| b == b'\t').find_map(|field| field.strip_prefix(tag))
}

/// A line whose field has the value that `new` gives for it, if there is such a field and value.
fn with_field(line: &[u8], tag: &[u8; 3], new: impl Fn(&[u8]) -> Option<Vec<u8>>) -> Vec<u8> {
    let fields = line.split(|&b| b == b'\t').map(|field| {
        let value = field.strip_prefix(tag).and_then(&new);
        value.map_or_else(|| field.to_vec(), |value| [&tag[..], &value].concat())
    });
    fields.collect::<Vec<_>>().join(&b'\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(texts: &[&str], combine: Combine) -> Result<(String, Vec<Translation>), Error> {
        let header = |text: &&str| ("x".into(), Header::from_text(text.as_bytes()).unwrap());
        let headers: Vec<(Arc<str>, Header)> = texts.iter().map(header).collect();
        let mut joined = Joined::new(combine);
        let translations: Result<Vec<_>, _> =
            headers.iter().map(|(name, header)| joined.add(name, header, None)).collect();
        let (header, translations) = (joined.header()?, translations?);
        Ok((String::from_utf8(header.text().to_vec()).unwrap(), translations))
    }

    #[test]
    fn an_id_that_another_input_has_gets_the_number_of_its_input() {
        let one =
            "@HD\tVN:1.6\n@SQ\tSN:a\tLN:5\n@RG\tID:g\tPG:p\n@PG\tID:p\n@PG\tPP:p\tID:q\n@CO\tx\n";
        let other = "@SQ\tSN:b\tLN:6\n@SQ\tSN:a\tLN:5\n@RG\tID:g\tPG:q\n@RG\tID:g-2\n@PG\tID:p\n@PG\tPP:p\tID:q\n";
        let (text, translations) = joined(&[one, other], Combine::default()).unwrap();
        assert_eq!(
            text,
            "@HD\tVN:1.6\n@SQ\tSN:a\tLN:5\n@SQ\tSN:b\tLN:6\n@RG\tID:g\tPG:p\n@RG\tID:g-2\tPG:q-2\n\
             @RG\tID:g-2-2\n@PG\tID:p\n@PG\tPP:p\tID:q\n@PG\tID:p-2\n@PG\tPP:p-2\tID:q-2\n@CO\tx\n"
        );
        assert!(translations[0].references.is_none() && !translations[0].is_reordered);
        assert_eq!(translations[1].references, Some(vec![1, 0]));
        assert!(translations[1].is_reordered);
        assert_eq!(translations[1].read_groups[&b"g"[..]], b"g-2");
        let combine = Combine { read_groups: true, programs: true };
        let (text, translations) = joined(&[one, other], combine).unwrap();
        assert!(
            text.contains("@RG\tID:g\tPG:p\n@RG\tID:g-2\n@PG\tID:p\n@PG\tPP:p\tID:q\n@CO"),
            "{text}"
        );
        assert_eq!(translations[1].read_groups[&b"g"[..]], b"g");
    }

    #[test]
    fn one_read_group_of_a_file_has_the_first_line_of_it() {
        let header = |text: &str| Header::from_text(text.as_bytes()).unwrap();
        let mut joined = Joined::new(Combine::default());
        joined.add_first(&header("@RG\tID:c\tSM:first\n")).unwrap();
        let some = header("@RG\tSM:s\tID:x\tPG:p\n@RG\tID:y\n@PG\tID:p\n");
        for (name, header) in [("a", &some), ("b", &header("@CO\tnone\n")), ("c", &some)] {
            let id = Some(name.as_bytes().to_vec());
            joined.add(&name.into(), header, id).unwrap();
        }
        let text = String::from_utf8(joined.header().unwrap().text().to_vec()).unwrap();
        let groups: Vec<_> = text.lines().filter(|line| line.starts_with("@RG")).collect();
        assert_eq!(groups, ["@RG\tID:c\tSM:first", "@RG\tSM:s\tID:a\tPG:p", "@RG\tID:b"]);
    }

    #[test]
    fn a_reference_of_two_lengths_is_an_error() {
        let two = ["@SQ\tSN:a\tLN:5\n", "@SQ\tSN:a\tLN:6\n"];
        let error = joined(&two, Combine::default()).err().unwrap();
        let expected = "reference sequence 'a' has 6 bases here but 5 in an earlier file";
        assert!(error.to_string().contains(expected), "{error}");
    }
}
