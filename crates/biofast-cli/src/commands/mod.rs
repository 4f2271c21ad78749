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
mod repair;
mod self_test;
mod shards;
mod shuffle;
mod sort;
mod split;
mod stats;
mod view;

use std::process::ExitCode;

use biofast::io::output::Files;
use clap::Subcommand;

pub(crate) use about::{is_verbose_version, version};
use counts::{flagstat, idxstats};

#[derive(Subcommand)]
pub(crate) enum Command {
    Stats(Box<stats::Args>),
    Filter(Box<filter::Args>),
    Check(check::Args),
    Flagstat(flagstat::Args),
    Idxstats(idxstats::Args),
    Coverage(Box<coverage::Args>),
    Index(index::Args),
    Get(get::Args),
    Merge(Box<merge::Args>),
    Cat(cat::Args),
    View(Box<view::Args>),
    Fastq(Box<fastq::Args>),
    Import(Box<import::Args>),
    Sort(Box<sort::Args>),
    Convert(Box<convert::Args>),
    Shuffle(Box<shuffle::Args>),
    Split(Box<split::Args>),
    Shards(shards::Args),
    Demux(Box<demux::Args>),
    Grep(Box<grep::Args>),
    Demo(demo::Args),
    SelfTest(self_test::Args),
    Dedup(Box<dedup::Args>),
    Repair(Box<repair::Args>),
    Completions(about::CompletionsArgs),
    Man(about::ManArgs),
}

pub(crate) fn run(command: &Command, files: &mut Files) -> anyhow::Result<ExitCode> {
    match command {
        Command::Stats(args) => stats::run(args, files),
        Command::Filter(args) => filter::run(args, files),
        Command::Check(args) => check::run(args, files),
        Command::Flagstat(args) => flagstat::run(args, files),
        Command::Idxstats(args) => idxstats::run(args, files),
        Command::Coverage(args) => coverage::run(args, files),
        Command::Index(args) => index::run(args, files),
        Command::Get(args) => get::run(args, files),
        Command::Merge(args) => merge::run(args, files),
        Command::Cat(args) => cat::run(args, files),
        Command::View(args) => view::run(args, files),
        Command::Fastq(args) => fastq::run(args, files),
        Command::Import(args) => import::run(args, files),
        Command::Sort(args) => sort::run(args, files),
        Command::Convert(args) => convert::run(args, files),
        Command::Shuffle(args) => shuffle::run(args, files),
        Command::Split(args) => split::run(args, files),
        Command::Shards(args) => shards::run(args, files),
        Command::Demux(args) => demux::run(args, files),
        Command::Grep(args) => grep::run(args, files),
        Command::Demo(args) => demo::run(args, files),
        Command::SelfTest(args) => self_test::run(args, files),
        Command::Dedup(args) => dedup::run(args, files),
        Command::Repair(args) => repair::run(args, files),
        Command::Completions(args) => about::completions(args, files),
        Command::Man(args) => about::manual(args, files),
    }
}
