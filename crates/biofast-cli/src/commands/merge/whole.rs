//! What is written of reports that were merged.

use anyhow::{Result, bail};
use biofast_io::output::Output;
use biofast_ops::flagstat::FlagStat;
use biofast_report::samtools::flagstat;

use super::{Args, folder};
use crate::commands::stats::{self, Entry, NeededFigures};
use crate::options::{Judge, Page};
use crate::output;
use crate::session::{Exit, Session};

/// A run of `merge`: what was asked for, and what was opened for it.
pub(super) struct Merging<'a> {
    pub(super) args: &'a Args,
    /// Where the report goes, unless files go to a folder.
    pub(super) out: Option<Output>,
    pub(super) page: Option<Page>,
    pub(super) judge: Judge,
    pub(super) session: &'a mut Session,
}

/// The options that reports of `stats` take, of those that not all reports do.
pub(super) const OF_STATS: &[&str] =
    &["--html", "--out-dir", "--sample", "--qc", "--partial", "verdicts", "--json", "-T (--tsv)"];

impl<'a> Merging<'a> {
    /// Opens what is written.
    pub(super) fn open(args: &'a Args, session: &'a mut Session) -> Result<Merging<'a>> {
        let out = match args.out_dir {
            Some(_) => None,
            None => Some(args.out.open_as(args.format.json, session)?),
        };
        let page = args.title.open(session, args.html.as_deref())?;
        if let Some(option) = args.judged_by().filter(|_| args.partial) {
            bail!("{option} can't be combined with --partial: verdicts need whole files");
        }
        let judge = args.verdicts.judge(Some(&args.baseline), session)?;
        Ok(Merging { args, out, page, judge, session })
    }

    /// Refuses options that have no meaning for reports of this command, which takes these.
    pub(super) fn refuse(&self, command: &str, takes: &[&str]) -> Result<()> {
        let args = self.args;
        let depths = takes.contains(&"depths") && args.out_dir.is_some();
        if let Some(option) = args.depths.given().filter(|_| !depths) {
            bail!("{option} needs --out-dir and reports of `biofast coverage --shard`");
        }
        let options = [
            ("--html", self.page.is_some()),
            ("--out-dir", args.out_dir.is_some()),
            ("--sample", args.sample.is_some()),
            ("--qc", !args.qc.is_empty()),
            ("--partial", args.partial),
        ];
        let mut options = options.into_iter().filter(|(name, _)| !takes.contains(name));
        let verdict = args.judged_by().filter(|_| !takes.contains(&"verdicts"));
        if let Some(name) = options.find(|(_, given)| *given).map(|(name, _)| name).or(verdict) {
            bail!("{name} applies to reports of stats, but these are of {command}");
        }
        // A part is JSON, whatever the whole is.
        let json = args.format.json && !args.partial;
        for (name, given) in [("--json", json), ("-T (--tsv)", args.format.tsv)] {
            if given && !takes.contains(&name) {
                bail!("{name} doesn't apply to reports of {command}");
            }
        }
        Ok(())
    }

    /// Writes a text as the report.
    pub(super) fn finish(self, text: String) -> Result<Exit> {
        self.out.map_or(Ok(()), |out| output::finish(out, text))?;
        Ok(Exit::Fine)
    }

    /// Writes what `flagstat` does.
    pub(super) fn write_flagstat(self, counts: &[FlagStat; 2]) -> Result<Exit> {
        let text = match (self.args.format.json, self.args.format.tsv) {
            (true, _) => flagstat::json(counts),
            (_, true) => flagstat::tsv(counts),
            _ => flagstat::text(counts),
        };
        self.finish(text)
    }

    /// Writes what `stats` does of these rows, those of one sample joined.
    pub(super) fn write_rows(self, mut entries: Vec<Entry>) -> Result<Exit> {
        let Merging { args, out, page, judge, session } = self;
        if let Some(sample) = &args.sample {
            entries.iter_mut().for_each(|entry| entry.sample.clone_from(sample));
        }
        let Some(out) = out else {
            return folder::write(args, entries, (&judge, page), session);
        };
        let wanted = NeededFigures::new(args.format, args.html.is_some()).judged_by(&judge);
        let mut entries = stats::join_by_sample(entries, wanted, args.partial)?;
        stats::report(&session.console, &entries, args.reading.messages.quiet);
        stats::assess(&mut entries, &judge);
        let text = stats::text(&entries, args.format, false)?;
        let code = stats::write(&entries, out, &text, page, Vec::new(), judge.history.as_ref())?;
        stats::conclude(&entries, &judge, args.reading.messages.quiet, code)
    }
}
