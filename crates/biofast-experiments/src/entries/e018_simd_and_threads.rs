//! 018: do the gains of SIMD and of threads multiply? Every instruction set with every number of threads.

use anyhow::{Context as _, Result, bail};

use super::kernel::{self, Input};
use crate::core::cell::Cell;
use crate::core::entry::{Entry, Task};
use crate::core::inputs::Lab;

pub(super) struct SimdAndThreads;

impl Entry for SimdAndThreads {
    fn id(&self) -> &'static str {
        "018"
    }

    fn applies(&self, cell: &Cell) -> bool {
        kernel::applies(cell)
    }

    fn prepare<'a>(&self, cell: &Cell, lab: &'a Lab) -> Result<Task<'a>> {
        let kernels = kernel::kernels(cell.get("method")).context("no such instruction set")?;
        match cell.get("operation") {
            "n-content" => {
                kernel::sum_task(cell, lab, Input::Bases, kernels.count_n, u64::to_string)
            }
            "gc-content" => {
                kernel::sum_task(cell, lab, Input::Bases, kernels.count_gc, u64::to_string)
            }
            "error-probability" => {
                let sum = kernels.sum_error_probability;
                kernel::sum_task(cell, lab, Input::Qualities, sum, u64::to_string)
            }
            other => bail!("no operation is called {other:?}"),
        }
    }
}
