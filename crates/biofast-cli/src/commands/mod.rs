//! The commands, a file or a folder each: its arguments, with the help that is made of them, and `run`.
//!
//! A new one: docs/adding-a-command.md.

mod about;
mod cat;
mod check;
mod convert;
mod counts;
mod coverage;
mod dedup;
mod demo;
mod demux;
mod fastq;
mod filter;
mod get;
mod grammar;
mod grep;
mod help;
mod import;
mod index;
mod merge;
#[cfg(test)]
mod reference;
mod repair;
mod schema;
mod self_test;
mod shards;
mod shuffle;
mod sort;
mod split;
mod stats;
mod view;

use std::ffi::{OsStr, OsString};

use clap::{CommandFactory, Parser, Subcommand};

pub(crate) use about::{is_verbose_version, version};
use counts::{flagstat, idxstats};

use crate::session::{Exit, Session};
pub(crate) use grammar::given_by_old_names;

/// The commands: as it is typed, its variant with its arguments, and what runs it.
macro_rules! commands {
    ($($name:literal $variant:ident($args:ty) => $run:path,)+) => {
        #[derive(Subcommand)]
        pub(crate) enum Command {
            $(#[command(name = $name)] $variant($args),)+
        }

        /// The command of this name.
        pub(crate) fn named(name: &OsStr) -> Option<&'static str> {
            [$($name),+].into_iter().find(|known| *known == name)
        }

        /// This command's arguments, without those of all others.
        fn arguments_of(name: &str) -> Option<clap::Command> {
            match name {
                $($name => Some(<$args as clap::Args>::augment_args(clap::Command::new($name))),)+
                _ => None,
            }
        }

        pub(crate) fn run(command: &Command, session: &mut Session) -> anyhow::Result<Exit> {
            match command {
                $(Command::$variant(args) => $run(args, session),)+
            }
        }
    };
}

commands! {
    "stats" Stats(Box<stats::Args>) => stats::run,
    "filter" Filter(Box<filter::Args>) => filter::run,
    "check" Check(check::Args) => check::run,
    "flagstat" Flagstat(flagstat::Args) => flagstat::run,
    "idxstats" Idxstats(idxstats::Args) => idxstats::run,
    "coverage" Coverage(Box<coverage::Args>) => coverage::run,
    "index" Index(index::Args) => index::run,
    "get" Get(get::Args) => get::run,
    "merge" Merge(Box<merge::Args>) => merge::run,
    "cat" Cat(cat::Args) => cat::run,
    "view" View(Box<view::Args>) => view::run,
    "fastq" Fastq(Box<fastq::Args>) => fastq::run,
    "import" Import(Box<import::Args>) => import::run,
    "sort" Sort(Box<sort::Args>) => sort::run,
    "convert" Convert(Box<convert::Args>) => convert::run,
    "shuffle" Shuffle(Box<shuffle::Args>) => shuffle::run,
    "split" Split(Box<split::Args>) => split::run,
    "shards" Shards(shards::Args) => shards::run,
    "demux" Demux(Box<demux::Args>) => demux::run,
    "grep" Grep(Box<grep::Args>) => grep::run,
    "demo" Demo(demo::Args) => demo::run,
    "self-test" SelfTest(self_test::Args) => self_test::run,
    "dedup" Dedup(Box<dedup::Args>) => dedup::run,
    "repair" Repair(Box<repair::Args>) => repair::run,
    "schema" Schema(schema::Args) => schema::run,
    "completions" Completions(about::CompletionsArgs) => completions,
    "man" Man(about::ManArgs) => manual,
}

fn completions(args: &about::CompletionsArgs, session: &mut Session) -> anyhow::Result<Exit> {
    about::completions(args, all(), session)
}

fn manual(args: &about::ManArgs, session: &mut Session) -> anyhow::Result<Exit> {
    about::manual(args, all(), session)
}

/// Fast, exact tools for FASTQ, BAM and CRAM files
#[derive(Parser)]
#[command(
    name = "biofast",
    version,
    propagate_version = true,
    max_term_width = 100,
    after_help = "\
Examples:
  biofast stats *.fastq.gz
  biofast check lane1_R1.fq.gz lane1_R2.fq.gz aln.bam
  biofast filter R1.fq.gz R2.fq.gz -o out1.fq.gz --out2 out2.fq.gz --trim-overlap --cut-tail
  biofast sort -n aln.bam | biofast sort --mark-duplicates -o marked.bam --write-index -
  biofast stats --out-dir qc -r genome.fa marked.bam

Exit codes: 0 success, 1 a check or a verdict failed, 2 an error.
Inputs may be URLs (https://, s3://, gs://, az://) if 'biofast --version --verbose' lists 'remote'."
)]
struct GlobalArgs {
    /// Cache headers, indexes and regions of remote inputs in DIR between runs
    ///
    /// Cached data are used as long as the server reports the same object (ETag). DIR is created if it doesn't exist.
    /// The environment variable BIOFAST_REMOTE_CACHE sets a folder for all runs.
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        hide_short_help = true,
        help_heading = "Remote inputs"
    )]
    cache_dir: Option<crate::options::Folder>,
}

/// The folder that is to keep what was fetched, if one was named.
pub(crate) fn cache_dir(matches: &clap::ArgMatches) -> Option<&std::path::Path> {
    matches.get_one::<crate::options::Folder>("cache_dir").map(AsRef::as_ref)
}

/// The command line with all commands.
pub(crate) fn all() -> clap::Command {
    let program = GlobalArgs::command().subcommand_required(true).arg_required_else_help(true);
    let program = Command::augment_subcommands(program);
    let program = program.mut_subcommands(grammar::spelled);
    help::grouped(program.mut_subcommands(help::shortened))
}

/// The command line as far as it is needed for these words: to set up all commands takes longer than many a run.
pub(crate) fn needed_for(arguments: &[OsString]) -> clap::Command {
    let first = arguments.first().and_then(|word| word.to_str());
    let Some(command) = first.and_then(arguments_of) else { return all() };
    let command = grammar::spelled(command);
    let command = match arguments.iter().any(|word| help::may_ask(word)) {
        true => help::shortened(command),
        false => command,
    };
    GlobalArgs::command().subcommand_required(true).subcommand(command)
}

/// What `-h` prints of a command.
pub(crate) fn short_help(name: &str) -> String {
    let mut program = needed_for(&[name.into(), "-h".into()]);
    program.build();
    let command = program.find_subcommand_mut(name);
    command.map(|command| command.render_help().to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_alone_is_what_it_is_among_all() {
        let shown = |mut command: clap::Command, name: &str| {
            command.build();
            let command = command.find_subcommand_mut(name).expect("the command");
            let help = command.render_long_help();
            let arguments: Vec<String> =
                command.get_arguments().map(|argument| format!("{argument:?}")).collect();
            format!("{help}{:?}{}", command.get_version(), arguments.concat())
        };
        let mut names = 0;
        for command in all().get_subcommands() {
            let name = command.get_name();
            let alone = needed_for(&[name.into()]);
            assert_eq!(alone.get_subcommands().count(), 1, "{name}");
            let expected = shown(all(), name);
            // What is for its help alone is made where help is asked for.
            assert!(shown(alone.mut_subcommands(help::shortened), name) == expected, "{name}");
            for ask in ["-h", "--help", "-qh"] {
                let asked = needed_for(&[name.into(), ask.into()]);
                assert!(shown(asked, name) == expected, "{name} {ask}");
            }
            names += 1;
        }
        assert!(names > 20);
    }
}
