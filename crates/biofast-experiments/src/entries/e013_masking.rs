//! 013: masking bases of low quality with N, plain loops against vector code.

use super::isa::for_each_isa;
use super::kernel;
use super::prelude::*;

pub(super) struct Masking;

/// Qualities below Phred 20 are masked.
const THRESHOLD: u8 = b'!' + 20;

impl Entry for Masking {
    fn applies(&self, cell: &Cell) -> bool {
        let method = cell.get("method");
        let isa = method.strip_prefix("bits-").unwrap_or(method);
        !["avx2", "avx512"].contains(&isa) || kernel::kernels(isa).is_some()
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let reads = lab.reads(kernel::dataset(cell.get("reads"))?)?;
        let len = if cell.get("layout") == "read" { reads.len } else { reads.bases.len() };
        let mask: fn(&[u8], &[u8], &mut [u8]) = match cell.get("method") {
            "branch" => mask_branch,
            "copy-then-branch" => mask_copy,
            "select" => mask_select,
            "avx2" => mask_avx2,
            "avx512" => mask_avx512,
            "bits" => mask_bits,
            "bits-avx2" => mask_bits_avx2,
            "bits-avx512" => mask_bits_avx512,
            other => bail!("no method is called {other:?}"),
        };
        let mut out = vec![0; reads.bases.len()];
        Ok(Box::new(move |calls| {
            if calls == 0 {
                return Ok(Outcome::new(libdeflater::crc32(&out), out.len()));
            }
            repeat(calls, || {
                let reads = std::hint::black_box(&reads);
                let inputs = reads.bases.chunks_exact(len).zip(reads.qualities.chunks_exact(len));
                for ((bases, qualities), out) in inputs.zip(out.chunks_exact_mut(len)) {
                    mask(bases, qualities, out);
                }
            });
            Ok(Outcome::deferred())
        }))
    }
}

/// A branch for every base that no compiler can leave out, as the search ends where it finds one: bases up to the next one
/// to be masked are copied.
fn mask_branch(bases: &[u8], qualities: &[u8], out: &mut [u8]) {
    let mut at = 0;
    while let Some(good) = qualities[at..].iter().position(|quality| *quality < THRESHOLD) {
        out[at..at + good].copy_from_slice(&bases[at..at + good]);
        out[at + good] = b'N';
        at += good + 1;
    }
    out[at..].copy_from_slice(&bases[at..]);
}

/// A copy, then a visit of the bases to be masked: what is rare is done rarely.
fn mask_copy(bases: &[u8], qualities: &[u8], out: &mut [u8]) {
    out.copy_from_slice(bases);
    for (out, quality) in out.iter_mut().zip(qualities) {
        if *quality < THRESHOLD {
            *out = b'N';
        }
    }
}

/// A plain selection. The base is loaded on one of its two ways only, so a compiler keeps the branch unless it has loads under a
/// mask (AVX-512).
#[inline(always)]
fn mask_plain(bases: &[u8], qualities: &[u8], out: &mut [u8]) {
    for ((base, quality), out) in bases.iter().zip(qualities).zip(out) {
        *out = if *quality < THRESHOLD { b'N' } else { *base };
    }
}

for_each_isa! {
    mask_plain(bases: &[u8], qualities: &[u8], out: &mut [u8])
    => mask_select, mask_avx2, mask_avx512
}

/// The same by bits: every base is loaded, and compilers turn that into vector code.
#[inline(always)]
fn bits_plain(bases: &[u8], qualities: &[u8], out: &mut [u8]) {
    for ((base, quality), out) in bases.iter().zip(qualities).zip(out) {
        let low = u8::from(*quality < THRESHOLD).wrapping_neg();
        *out = (*base & !low) | (b'N' & low);
    }
}

for_each_isa! {
    bits_plain(bases: &[u8], qualities: &[u8], out: &mut [u8])
    => mask_bits, mask_bits_avx2, mask_bits_avx512
}
