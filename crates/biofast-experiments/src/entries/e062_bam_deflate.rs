//! 062: BGZF blocks of BAM written at the toolkit's own levels and at libdeflate's.

use biofast_bam::Unaligned;

use super::bgzf_blocks::{deflater, deflating};
use super::prelude::*;
use super::real_sets;
use crate::files;
use crate::limits::bam::{Record, records};

/// Reads of E. coli below this are short, and from this on long.
const SHORT: usize = 200;
const LONG: usize = 1000;

pub(super) struct BamDeflate;

impl Entry for BamDeflate {
    fn applies(&self, cell: &Cell) -> bool {
        real_sets::is_here(set(cell.get("data")))
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let text = text(cell.get("data"), lab)?;
        deflating(deflater(cell.get("level"))?, text)
    }
}

/// The set that the records of a level of `data` are taken from.
fn set(data: &str) -> &str {
    if data.starts_with("real-e-coli") { "real-e-coli" } else { data }
}

/// The first records of a level of `data`, without the header.
fn text(data: &str, lab: &Lab) -> Result<Vec<u8>> {
    let quick = lab.scale == Scale::Quick;
    let most = if quick { 1 << 20 } else { 8 << 20 };
    let mut text = match data {
        "sorted" => aligned(&lab.file("aln_50k", Format::Bam)?, most, |_| true)?,
        "by-name" => by_name(&lab.file("aln_50k", Format::Bam)?)?,
        "unaligned" => {
            unaligned(&lab.file(if quick { "medium" } else { "large" }, Format::Fastq)?, most)?
        }
        "real-exomes" => aligned(&real_sets::path(data)?, most, |_| true)?,
        "real-e-coli-short" => aligned(&real_sets::path(set(data))?, most, |n| n < SHORT)?,
        "real-e-coli-long" => aligned(&real_sets::path(set(data))?, most, |n| n >= LONG)?,
        real => unaligned(&real_sets::path(real)?, most)?,
    };
    text.truncate(most);
    Ok(text)
}

/// Records of a BAM file with as many bases as `is_wanted` says.
fn aligned(path: &Path, most: usize, is_wanted: impl Fn(usize) -> bool) -> Result<Vec<u8>> {
    let all = files::read_text(path, 16 * most as u64)?;
    let found = records(&all).context("not BAM")?;
    let wanted = found.iter().filter(|record| is_wanted(record.tags - record.qualities));
    Ok(wanted.flat_map(|record| &all[record.start..record.end]).copied().collect())
}

/// All records of a BAM file, those of a name together.
fn by_name(path: &Path) -> Result<Vec<u8>> {
    let all = files::read_text(path, u64::MAX)?;
    let mut found = records(&all).context("not BAM")?;
    found.sort_by_key(|&Record { name, cigar, .. }| &all[name..cigar]);
    Ok(found.iter().flat_map(|record| &all[record.start..record.end]).copied().collect())
}

/// The reads of a FASTQ file as records of BAM.
fn unaligned(path: &Path, most: usize) -> Result<Vec<u8>> {
    // A record is at most as long as its text, and more than a quarter of it.
    let text = files::read_text(path, 4 * most as u64)?;
    let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    let mut out = Vec::new();
    for record in lines.chunks_exact(4) {
        let [name, sequence, _, qualities] = record else { bail!("no four lines") };
        if out.len() >= most || qualities.len() < sequence.len() {
            break;
        }
        let name = name.split(|&byte| byte == b' ').next().and_then(|name| name.strip_prefix(b"@"));
        let name = name.context("a name without @")?;
        Unaligned { name, flags: 0, sequence, qualities, tags: b"" }.write(&mut out)?;
    }
    Ok(out)
}
