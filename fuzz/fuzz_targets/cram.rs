//! CRAM: no panic, bounded memory, and one thread and three agree, whatever is asked for.
#![no_main]

use biofast_bam::Detail;
use biofast_fuzz::alignments_alike;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&how, rest)) = data.split_first() else { return };
    if !rest.starts_with(b"CRAM") {
        return;
    }
    let mended = mended(rest);
    let file = if how & 4 == 0 { rest } else { &mended };
    let detail = [Detail::Full, Detail::Alignment, Detail::Placement][usize::from(how & 3) % 3];
    alignments_alike(file, 1000, detail);
});

/// The same with the checksums of containers and blocks put right where they can be found, so that damage gets past them.
fn mended(data: &[u8]) -> Vec<u8> {
    let mut out = data.to_vec();
    let mut at = 26;
    while let Some(end) = container(&mut out, at) {
        at = end;
    }
    out
}

fn container(data: &mut [u8], start: usize) -> Option<usize> {
    let len = u32::from_le_bytes(*data.get(start..)?.first_chunk()?) as usize;
    let mut at = start + 4;
    for _ in 0..4 {
        itf8(data, &mut at)?; // reference, start, span, records
    }
    for _ in 0..2 {
        at += (data.get(at)?.leading_ones() as usize) + 1; // counter, bases
    }
    itf8(data, &mut at)?; // blocks
    let landmarks = itf8(data, &mut at)?;
    for _ in 0..landmarks.min(100) {
        itf8(data, &mut at)?;
    }
    put_crc(data, start, at)?;
    at += 4;
    let end = at.checked_add(len).filter(|&end| end <= data.len())?;
    while at < end {
        let block = at;
        at += 2;
        itf8(data, &mut at)?;
        let stored = itf8(data, &mut at)? as usize;
        itf8(data, &mut at)?;
        at = at.checked_add(stored)?;
        put_crc(data, block, at)?;
        at += 4;
    }
    Some(end)
}

fn put_crc(data: &mut [u8], start: usize, at: usize) -> Option<()> {
    let sum = biofast_io::crc32(data.get(start..at)?);
    data.get_mut(at..at + 4)?.copy_from_slice(&sum.to_le_bytes());
    Some(())
}

fn itf8(data: &[u8], at: &mut usize) -> Option<u32> {
    let first = *data.get(*at)?;
    let more = (first.leading_ones() as usize).min(4);
    let bytes = data.get(*at + 1..*at + 1 + more)?;
    *at += 1 + more;
    let head =
        if more == 4 { u32::from(first & 15) } else { u32::from(first) & (0xff >> (more + 1)) };
    let value = bytes.iter().fold(head, |value, &b| value << 8 | u32::from(b));
    Some(value)
}
