//! Partial results: what a command finds in a shard, in the one form in which all commands write it and `merge` reads it.
//!
//! A command that can be sharded writes [`text`] and implements [`Mergeable`]. Which parts can be joined is decided here.

use anyhow::{Context, Result, bail};
use biofast_ops::shards::{Cover, Plan, ShardPart, ShardRun};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::console::Hinted;

/// The `schema` of a partial result.
const SCHEMA: &str = "biofast.part";
/// Its `schema_version`. Payloads are read only by the version of biofast that wrote them.
const SCHEMA_VERSION: u32 = 1;

/// The options that change values, by their long names.
pub(crate) type PartOptions = Map<String, Value>;

/// What a command prints of a shard.
#[derive(Serialize, Deserialize)]
struct Envelope<P> {
    schema: String,
    schema_version: u32,
    biofast_version: String,
    command: String,
    options: PartOptions,
    parts: Vec<Part<P>>,
}

/// What was found in a shard of one file, or in several.
#[derive(Serialize, Deserialize)]
pub(crate) struct Part<P> {
    /// Which shards of which file these are.
    pub(crate) shard: ShardPart,
    /// What was found there.
    pub(crate) payload: P,
}

/// The result of a command that can be computed shard by shard.
pub(crate) trait Mergeable: Sized {
    /// The name of the command.
    const COMMAND: &'static str;
    /// The form that is written.
    type Payload: Serialize + DeserializeOwned;

    /// Reads a part. The number is that of its records, which must be those of its shards; `None` if a fault ended the
    /// reading, or if nothing tells.
    ///
    /// # Errors
    /// If the part contradicts itself, or nothing was found because the shard couldn't be read.
    fn read(part: Part<Self::Payload>) -> Result<(Self, Option<u64>)>;

    /// Whether only shards that follow each other can be joined. Otherwise any can.
    fn needs_neighbors(&self) -> bool {
        true
    }

    /// Adds the result of the shards that follow.
    ///
    /// # Errors
    /// If the two don't fit together.
    fn append(&mut self, next: Self) -> Result<()>;
}

/// The text of parts of one command, one for each file of the plan.
pub(crate) fn text<M: Mergeable>(
    options: PartOptions,
    parts: Vec<Part<M::Payload>>,
) -> Result<String> {
    let envelope = Envelope {
        schema: SCHEMA.into(),
        schema_version: SCHEMA_VERSION,
        biofast_version: env!("CARGO_PKG_VERSION").into(),
        command: M::COMMAND.into(),
        options,
        parts,
    };
    Ok(serde_json::to_string(&envelope)? + "\n")
}

/// The command that wrote a partial result; `None` if the text is anything else.
///
/// # Errors
/// If it is damaged, or of another version of biofast.
pub(crate) fn command(text: &[u8]) -> Result<Option<String>> {
    #[derive(Deserialize)]
    struct Preamble {
        schema: String,
        schema_version: u32,
        biofast_version: String,
        command: String,
    }
    let named = format!("{:?}", SCHEMA);
    let Ok(found) = serde_json::from_slice::<Preamble>(text) else {
        let mut start = text[..text.len().min(64)].windows(named.len());
        match start.any(|bytes| bytes == named.as_bytes()) {
            true => bail!("damaged or incomplete: run the command with --shard again"),
            false => return Ok(None),
        }
    };
    if found.schema != SCHEMA {
        return Ok(None);
    }
    let own = env!("CARGO_PKG_VERSION");
    if found.biofast_version != own || found.schema_version != SCHEMA_VERSION {
        let version = found.biofast_version;
        bail!(
            "written by biofast {version}, but this is {own}: reports of shards must come from one version, which also merges them"
        );
    }
    Ok(Some(found.command))
}

/// Whether this is the whole partial result that a command of this version made of a shard of a plan.
pub(crate) fn is_of(text: &[u8], command: &str, plan: &Plan, number: u64) -> bool {
    let Ok(found) = serde_json::from_slice::<Envelope<IgnoredAny>>(text) else { return false };
    let own = (env!("CARGO_PKG_VERSION"), SCHEMA_VERSION, SCHEMA, command);
    let is_own =
        own == (&found.biofast_version, found.schema_version, &*found.schema, &*found.command);
    let files = found.parts.into_iter().map(|part| Some(part.shard));
    is_own && files.eq((0..plan.files.len()).map(|file| plan.part(number, file).ok()))
}

/// Partial results on their way to the whole, in any order.
pub(crate) struct PartJoin<M> {
    cover: Cover,
    /// Those of the first result, and its name.
    options: Option<(PartOptions, String)>,
    parts: Vec<Part<M>>,
}

impl<M: Mergeable> PartJoin<M> {
    pub(crate) fn new() -> PartJoin<M> {
        PartJoin { cover: Cover::default(), options: None, parts: Vec::new() }
    }

    /// Adds a partial result; `label` is its name in errors.
    ///
    /// # Errors
    /// If it is of another command, version or plan, was made with other options, contradicts itself or its plan, or if its
    /// shards are there already.
    pub(crate) fn add(&mut self, text: &[u8], label: &str) -> Result<()> {
        match (command(text).with_context(|| label.to_owned())?, &self.options) {
            (None, Some((_, first))) => return Err(mixed(first, label)),
            (Some(command), _) if command != M::COMMAND => {
                bail!(
                    "{label}: a report of {command}, but the ones before it are of {}",
                    M::COMMAND
                )
            }
            _ => {}
        }
        let again = || format!("{label}: damaged: run `biofast {}` with --shard again", M::COMMAND);
        let found: Envelope<M::Payload> = serde_json::from_slice(text).with_context(again)?;
        let (options, first) =
            self.options.get_or_insert_with(|| (found.options.clone(), label.to_owned()));
        if let Some((name, mine, theirs)) = difference(options, &found.options) {
            bail!(
                "{first} and {label} were made with different options: --{name} is {mine} in one and {theirs} in the other"
            );
        }
        if found.parts.is_empty() {
            bail!("{}", again());
        }
        for part in found.parts {
            let shard = part.shard.clone();
            let (payload, records) = M::read(part).with_context(|| label.to_owned())?;
            let expected = records_of(&shard);
            if let Some(records) = records.filter(|records| *records != expected) {
                bail!(
                    "{label}: the report contradicts its plan: it counts {records} records, but the shard has {expected}"
                );
            }
            self.cover.add(shard.clone(), label)?;
            self.parts.push(Part { shard, payload });
        }
        Ok(())
    }

    /// The result of all shards, for each file of the plan.
    ///
    /// # Errors
    /// If a shard is missing, or if they don't fit together.
    pub(crate) fn whole(self) -> Result<Vec<M>> {
        self.cover.check().map_err(|why| Hinted {
            message: why.to_string(),
            hint: "merge the reports of all shards of one plan, each once; to merge only some of them add --partial and --json".into(),
        })?;
        Ok(self.joined()?.into_iter().map(|file| file.payload).collect())
    }

    /// The result of some shards as a larger part of each file, and the options it was made with.
    ///
    /// # Errors
    /// If they don't fit together.
    pub(crate) fn larger(mut self) -> Result<(PartOptions, Vec<Part<M>>)> {
        let options = self.options.take().map(|(options, _)| options).unwrap_or_default();
        let cover = std::mem::take(&mut self.cover);
        let scattered = (1..=2).filter_map(|file| cover.part(file)).find(|of| of.pieces.len() > 1);
        if scattered.is_some() && self.parts.iter().any(|part| part.payload.needs_neighbors()) {
            bail!("--partial needs consecutive shards for these reports of {}", M::COMMAND);
        }
        let mut files = self.joined()?;
        for Part { shard, .. } in &mut files {
            *shard = cover.part(shard.file).context("no such file")?;
        }
        Ok((options, files))
    }

    /// The parts of each file, joined in the order of their shards.
    fn joined(mut self) -> Result<Vec<Part<M>>> {
        let place = |shard: &ShardPart| (shard.file, shard.pieces.first().map(|run| run.shards.0));
        self.parts.sort_by_key(|part| place(&part.shard));
        let mut files: Vec<Part<M>> = Vec::new();
        for part in self.parts {
            match files.last_mut() {
                Some(file) if file.shard.file == part.shard.file => {
                    file.payload.append(part.payload)?;
                }
                _ => files.push(part),
            }
        }
        Ok(files)
    }
}

/// Why reports of wholes and of shards aren't merged.
pub(crate) fn mixed(shards: &str, whole: &str) -> anyhow::Error {
    anyhow::anyhow!(
        "{shards} is a report of a shard, but {whole} is not: reports of shards can only be merged with each other"
    )
}

/// An option with two values.
fn difference<'a>(
    mine: &'a PartOptions,
    theirs: &'a PartOptions,
) -> Option<(&'a str, &'a Value, &'a Value)> {
    let names = mine.keys().chain(theirs.keys());
    let value = |options: &'a PartOptions, name| options.get(name).unwrap_or(&Value::Null);
    let mut values = names.map(|name| (name.as_str(), value(mine, name), value(theirs, name)));
    values.find(|(_, mine, theirs)| mine != theirs)
}

/// How many records shards have by their plan.
fn records_of(shard: &ShardPart) -> u64 {
    let records = |run: &ShardRun| run.records.1.saturating_sub(run.records.0);
    shard.pieces.iter().map(records).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The numbers of the records, in the order in which they were joined.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Numbers(Vec<u64>);

    impl Mergeable for Numbers {
        const COMMAND: &'static str = "numbers";
        type Payload = Self;

        fn read(part: Part<Self>) -> Result<(Self, Option<u64>)> {
            let count = part.payload.0.len() as u64;
            Ok((part.payload, Some(count)))
        }

        fn append(&mut self, next: Self) -> Result<()> {
            self.0.extend(next.0);
            Ok(())
        }
    }

    /// Shard `number` (from 0) of a plan of files that are cut at `cuts`.
    fn part(number: usize, file: u64, files: u64, cuts: &[u64]) -> Part<Numbers> {
        let records = (cuts[number], cuts[number + 1]);
        let shards = (number as u64 + 1, number as u64 + 1);
        let shard = ShardPart {
            plan: "p".into(),
            shards: cuts.len() as u64 - 1,
            file,
            files,
            records: cuts[cuts.len() - 1],
            pieces: vec![ShardRun { shards, records }],
        };
        Part { shard, payload: Numbers((records.0..records.1).collect()) }
    }

    fn options(value: u8) -> PartOptions {
        PartOptions::from_iter([("min".into(), value.into())])
    }

    fn written(number: usize, files: u64, cuts: &[u64]) -> String {
        let parts = (1..=files).map(|file| part(number, file, files, cuts)).collect();
        text::<Numbers>(options(1), parts).unwrap()
    }

    fn join(texts: &[String]) -> Result<PartJoin<Numbers>> {
        let mut join = PartJoin::new();
        for (number, text) in texts.iter().enumerate() {
            join.add(text.as_bytes(), &format!("part{number}"))?;
        }
        Ok(join)
    }

    proptest! {
        /// All shards, in any order and some of them joined before, are the whole; without one of them they are not.
        #[test]
        fn the_whole_has_every_record_once_and_in_order(
            sizes in prop::collection::vec(0u64..5, 1..9),
            files in 1u64..3,
            order in Just((0..8usize).collect::<Vec<_>>()).prop_shuffle(),
            joined in (0usize..8, 0usize..8),
            without in 0usize..8,
        ) {
            let mut cuts = vec![0];
            cuts.extend(sizes.iter().scan(0, |sum, size| { *sum += size; Some(*sum) }));
            let n = sizes.len();
            let order: Vec<usize> = order.into_iter().filter(|number| *number < n).collect();
            let (from, to) = (joined.0.min(joined.1).min(n - 1), joined.0.max(joined.1).min(n - 1));
            let all = |numbers: &mut dyn Iterator<Item = usize>| -> Vec<String> {
                numbers.map(|number| written(number, files, &cuts)).collect()
            };
            let inner = all(&mut order.iter().copied().filter(|number| (from..=to).contains(number)));
            let mut texts = all(&mut order.iter().copied().filter(|number| !(from..=to).contains(number)));
            let (options, parts) = join(&inner).unwrap().larger().unwrap();
            texts.push(text::<Numbers>(options, parts).unwrap());
            let whole = Numbers((0..cuts[n]).collect());
            prop_assert_eq!(join(&texts).unwrap().whole().unwrap(), vec![whole; files as usize]);
            texts.remove(without % texts.len());
            prop_assert!(texts.is_empty() || join(&texts).unwrap().whole().is_err());
        }
    }

    #[test]
    fn parts_that_are_not_of_one_whole_are_refused() {
        let cuts = [0, 3, 5, 9];
        let all: Vec<String> = (0..3).map(|number| written(number, 1, &cuts)).collect();
        let refused = |last: String| {
            let found = join(&[all[0].clone(), all[1].clone(), last]).and_then(PartJoin::whole);
            format!("{:#}", found.unwrap_err())
        };
        let own = format!("\"biofast_version\":\"{}\"", env!("CARGO_PKG_VERSION"));
        for (from, to, why) in [
            (&*own, "\"biofast_version\":\"0.0.1\"", "part2: written by biofast 0.0.1, but this"),
            ("version\":1", "version\":2", "part2: written by biofast"),
            ("biofast.part", "biofast.reads", "part0 is a report of a shard, but part2 is not"),
            (
                "numbers",
                "letters",
                "part2: a report of letters, but the ones before it are of numbers",
            ),
            (
                "\"min\":1",
                "\"min\":2",
                "part0 and part2 were made with different options: --min is 1 in one and 2 in the other",
            ),
            ("\"min\":1", "", "different options: --min is 1 in one and null in the other"),
            ("\"plan\":\"p\"", "\"plan\":\"q\"", "part2: part of plan q"),
            (
                "[5,6,7,8]",
                "[5,6,7]",
                "part2: the report contradicts its plan: it counts 3 records, but the shard has 4",
            ),
            ("[5,6,7,8]", "{}", "part2: damaged: run `biofast numbers` with --shard again"),
            ("}]}\n", "", "part2: damaged or incomplete"),
        ] {
            assert!(all[2].contains(from), "{from}");
            let found = refused(all[2].replace(from, to));
            assert!(found.contains(why), "{found}\n{why}");
        }
        assert_eq!(refused(all[1].clone()), "shard 2 occurs twice: in part1 and in part2");
        let missing = join(&all[1..]).unwrap().whole().unwrap_err().to_string();
        assert_eq!(missing, "shard 1 of 3 is missing (records 1 to 3)");
        let apart = join(&[all[0].clone(), all[2].clone()]).unwrap().larger();
        assert!(apart.is_err_and(|why| why.to_string().contains("consecutive shards")));
        assert_eq!(command(b"{\"QC-passed reads\": {}}").unwrap(), None);
        assert_eq!(command(b"c\t99\t1\t0\n").unwrap(), None);
    }
}
