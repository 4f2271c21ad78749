//! What is compiled for each instruction set: the loops over symbols.

use biofast_kernels::Isa;

mod job;
#[cfg(not(target_arch = "x86_64"))]
mod portable;
mod turns;
#[cfg(target_arch = "x86_64")]
mod x86_64;

pub(crate) use job::Job;
#[cfg(not(target_arch = "x86_64"))]
pub(crate) use portable::{order0, order1};
pub(crate) use turns::{Turns, WIDE};
#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::{order0, order1};

/// Does a job with an instruction set that the CPU has: pass only what `biofast_kernels` says is available.
pub(crate) fn run<J: Job>(isa: Isa, job: J) -> J::Output {
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 | Isa::Avx512 => x86_64::run(job),
        _ => job.run(),
    }
}
