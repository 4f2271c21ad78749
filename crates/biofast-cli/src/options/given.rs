//! What was typed, and in which modes of a command it is read.
//!
//! An argument is in the group of the struct that declares it, whose name is the group's (unless another struct is flattened into that one),
//! and in those that `group = "…"` names. A command refuses the groups that the mode at hand doesn't read. A test types each option of
//! each command in each mode.

use clap::parser::ValueSource;
use clap::{ArgMatches, Command, FromArgMatches, Id};

use crate::session::Session;

/// The arguments that were typed, each with its groups.
#[derive(Clone, Default)]
pub(crate) struct Given(Vec<(String, Vec<String>)>);

impl Given {
    /// Whether an argument was typed, whatever its value.
    pub(crate) fn has(&self, id: &str) -> bool {
        self.0.iter().any(|(typed, _)| typed == id)
    }

    /// The first argument of one of these groups that was typed, but for those of `except`.
    fn first_of(&self, groups: &[&str], except: &[&str]) -> Option<&str> {
        let is_one = |(id, of): &&(String, Vec<String>)| {
            !except.contains(&id.as_str())
                && of.iter().any(|group| groups.contains(&group.as_str()))
        };
        self.0.iter().find(is_one).map(|(id, _)| id.as_str())
    }

    /// The first option of one of these groups that was typed, as the command's help shows it.
    pub(crate) fn option(
        &self,
        session: &Session,
        command: &str,
        groups: &[&str],
    ) -> Option<String> {
        self.option_except(session, command, groups, &[])
    }

    /// The same, but for these arguments.
    pub(crate) fn option_except(
        &self,
        session: &Session,
        command: &str,
        groups: &[&str],
        except: &[&str],
    ) -> Option<String> {
        self.first_of(groups, except).map(|id| session.shown(command, id))
    }

    /// The first of these groups that one of all commands lacks or that has no member.
    #[cfg(test)]
    pub(crate) fn empty_group<'g>(
        mut all: Command,
        command: &str,
        groups: &[&'g str],
    ) -> Option<&'g str> {
        all.build();
        let mut of_command = all.find_subcommand(command).into_iter().flat_map(Command::get_groups);
        let known: Vec<_> =
            of_command.by_ref().filter(|group| group.get_args().next().is_some()).collect();
        let has_members = |name: &str| known.iter().any(|group| group.get_id() == name);
        groups.iter().copied().find(|name| !has_members(name))
    }
}

impl FromArgMatches for Given {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Given, clap::Error> {
        let mut given = Given::default();
        given.update_from_arg_matches(matches)?;
        Ok(given)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        let members = |id: &str| -> Option<Vec<String>> {
            let members = matches.try_get_many::<Id>(id).ok()??;
            Some(members.map(|member| member.as_str().to_owned()).collect())
        };
        let mut typed: Vec<(String, Vec<String>)> = Vec::new();
        let mut groups = Vec::new();
        for id in matches.ids().map(Id::as_str) {
            match members(id) {
                Some(members) => groups.push((id, members)),
                None if matches.value_source(id) == Some(ValueSource::CommandLine) => {
                    typed.push((id.to_owned(), Vec::new()));
                }
                None => {}
            }
        }
        for (group, members) in groups {
            for (id, of) in &mut typed {
                if members.contains(id) {
                    of.push(group.to_owned());
                }
            }
        }
        self.0 = typed;
        Ok(())
    }
}

impl clap::Args for Given {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::Console;

    #[test]
    fn options_are_known_by_the_structs_that_declare_them_and_by_the_groups_they_name() {
        let given = |words: &[&str]| {
            let matches = crate::commands::all().try_get_matches_from(words)?;
            let (_, matches) = matches
                .subcommand()
                .ok_or(clap::Error::new(clap::error::ErrorKind::MissingSubcommand))?;
            Given::from_arg_matches(matches)
        };
        let typed =
            given(&["biofast", "filter", "-q", "3", "--head", "2", "x.fq"]).unwrap_or_default();
        let mut session = Session::new(&[], Console::stderr(None));
        session.understand(crate::commands::all());
        assert_eq!(
            typed.option(&session, "filter", &["of_alignments"]).as_deref(),
            Some("-q (--min-mapq)")
        );
        assert_eq!(typed.option(&session, "filter", &["of_fastq"]).as_deref(), Some("--head"));
        // What has a value of its own isn't typed.
        assert_eq!(typed.option(&session, "filter", &["TrimArgs", "Select"]), None);
    }
}
