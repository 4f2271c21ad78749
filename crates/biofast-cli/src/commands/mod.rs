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
mod grep;
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

use std::ffi::OsString;
use std::process::ExitCode;

use biofast::io::output::Files;
use clap::{CommandFactory, Parser, Subcommand};

pub(crate) use about::{is_verbose_version, version};
use counts::{flagstat, idxstats};

/// The commands: as it is typed, its variant with its arguments, and what runs it.
macro_rules! commands {
    ($($name:literal $variant:ident($args:ty) => $run:path,)+) => {
        #[derive(Subcommand)]
        pub(crate) enum Command {
            $(#[command(name = $name)] $variant($args),)+
        }

        /// This command's arguments, without those of all others.
        fn arguments_of(name: &str) -> Option<clap::Command> {
            match name {
                $($name => Some(<$args as clap::Args>::augment_args(clap::Command::new($name))),)+
                _ => None,
            }
        }

        pub(crate) fn run(command: &Command, files: &mut Files) -> anyhow::Result<ExitCode> {
            match command {
                $(Command::$variant(args) => $run(args, files),)+
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
    "completions" Completions(about::CompletionsArgs) => about::completions,
    "man" Man(about::ManArgs) => about::manual,
}

/// Fast, exact tools for FASTQ, BAM and CRAM files
#[derive(Parser)]
#[command(
    name = "biofast",
    version,
    propagate_version = true,
    max_term_width = 100,
    after_help = "An input may be an address (https://, s3://, gs://, az://) if biofast --version --verbose lists 'remote'.\n\
        biofast --version --verbose tells how it was built and what it makes of this machine."
)]
struct Program {
    /// Folder that keeps headers, indexes and regions of inputs at addresses for later runs
    ///
    /// They are used as long as the server says that the object is the same (ETag). The folder is made if need be; the environment variable
    /// BIOFAST_REMOTE_CACHE names one for all runs.
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        hide_short_help = true,
        help_heading = "Inputs at addresses"
    )]
    cache_dir: Option<crate::options::Folder>,
}

/// The folder that is to keep what was fetched, if one was named.
pub(crate) fn cache_dir(matches: &clap::ArgMatches) -> Option<&std::path::Path> {
    matches.get_one::<crate::options::Folder>("cache_dir").map(AsRef::as_ref)
}

/// The command line with all commands.
pub(crate) fn all() -> clap::Command {
    let program = Program::command().subcommand_required(true).arg_required_else_help(true);
    Command::augment_subcommands(program)
}

/// The command line as far as it is needed for these words: to set up all commands takes longer than many a run.
pub(crate) fn needed_for(arguments: &[OsString]) -> clap::Command {
    let first = arguments.first().and_then(|word| word.to_str());
    match first.and_then(arguments_of) {
        Some(command) => Program::command().subcommand_required(true).subcommand(command),
        None => all(),
    }
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
            assert!(shown(alone, name) == shown(all(), name), "{name}");
            names += 1;
        }
        assert!(names > 20);
    }
}
