//! One grammar of options for all commands: what each letter means, which letters a command takes over from the tool it is like,
//! which spellings of an option are the same, and which options had another name in the last release. docs/cli.md explains it.

/// What a letter means in every command that has the option, unless the command is like a tool that uses the letter otherwise.
const LETTERS: &[(char, &str)] = &[
    ('o', "out"),
    ('O', "output-format"),
    ('@', "threads"),
    ('q', "quiet"),
    ('v', "verbose"),
    ('h', "help"),
    ('V', "version"),
    ('T', "reference"),
    ('L', "regions-file"),
    ('X', "files-from"),
    ('m', "memory"),
    ('u', "uncompressed"),
];

/// Commands, the tools they are like, and the letters that mean there what they mean in the tool.
const MODELS: &[(&str, &str, &str)] = &[
    ("stats", "seqkit stats", "T"),
    ("stats", "samtools stats", "r"),
    ("stats", "mosdepth", "FQRbimnx"),
    ("filter", "samtools view", "DFGLMNRTUbcdefhqrsu"),
    ("filter", "fastp", "35AWaglx"),
    ("filter", "cutadapt", "B"),
    ("checksum", "samtools checksum", "BCFMNOPTabcfmoqtvz"),
    ("flagstat", "samtools flagstat", "O"),
    ("coverage", "mosdepth", "FQRTbcfimnqx"),
    ("coverage", "samtools depth", "a"),
    ("depth", "samtools depth", "GHJQabfglqrs"),
    ("index", "samtools index", "bcmo"),
    ("get", "samtools view", "b"),
    ("merge", "seqkit stats", "T"),
    ("merge", "samtools merge", "LNORbchlnoprtu"),
    ("cat", "samtools cat", "bho"),
    ("view", "samtools view", "DFGHLNORTbcdefhoqrsu"),
    ("fastq", "samtools fastq", "0DFGNOT12cdfinostv"),
    ("import", "samtools import", "012RTiorsu"),
    ("sort", "samtools sort", "NOTlmnotu"),
    ("sort", "samtools markdup", "Scdfr"),
    ("markdup", "samtools markdup", "OSTcdfru"),
    ("convert", "seqkit seq", "Milmuw"),
    ("shuffle", "seqkit shuffle", "s"),
    ("split", "seqkit split2", "lps"),
    ("split", "samtools split", "dfu"),
    ("demux", "fqtk demux", "Sbcdiorsu"),
    ("grep", "seqkit grep", "CPRdfimnprsv"),
    ("grep", "grep", "c"),
    ("dedup", "seqkit rmdup", "di"),
    ("head", "samtools head", "Thn"),
    ("addreplacerg", "samtools addreplacerg", "ORmoruw"),
    ("collate", "samtools collate", "OTlou"),
    ("fixmate", "samtools fixmate", "Ocmpruz"),
    ("reset", "samtools reset", "OTox"),
    ("retag", "samtools view", "x"),
    ("quickcheck", "samtools quickcheck", "qu"),
    ("samples", "samtools samples", "FTfhio"),
    ("faidx", "samtools faidx", "cfinor"),
    ("dict", "samtools dict", "AHalosu"),
];

/// The spellings of an option, of which help shows the first: the others are those of tools that commands are like.
const SPELLINGS: &[&[&str]] = &[
    &["out", "output"],
    &["output-format", "output-fmt"],
    &["min-mapq", "min-MQ", "min-mq", "mapq"],
    &["min-base-quality", "min-BQ", "min-bq"],
    &["max-mismatches", "max-mismatch", "mismatches"],
    &["temp-dir", "tmp-dir"],
    &["level", "compression-level"],
    &["exclude-flags", "excl-flags", "flag"],
    &["include-flags", "incl-flags", "include-flag", "rf"],
];

/// Options that had another name up to release 0.2: the command, the old name and the present one. They are understood, with a
/// warning, until release 0.4. A name of one character is a letter.
const RENAMED: &[(&str, &str, &str)] = &[
    ("cat", "json", "summary"),
    ("check", "format", "expect"),
    ("check", "r", "reference"),
    ("convert", "T", "temp-dir"),
    ("convert", "json", "summary"),
    ("convert", "read-group", "rg-line"),
    ("dedup", "T", "temp-dir"),
    ("dedup", "by", "key"),
    ("dedup", "json", "summary"),
    ("dedup", "prefix", "first-bases"),
    ("dedup", "reverse-complement", "both-strands"),
    ("dedup", "umi", "compare-umi"),
    ("coverage", "p", "prefix"),
    ("dedup", "r", "both-strands"),
    ("demux", "json", "summary"),
    ("demux", "name", "name-template"),
    ("demux", "output", "out-dir"),
    ("fastq", "json", "summary"),
    ("filter", "json", "summary"),
    ("filter", "stats", "summary-stats"),
    ("grep", "json", "summary"),
    ("grep", "region", "search-region"),
    ("import", "json", "summary"),
    ("import", "read-group", "rg-line"),
    ("index", "names", "name-index"),
    ("merge", "tag", "by-tag"),
    ("repair", "T", "temp-dir"),
    ("repair", "json", "summary"),
    ("repair", "s", "orphans"),
    ("shards", "n", "number"),
    ("shuffle", "T", "temp-dir"),
    ("shuffle", "json", "summary"),
    ("sort", "by", "key"),
    ("sort", "json", "summary"),
    ("sort", "tag", "by-tag"),
    ("split", "json", "summary"),
];

/// The command with the letters, the other spellings and the former names of its options.
pub(super) fn spelled(command: clap::Command) -> clap::Command {
    let name = command.get_name().to_owned();
    let old: Vec<(&str, &str)> =
        RENAMED.iter().filter(|(of, ..)| *of == name).map(|(_, old, new)| (*old, *new)).collect();
    let is_free = |wanted: char| {
        !old.iter().any(|(old, _)| letter(old) == Some(wanted))
            && !command.get_arguments().any(|arg| has_letter(arg, wanted))
    };
    let free: Vec<(char, &str)> =
        LETTERS.iter().copied().filter(|(letter, _)| is_free(*letter)).collect();
    command.mut_args(|mut arg| {
        let Some(long) = arg.get_long() else { return arg };
        let shared = free.iter().find(|(_, of)| *of == long).map(|(letter, _)| *letter);
        let spellings = SPELLINGS.iter().find(|all| all.contains(&long));
        let others: Vec<&str> = spellings.into_iter().flat_map(|all| all.iter().copied()).collect();
        let mut aliases: Vec<&str> =
            others.into_iter().filter(|name| names(&arg).all(|own| own != *name)).collect();
        let former = old.iter().filter(|(_, new)| *new == long).map(|(old, _)| *old);
        let (letters, former): (Vec<&str>, Vec<&str>) = former.partition(|old| old.len() == 1);
        aliases.extend(former);
        if let Some(shared) = shared {
            arg = match arg.get_short() {
                None => arg.short(shared),
                Some(_) => arg.visible_short_alias(shared),
            };
        }
        arg = arg.short_aliases(letters.into_iter().filter_map(letter));
        if aliases.is_empty() { arg } else { arg.aliases(aliases) }
    })
}

/// What to say of options that were given by a name they had in an earlier release.
pub(crate) fn given_by_old_names(command: &str, words: &[String]) -> Vec<String> {
    let words = || words.iter().take_while(|word| *word != "--");
    let is_given = |old: &str| match letter(old) {
        Some(letter) => {
            words().any(|word| word.strip_prefix('-').is_some_and(|word| word.starts_with(letter)))
        }
        None => words().any(|word| {
            let rest = word.strip_prefix("--").and_then(|word| word.strip_prefix(old));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
        }),
    };
    let renamed = RENAMED.iter().filter(|(of, old, _)| *of == command && is_given(old));
    renamed
        .map(|(_, old, new)| {
            let dashes = if letter(old).is_some() { "-" } else { "--" };
            format!("{dashes}{old} is now --{new}; the old name will be removed in biofast 0.4")
        })
        .collect()
}

/// What help says about letters that would be those of options the command has, if it weren't like a tool.
pub(super) fn letters_of_models(command: &clap::Command) -> Option<String> {
    let has = |long: &str| command.get_arguments().any(|arg| arg.get_long() == Some(long));
    let (mut here, mut tools) = (Vec::new(), Vec::new());
    for (letter, shared) in LETTERS.iter().filter(|(_, shared)| *shared == "help" || has(shared)) {
        let is_model = |(of, _, taken): &&(&str, &str, &str)| {
            *of == command.get_name() && taken.contains(*letter)
        };
        let arg = command.get_arguments().find(|arg| has_letter(arg, *letter));
        if let (Some((_, tool, _)), Some(arg)) = (MODELS.iter().find(is_model), arg)
            && arg.get_long() != Some(shared)
        {
            here.push(match arg.get_long() {
                Some(long) => format!("-{letter} is --{long}, not --{shared}"),
                None => format!("-{letter} isn't --{shared}"),
            });
            if !tools.contains(tool) {
                tools.push(*tool);
            }
        }
    }
    let (here, tools) = (here.join("; "), tools.join(" and "));
    (!here.is_empty()).then(|| format!("As in {tools}: {here}."))
}

/// The character of a name that is a letter.
fn letter(name: &str) -> Option<char> {
    let mut characters = name.chars();
    characters.next().filter(|_| characters.next().is_none())
}

/// Whether a letter is one of an argument's.
fn has_letter(arg: &clap::Arg, letter: char) -> bool {
    arg.get_short() == Some(letter)
        || arg.get_all_short_aliases().is_some_and(|all| all.contains(&letter))
}

/// The long names of an argument.
fn names(arg: &clap::Arg) -> impl Iterator<Item = &str> {
    arg.get_long().into_iter().chain(arg.get_all_aliases().unwrap_or_default())
}

#[cfg(test)]
mod tests;
