//! 018: do the gains of SIMD and of threads multiply? Every instruction set with every number of threads.

use super::kernel::{self, Input};
use super::prelude::*;

pub(super) struct SimdAndThreads;

impl Entry for SimdAndThreads {
    fn applies(&self, cell: &Cell) -> bool {
        kernel::applies(cell)
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let kernels = kernel::kernels(cell.get("method")).context("no such instruction set")?;
        let (input, kernel) = match cell.get("operation") {
            "n-content" => (Input::Bases, kernels.count_n),
            "gc-content" => (Input::Bases, kernels.count_gc),
            "error-probability" => (Input::Qualities, kernels.sum_error_probability),
            other => bail!("no operation is called {other:?}"),
        };
        kernel::sum_task(cell, lab, input, kernel, |sum, n| *sum += n, u64::to_string)
    }
}
