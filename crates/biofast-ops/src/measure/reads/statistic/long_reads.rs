//! Long reads by length and quality, and by when and where they were sequenced.

use std::collections::BTreeMap;

use biofast_bam::Record;
use biofast_io::calendar;
use serde::{Deserialize, Serialize};

use crate::measure::reads::measured::{MeasuredRead, SectionSchema, Statistic};
use crate::measure::reads::numbers::{InvalidReport, rounded};
use crate::measure::reads::summary::Summary;

/// Shorter reads don't count.
pub(crate) const LONG: usize = 500;
/// The octave of lengths that the first bin is of.
const FIRST_OCTAVE: u32 = LONG.ilog2();
/// Bins of an octave, from a length to twice that.
const BINS_OF_OCTAVE: usize = 16;
/// Bins of lengths; the last one has all longer reads, too.
const BINS: usize = 20 * BINS_OF_OCTAVE;
/// Rows of mean qualities: the last one has all higher ones, too.
const QUALITIES: usize = 61;
/// Of more hours nothing is said of times: they aren't those of a run.
const HOURS: usize = 4096;
/// No instrument has more channels.
const CHANNELS: u16 = 4096;

/// When and where a read was sequenced, as far as its description or tags say so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReadOrigin {
    /// Hours since 1970 in UTC.
    hour: Option<u32>,
    channel: Option<u16>,
}

impl ReadOrigin {
    /// What a FASTQ header says behind the name: `start_time=` and `ch=`, or tags.
    pub(crate) fn of_description(text: &[u8]) -> Option<ReadOrigin> {
        let mut origin = ReadOrigin::default();
        for field in text.split(|byte| matches!(byte, b' ' | b'\t')) {
            let behind = |starts: [&[u8]; 2]| starts.iter().find_map(|s| field.strip_prefix(*s));
            if let Some(time) = behind([b"start_time=", b"st:Z:"]) {
                origin.hour = hour_of(time);
            } else if let Some(channel) = behind([b"ch=", b"ch:i:"]) {
                origin.channel = str::from_utf8(channel).ok().and_then(|text| text.parse().ok());
            }
        }
        origin.known()
    }

    /// What the tags `st` and `ch` of a record say.
    pub(crate) fn of_record(record: &Record<'_>) -> Option<ReadOrigin> {
        let mut origin = ReadOrigin::default();
        for tag in record.tags() {
            match &tag.name {
                b"st" => origin.hour = tag.as_text().and_then(hour_of),
                b"ch" => origin.channel = tag.as_int().and_then(|n| u16::try_from(n).ok()),
                _ => {}
            }
        }
        origin.known()
    }

    fn known(self) -> Option<ReadOrigin> {
        let channel = self.channel.filter(|&channel| channel <= CHANNELS);
        let origin = ReadOrigin { channel, ..self };
        (origin != ReadOrigin::default()).then_some(origin)
    }
}

/// The hour of a time such as `2023-05-12T08:40:22.123+02:00`.
fn hour_of(text: &[u8]) -> Option<u32> {
    let (date, time) = str::from_utf8(text).ok()?.split_once('T')?;
    let number = |text: &str, limits: std::ops::RangeInclusive<i64>| {
        text.parse().ok().filter(|number| limits.contains(number))
    };
    let mut date = date.splitn(3, '-');
    let year = number(date.next()?, 1970..=9999)?;
    let month = number(date.next()?, 1..=12)?;
    let day = number(date.next()?, 1..=31)?;
    let (clock, zone) = time.split_at(time.find(['Z', '+', '-']).unwrap_or(time.len()));
    let minutes_of = |clock: &str| {
        let mut clock = clock.split(':');
        let hours = number(clock.next()?, 0..=23)?;
        Some(60 * hours + clock.next().map_or(Some(0), |minutes| number(minutes, 0..=59))?)
    };
    let ahead = match zone.split_at_checked(1) {
        None | Some(("Z", _)) => 0,
        Some((sign, clock)) => minutes_of(clock)? * if sign == "-" { -1 } else { 1 },
    };
    let days = calendar::days_since_1970(year, month, day);
    u32::try_from((days * 24 * 60 + minutes_of(clock)? - ahead).div_euclid(60)).ok()
}

/// The inverse of [`hour_of`].
fn time_of(hour: u32) -> String {
    let [year, month, day] = calendar::date_of((hour / 24).into());
    format!("{year:04}-{month:02}-{day:02}T{:02}:00Z", hour % 24)
}

/// The bin of a length.
fn bin_of(len: u64) -> usize {
    let octave = len.max(LONG as u64).ilog2();
    let part = len >> (octave - BINS_OF_OCTAVE.ilog2()) & (BINS_OF_OCTAVE as u64 - 1);
    ((octave - FIRST_OCTAVE) as usize * BINS_OF_OCTAVE + part as usize).min(BINS - 1)
}

/// The shortest length of a bin.
fn length_of(bin: usize) -> u64 {
    let octave = (bin / BINS_OF_OCTAVE) as u32 + FIRST_OCTAVE;
    let part = (BINS_OF_OCTAVE + bin % BINS_OF_OCTAVE) as u64;
    (part << (octave - BINS_OF_OCTAVE.ilog2())).max(LONG as u64)
}

/// Counts of long reads with qualities; nothing is kept before there is one.
#[derive(Clone, Debug, Default, PartialEq)]
#[doc(hidden)]
pub struct LongReadCounts(Option<Box<LongCounts>>);

#[derive(Clone, Debug, PartialEq)]
struct LongCounts {
    /// Reads by mean quality and length.
    density: Vec<u64>,
    /// `None` if there are too many.
    hours: Option<BTreeMap<u32, HourCounts>>,
    channels: BTreeMap<u16, ReadSums>,
}

/// Some reads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct ReadSums {
    reads: u64,
    bases: u64,
    quality: u64,
}

impl ReadSums {
    fn add(&mut self, ReadSums { reads, bases, quality }: ReadSums) {
        self.reads += reads;
        self.bases += bases;
        self.quality += quality;
    }

    fn mean_quality(&self) -> f64 {
        rounded(self.quality as f64 / self.reads.max(1) as f64)
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
struct HourCounts {
    sums: ReadSums,
    /// Bases by bin of the read's length.
    bases: BTreeMap<usize, u64>,
}

impl HourCounts {
    fn add(&mut self, other: &HourCounts) {
        self.sums.add(other.sums);
        other.bases.iter().for_each(|(&bin, bases)| *self.bases.entry(bin).or_default() += bases);
    }

    /// The shortest length of the bin that the N50 is in.
    fn n50(&self) -> u64 {
        let mut bases = 0;
        let half = self.bases.iter().rev().find(|(_, n)| {
            bases += *n;
            2 * u128::from(bases) >= u128::from(self.sums.bases)
        });
        half.map_or(0, |(&bin, _)| length_of(bin))
    }
}

impl Default for LongCounts {
    fn default() -> LongCounts {
        let density = vec![0; BINS * QUALITIES];
        LongCounts { density, hours: Some(BTreeMap::new()), channels: BTreeMap::new() }
    }
}

impl LongCounts {
    fn add_hour(&mut self, hour: u32, counts: &HourCounts) {
        let Some(hours) = &mut self.hours else { return };
        hours.entry(hour).or_default().add(counts);
        if hours.len() > HOURS {
            self.hours = None;
        }
    }

    #[inline(never)]
    fn add(&mut self, read: &MeasuredRead<'_>, origin: ReadOrigin) {
        let (bin, quality) = (bin_of(read.len()), read.mean_quality_floor());
        self.density[usize::from(quality).min(QUALITIES - 1) * BINS + bin] += 1;
        let sums = ReadSums { reads: 1, bases: read.len(), quality: quality.into() };
        if let Some(hour) = origin.hour {
            self.add_hour(hour, &HourCounts { sums, bases: [(bin, read.len())].into() });
        }
        if let Some(channel) = origin.channel {
            self.channels.entry(channel).or_default().add(sums);
        }
    }
}

impl LongReadCounts {
    /// Counts the long ones of some reads; `origins` are those that are known, by the number of the read, ascending.
    pub(crate) fn add_reads<'a>(
        &mut self,
        reads: impl Iterator<Item = MeasuredRead<'a>>,
        mut origins: &[(usize, ReadOrigin)],
    ) {
        for (number, read) in reads.enumerate() {
            if read.sequence.len() < LONG || read.qualities.is_empty() {
                continue;
            }
            let before = origins.iter().take_while(|(of, _)| *of < number).count();
            origins = &origins[before..];
            let origin = origins.first().filter(|(of, _)| *of == number).map(|(_, origin)| *origin);
            self.0.get_or_insert_default().add(&read, origin.unwrap_or_default());
        }
    }
}

/// Reads of 500 bases and more with qualities.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LongReads {
    /// Their number.
    pub reads: u64,
    /// `[length, phred, reads]`: reads by length, in bins that are named by their shortest length, and mean quality (of error
    /// probabilities), rounded down; 60 is 60 and more.
    pub density: Vec<(u64, u8, u64)>,
    /// By the hour in which sequencing of the read began, ascending; empty if that isn't known, and absent if they are too many for a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hours: Option<Vec<HourYield>>,
    /// By the channel of the flow cell, ascending; empty if it isn't known.
    pub channels: Vec<ChannelYield>,
}

/// Reads of an hour.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HourYield {
    /// When it begins, in UTC.
    pub time: String,
    /// Their number.
    pub reads: u64,
    /// Their bases.
    pub bases: u64,
    /// The mean of their mean qualities, each rounded down.
    pub mean_quality: f64,
    /// The sum of these.
    pub quality_sum: u64,
    /// N50: the shortest length of its bin.
    pub n50: u64,
    /// `[length, bases]`: bases by the length of the read, in bins that are named by their shortest length.
    pub length_bases: Vec<(u64, u64)>,
}

impl HourYield {
    /// When it begins, in hours since 1970.
    pub fn hour(&self) -> Option<u32> {
        hour_of(self.time.as_bytes())
    }
}

/// Reads of a channel.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ChannelYield {
    /// Its number.
    pub channel: u16,
    /// Reads.
    pub reads: u64,
    /// Their bases.
    pub bases: u64,
    /// The mean of their mean qualities, each rounded down.
    pub mean_quality: f64,
    /// The sum of these.
    pub quality_sum: u64,
}

impl Statistic for LongReadCounts {
    type Section = Option<LongReads>;
    const SCHEMA: SectionSchema =
        SectionSchema::optional("long_reads", include_str!("long_reads.json"));

    /// They are counted with their origins: [`LongReadCounts::add_reads`].
    #[inline(always)]
    fn add(&mut self, _: &MeasuredRead<'_>) {}

    fn merge(&mut self, LongReadCounts(other): &LongReadCounts) {
        let Some(LongCounts { density, hours, channels }) = other.as_deref() else { return };
        let mine = self.0.get_or_insert_default();
        mine.density.iter_mut().zip(density).for_each(|(a, b)| *a += b);
        match hours {
            Some(hours) => hours.iter().for_each(|(&hour, counts)| mine.add_hour(hour, counts)),
            None => mine.hours = None,
        }
        for (&channel, &sums) in channels {
            mine.channels.entry(channel).or_default().add(sums);
        }
    }

    fn section(&self, _: &Summary) -> Option<LongReads> {
        let LongCounts { density, hours, channels } = self.0.as_deref()?;
        let cells = density.iter().enumerate().filter(|(_, reads)| **reads > 0);
        let cells = cells.map(|(at, &reads)| (length_of(at % BINS), (at / BINS) as u8, reads));
        let hours = hours.as_ref().map(|hours| {
            let yields = hours.iter().map(|(&hour, counts)| HourYield {
                time: time_of(hour),
                reads: counts.sums.reads,
                bases: counts.sums.bases,
                mean_quality: counts.sums.mean_quality(),
                quality_sum: counts.sums.quality,
                n50: counts.n50(),
                length_bases: counts.bases.iter().map(|(&bin, &n)| (length_of(bin), n)).collect(),
            });
            yields.collect()
        });
        let channels = channels.iter().map(|(&channel, sums)| ChannelYield {
            channel,
            reads: sums.reads,
            bases: sums.bases,
            mean_quality: sums.mean_quality(),
            quality_sum: sums.quality,
        });
        Some(LongReads {
            reads: density.iter().sum(),
            density: cells.collect(),
            hours,
            channels: channels.collect(),
        })
    }

    fn read_back(section: &Option<LongReads>) -> Result<LongReadCounts, InvalidReport> {
        const WRONG: InvalidReport = InvalidReport::Inconsistent("'long_reads' doesn't add up");
        let Some(section) = section else { return Ok(LongReadCounts::default()) };
        let mut counts = LongCounts::default();
        let mut sum = 0u64;
        for &(len, quality, reads) in &section.density {
            sum = sum.checked_add(reads).ok_or(WRONG)?;
            let row = counts.density.chunks_mut(BINS).nth(quality.into()).ok_or(WRONG)?;
            row[bin_of(len)] = reads;
        }
        if sum != section.reads {
            return Err(WRONG);
        }
        let sums = |reads, bases, quality| {
            let most = 1 << 48;
            (reads <= most && bases <= most && quality <= most)
                .then_some(ReadSums { reads, bases, quality })
                .ok_or(WRONG)
        };
        for hour in section.hours.iter().flatten() {
            let at = hour_of(hour.time.as_bytes()).ok_or(WRONG)?;
            let bases = hour.length_bases.iter().map(|&(len, n)| (bin_of(len), n)).collect();
            let sums = sums(hour.reads, hour.bases, hour.quality_sum)?;
            let total = hour.length_bases.iter().try_fold(0u64, |sum, (_, n)| sum.checked_add(*n));
            if total != Some(sums.bases) {
                return Err(WRONG);
            }
            counts.add_hour(at, &HourCounts { sums, bases });
        }
        if section.hours.is_none() {
            counts.hours = None;
        }
        for of in &section.channels {
            counts.channels.insert(of.channel, sums(of.reads, of.bases, of.quality_sum)?);
        }
        Ok(LongReadCounts(Some(Box::new(counts))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_begin_where_they_say_and_are_narrow() {
        for bin in bin_of(LONG as u64)..BINS {
            assert_eq!(bin_of(length_of(bin)), bin);
        }
        for len in (500..100_000).step_by(7) {
            let bin = bin_of(len);
            assert!(length_of(bin) <= len && len < length_of(bin + 1));
            assert!(length_of(bin + 1) * 16 <= length_of(bin).max(512) * 17);
        }
        assert_eq!(bin_of(u64::MAX), BINS - 1);
    }

    #[test]
    fn times_are_hours_in_utc() {
        for (text, hour) in [
            ("1970-01-01T00:59:59Z", Some(0)),
            ("1970-01-02T01:30+02:00", Some(23)),
            ("1970-01-01T23:30:00.5-00:30", Some(24)),
            ("2000-02-29T12", Some(264_396)),
            ("2023-05-12T08:40:22.123456+00:00", Some(467_744)),
            ("1969-12-31T23:00:00Z", None),
            ("2023-13-12T08:40:22Z", None),
            ("2023-05-12 08:40", None),
            ("1970-01-01T00:30:00+01:00", None),
        ] {
            assert_eq!(hour_of(text.as_bytes()), hour, "{text}");
        }
        for hour in (0..1_000_000).step_by(13) {
            assert_eq!(hour_of(time_of(hour).as_bytes()), Some(hour), "{}", time_of(hour));
        }
        let of = |text: &str| ReadOrigin::of_description(text.as_bytes());
        let expected = Some(ReadOrigin { hour: Some(1), channel: Some(7) });
        assert_eq!(of("runid=a ch=7 start_time=1970-01-01T01:00:00Z"), expected);
        assert_eq!(of("st:Z:1970-01-01T01:00:00Z\tch:i:7"), expected);
        assert_eq!(of("1:N:0:ACGT ch=9999"), None);
    }
}
