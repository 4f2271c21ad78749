//! Which options are read of which kind of input. Those of FASTQ alone are in the group `of_fastq`, where they are declared.

use super::args::Args;
use crate::session::Session;

/// Options that select alignments.
const ALIGNMENTS: [&str; 6] =
    ["of_alignments", "ContentArgs", "Flags", "RegionArgs", "CramArgs", "ProgramLineArgs"];

/// Options of FASTQ alone.
const FASTQ: [&str; 6] =
    ["of_fastq", "Pairing", "PairsOut", "MateArgs", "PresetArgs", "CompatArgs"];

/// Options that trim and select reads that are not aligned, in FASTQ or BAM.
const READS: [&str; 5] = ["of_reads", "SubsetArgs", "TrimArgs", "Typed", "Select"];

/// Of these, what is read of alignments as well.
const OF_BOTH: [&str; 1] = ["pair"];

impl Args {
    /// The first option given that is of alignments.
    pub(super) fn only_of_alignments(&self, session: &Session) -> Option<String> {
        self.given.option(session, "filter", &ALIGNMENTS)
    }

    /// The first option given that is of FASTQ alone.
    pub(super) fn only_of_fastq(&self, session: &Session) -> Option<String> {
        let edits = || self.adapters.edits().or(self.deplete.edits()).map(str::to_owned);
        self.given.option(session, "filter", &FASTQ).or_else(edits)
    }

    /// The first option given that is of reads that are not aligned, in FASTQ or BAM.
    pub(super) fn only_of_unaligned(&self, session: &Session) -> Option<String> {
        self.given.option_except(session, "filter", &READS, &OF_BOTH)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Given;

    #[test]
    fn groups_of_options_have_members() {
        let groups = [&ALIGNMENTS[..], &FASTQ, &READS].concat();
        assert_eq!(Given::empty_group(crate::commands::all(), "filter", &groups), None);
    }

    #[test]
    fn all_but_options_of_both_kinds_are_in_a_group() {
        let mut all = crate::commands::all();
        all.build();
        let command = all.find_subcommand("filter").expect("the command");
        let groups = ALIGNMENTS.iter().chain(&FASTQ).chain(&READS);
        let in_groups: Vec<_> = groups
            .flat_map(|name| command.get_groups().filter(move |group| group.get_id() == *name))
            .flat_map(clap::ArgGroup::get_args)
            .collect();
        let others: Vec<_> = command
            .get_arguments()
            .map(clap::Arg::get_id)
            .filter(|id| !in_groups.contains(id))
            .map(clap::Id::as_str)
            .collect();
        let of_both = [
            "files", "shard", "in1", "in2", "out", "output_format", "level", "write_index", "sync",
            "json", "html", "title", "threads", "chunk_size", "io", "allow_missing_eof", "strict",
            "quiet", "verbose", "version", "cache_dir", "help",
        ];
        let extra: Vec<_> = others.iter().filter(|id| !of_both.contains(id)).collect();
        assert!(extra.is_empty(), "{extra:?} are neither of reads nor of alignments alone");
    }
}
