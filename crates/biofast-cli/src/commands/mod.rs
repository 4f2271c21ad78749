//! The commands, a file or a folder each: its arguments, with the help that is made of them, and `run`.
//!
//! A new one: docs/adding-a-command.md.

mod about;
mod addreplacerg;
mod cat;
mod check;
mod checksum;
mod collate;
mod convert;
mod counts;
mod coverage;
mod dedup;
mod demo;
mod demux;
mod depth;
mod dict;
mod faidx;
mod fastq;
mod filter;
mod fixmate;
mod get;
mod grammar;
mod grep;
mod head;
mod help;
mod import;
mod index;
mod markdup;
mod merge;
#[cfg(test)]
mod python;
mod quickcheck;
#[cfg(test)]
mod reference;
mod reheader;
mod rename_contigs;
mod repair;
mod reset;
mod retag;
mod run_shards;
mod samples;
mod schema;
mod self_test;
mod shards;
mod shuffle;
mod sort;
mod split;
mod stats;
mod umi;
mod view;

use std::ffi::{OsStr, OsString};

use clap::{CommandFactory, Parser, Subcommand};

pub(crate) use about::{is_verbose_version, version};
use counts::{flagstat, idxstats};

use crate::session::{Exit, Session};
pub(crate) use grammar::given_by_old_names;

/// The commands in their groups, as `biofast --help` lists them: as it is typed, its variant with its arguments, what runs it, and the
/// options that `-h` shows beside `--help`, by their long names: those that most people use. None: all of them.
macro_rules! commands {
    ($($group:literal {$($name:literal $variant:ident($args:ty) => $run:path, $common:literal;)+})+) => {
        #[derive(Subcommand)]
        pub(crate) enum Command {
            $($(#[command(name = $name)] $variant($args),)+)+
        }

        /// The command of this name.
        pub(crate) fn named(name: &OsStr) -> Option<&'static str> {
            [$($($name),+),+].into_iter().find(|known| *known == name)
        }

        /// This command's arguments, without those of all others.
        fn arguments_of(name: &str) -> Option<clap::Command> {
            match name {
                $($($name => Some(<$args as clap::Args>::augment_args(clap::Command::new($name))),)+)+
                _ => None,
            }
        }

        /// The groups of commands, each with its commands and what `-h` shows of them.
        const GROUPS: &[help::Group] = &[$(($group, &[$(($name, $common)),+])),+];

        pub(crate) fn run(command: &Command, session: &mut Session) -> anyhow::Result<Exit> {
            match command {
                $($(Command::$variant(args) => $run(args, session),)+)+
            }
        }
    };
}

commands! {
    "Quality control" {
        "stats" Stats(Box<stats::Args>) => stats::run, "tsv json html paired reference library fail-on out out-dir threads";
        "coverage" Coverage(Box<coverage::Args>) => coverage::run, "prefix by thresholds no-per-base min-mapq exclude-flags format html out threads";
        "depth" Depth(Box<depth::Args>) => depth::run, "all-positions regions-file region with-header count-deletions mates-once min-base-quality min-mapq out threads";
        "check" Check(check::Args) => check::run, "paired reference json out threads quiet";
        "checksum" Checksum(Box<checksum::Args>) => checksum::run, "against paired merge tags all show-qc json reference out threads";
        "flagstat" Flagstat(flagstat::Args) => flagstat::run, "output-format region regions-file out threads";
        "quickcheck" Quickcheck(quickcheck::Args) => quickcheck::run, "";
        "idxstats" Idxstats(idxstats::Args) => idxstats::run, "count region regions-file out threads";
    }
    "Reads (FASTQ, FASTA)" {
        "filter" Filter(Box<filter::Args>) => filter::run, "out out2 rejected adapter trim-overlap cut-tail min-len min-mean-qual exclude-flags min-mapq threads";
        "demux" Demux(Box<demux::Args>) => demux::run, "inputs read-structures sample-metadata header-barcodes max-mismatches out-dir metrics threads";
        "dedup" Dedup(Box<dedup::Args>) => dedup::run, "key compare-umi max-mismatches keep out out2 memory threads";
        "grep" Grep(Box<grep::Args>) => grep::run, "pattern pattern-file by-seq use-regexp max-mismatches invert-match count out threads";
        "convert" Convert(Box<convert::Args>) => convert::run, "to out out2 head rename reverse-complement threads";
        "split" Split(Box<split::Args>) => split::run, "by-size by-part by-length out out2 threads";
        "repair" Repair(Box<repair::Args>) => repair::run, "out out2 orphans drop-orphans memory threads";
        "shuffle" Shuffle(Box<shuffle::Args>) => shuffle::run, "seed out out2 memory threads";
        "faidx" Faidx(Box<faidx::Args>) => faidx::run, "region-file out length continue reverse-complement mark-strand fastq";
        "dict" Dict(dict::Args) => dict::run, "assembly alias species uri no-header out threads";
    }
    "Alignments (BAM, SAM, CRAM)" {
        "sort" Sort(Box<sort::Args>) => sort::run, "out name key mark-duplicates remove-duplicates metrics write-index memory level threads";
        "markdup" Markdup(Box<markdup::Args>) => markdup::run, "out rule remove-duplicates mark-supplementary optical-distance barcode-tag metrics write-index memory threads";
        "umi" Umi(Box<umi::Args>) => umi::run, "method umi-tag paired group-out output-stats strategy duplex min-reads out threads";
        "collate" Collate(Box<collate::Args>) => collate::run, "out output-format uncompressed level memory threads";
        "fixmate" Fixmate(Box<fixmate::Args>) => fixmate::run, "remove mate-score template-cigar no-pair-check output-format out threads";
        "view" View(Box<view::Args>) => view::run, "bam with-header header-only count require-flags exclude-flags min-mapq expr out threads";
        "head" Head(head::Args) => head::run, "headers records reference out";
        "samples" Samples(samples::Args) => samples::run, "with-header test-index rg-tag fasta fasta-list files-from out";
        "merge" Merge(Box<merge::Args>) => merge::run, "files-from name out write-index level tsv json html threads";
        "cat" Cat(cat::Args) => cat::run, "files-from header sorted out threads";
        "reheader" Reheader(reheader::Args) => reheader::run, "no-PG out threads";
        "addreplacerg" Addreplacerg(Box<addreplacerg::Args>) => addreplacerg::run, "rg-line rg mode overwrite-rg output-format out threads";
        "reset" Reset(Box<reset::Args>) => reset::run, "remove-tag keep-tag reject-PG no-RG output-format out threads";
        "rename-contigs" RenameContigs(Box<rename_contigs::Args>) => rename_contigs::run, "table output-format out threads";
        "retag" Retag(Box<retag::Args>) => retag::run, "remove-tag keep-tag rename-tag umi-from-name umi-to-name output-format out threads";
        "index" Index(index::Args) => index::run, "bai csi gzi name-index out threads";
        "fastq" Fastq(Box<fastq::Args>) => fastq::run, "out require-flags exclude-flags collate level threads";
        "import" Import(Box<import::Args>) => import::run, "interleaved rg-line rg out threads";
    }
    "Many machines" {
        "shards" Shards(shards::Args) => shards::run, "number size by-region out threads";
        "run" Run(Box<run_shards::Args>) => run_shards::run, "engine number size work jobs memory time retries dry-run";
        "get" Get(get::Args) => get::run, "names record index out";
    }
    "About biofast" {
        "demo" Demo(demo::Args) => demo::run, "";
        "self-test" SelfTest(self_test::Args) => self_test::run, "";
        "schema" Schema(schema::Args) => schema::run, "";
        "completions" Completions(about::CompletionsArgs) => completions, "";
        "man" Man(about::ManArgs) => manual, "";
    }
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
    help::grouped(program.mut_subcommands(shortened), GROUPS)
}

/// The command line as far as it is needed for these words: to set up all commands takes longer than many a run.
pub(crate) fn needed_for(arguments: &[OsString]) -> clap::Command {
    let first = arguments.first().and_then(|word| word.to_str());
    let Some(command) = first.and_then(arguments_of) else { return all() };
    let command = grammar::spelled(command);
    let command = match arguments.iter().any(|word| help::may_ask(word)) {
        true => shortened(command),
        false => command,
    };
    GlobalArgs::command().subcommand_required(true).subcommand(command)
}

/// A command whose `-h` shows the common options alone, and a few of its examples.
fn shortened(command: clap::Command) -> clap::Command {
    help::shortened(command, GROUPS)
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
            assert!(shown(alone.mut_subcommands(shortened), name) == expected, "{name}");
            for ask in ["-h", "--help", "-qh"] {
                let asked = needed_for(&[name.into(), ask.into()]);
                assert!(shown(asked, name) == expected, "{name} {ask}");
            }
            names += 1;
        }
        assert!(names > 20);
    }
}
