//! `biofast retag`: tags dropped, kept and renamed, and UMIs moved between names and tags.

use anyhow::{Result, bail};
use biofast_bam as bam;
use biofast_ops::number::counted;
use biofast_ops::retag::{Retag, RetagRules, UmiMove};

use crate::alignments_job::AlignmentsJob;
use crate::options::{TagArgs, sam_tag};
use crate::session::{Exit, Session};

/// Remove, keep and rename tags; move UMIs between read names and RX
///
/// Records keep their order and all other fields. With --umi-from-name, the UMI at the end of the name is copied to RX, with
/// '-' between its parts; parts marked with r are reverse-complemented. With --umi-to-name, it is appended to the
/// name, with '+' between its parts. The output is SAM, or BAM with -O bam or an output file ending in .bam.
#[derive(clap::Args)]
#[command(
    group(
        clap::ArgGroup::new("change")
            .args(["remove_tag", "keep_tag", "rename_tag", "umi_from_name", "umi_to_name"])
            .multiple(true)
            .required(true)
    ),
    after_help = "\
Examples:
  biofast retag -x XS,XT aln.bam -o clean.bam
  biofast retag --keep-tag RG,NM --rename-tag NM:nm aln.bam -o few.bam
  biofast retag --umi-from-name --remove-umi umis.bam -o rx.bam
  biofast retag --umi-to-name -x RX umis.bam -o named.bam"
)]
pub(crate) struct Args {
    #[command(flatten)]
    tags: TagArgs,

    /// Rename the tag OLD to NEW; may be repeated
    #[arg(long, value_name = "OLD:NEW", value_parser = renamed)]
    rename_tag: Vec<([u8; 2], [u8; 2])>,

    /// Copy the UMI at the end of the read name to RX
    ///
    /// It is found like by `biofast markdup --barcode-name`, or after the last --umi-separator. A name without one is an error.
    #[arg(long)]
    umi_from_name: bool,

    /// Remove the UMI from the name
    #[arg(long, requires = "umi_from_name")]
    remove_umi: bool,

    /// Append the UMI in RX to the read name
    ///
    /// A record without it is an error.
    #[arg(long, conflicts_with = "umi_from_name")]
    umi_to_name: bool,

    /// Character before the UMI in the name [default: : or _ with --umi-from-name, _ with --umi-to-name]
    #[arg(long, value_name = "CHAR", value_parser = separator)]
    umi_separator: Option<u8>,

    /// Tag of the UMI [default: RX]
    #[arg(long, value_name = "TAG", value_parser = sam_tag)]
    umi_tag: Option<[u8; 2]>,

    #[command(flatten)]
    job: AlignmentsJob,
}

fn renamed(typed: &str) -> Result<([u8; 2], [u8; 2]), String> {
    let (old, new) = typed.split_once([':', '=']).ok_or("expected OLD:NEW, such as XS:ZS")?;
    Ok((sam_tag(old)?, sam_tag(new)?))
}

fn separator(typed: &str) -> Result<u8, String> {
    match typed.as_bytes() {
        [byte] if matches!(byte, b'!'..=b'?' | b'A'..=b'~') => Ok(*byte),
        _ => Err("expected one character, such as ':' or '_'".into()),
    }
}

pub(crate) fn run(args: &Args, session: &mut Session) -> Result<Exit> {
    let umi = match (args.umi_from_name, args.umi_to_name) {
        (true, _) => {
            Some(UmiMove::FromName { separator: args.umi_separator, removes: args.remove_umi })
        }
        (false, true) => Some(UmiMove::ToName { separator: args.umi_separator.unwrap_or(b'_') }),
        (false, false) => None,
    };
    for (index, (old, _)) in args.rename_tag.iter().enumerate() {
        if args.rename_tag[..index].iter().any(|(other, _)| other == old) {
            bail!("--rename-tag gives {} two new names", String::from_utf8_lossy(old));
        }
    }
    let rules = RetagRules {
        tags: args.tags.selection()?,
        renamed: args.rename_tag.clone(),
        umi,
        umi_tag: args.umi_tag,
    };
    let (_, counts) =
        args.job.run(bam::Format::Sam, session, |_, header| Ok(Retag::new(header, &rules)))?;
    if !args.job.reading.messages.quiet {
        let records = counted(counts.written, "record");
        session.console.note(&format!("{records}, {} changed", counts.changed));
    }
    Ok(Exit::Fine)
}
