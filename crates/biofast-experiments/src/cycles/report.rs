//! The rows as data and as a table for people.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;

use crate::files;
use biofast_kernels::Isa;

use super::{Beside, Row};

/// Writes `kernels.csv` and `kernels.md` to the folder `out`.
pub(super) fn write(rows: &[Row], beside: &Beside, out: &Path) -> Result<()> {
    let mut csv = String::from(
        "kernel,isa,model,bytes_per_iteration,cycles_per_iteration,cycles_per_64_bytes,measured_cycles_per_64_bytes,measured_from_memory\n",
    );
    for row in rows {
        let measured = row
            .measured
            .map_or(",".into(), |cycles| format!("{:.2},{:.2}", cycles.cached, cycles.memory));
        let Row { kernel, isa, model, bytes, cycles, .. } = row;
        // Writing to a String can't fail.
        let _ = writeln!(
            csv,
            "{kernel},{},{model},{bytes},{cycles:.3},{:.3},{measured}",
            isa.name(),
            row.per_64()
        );
    }
    let branchy = beside.branchy.iter().map(|(kernel, cycles)| (*kernel, "branches", cycles));
    for (kernel, isa, cycles) in branchy.chain([("read", "", &beside.read)]) {
        let _ = writeln!(csv, "{kernel},{isa},,,,,{:.2},{:.2}", cycles.cached, cycles.memory);
    }
    files::create_folder(out)?;
    for (name, text) in [("kernels.csv", csv), ("kernels.md", markdown(rows, beside))] {
        let path = out.join(name);
        files::write(&path, text)?;
    }
    Ok(())
}

/// A table a model: cycles for 64 bytes.
pub(super) fn markdown(rows: &[Row], beside: &Beside) -> String {
    let mut out =
        String::from("Cycles for 64 bytes of input, in the steady state of the inner loop.\n");
    let mut models: Vec<&str> = rows.iter().map(|row| row.model).collect();
    models.dedup();
    for model in models {
        let of_model: Vec<&Row> = rows.iter().filter(|row| row.model == model).collect();
        let mut isas: Vec<Isa> = of_model.iter().map(|row| row.isa).collect();
        isas.dedup();
        let measured = of_model.iter().any(|row| row.measured.is_some());
        let _ = write!(out, "\n## {model}\n\n| kernel |");
        for isa in &isas {
            let _ = write!(out, " {} |", isa.name());
            if measured {
                let _ = write!(out, " measured | % of L2 | % of memory |");
            }
        }
        let vector = isas.iter().filter(|isa| **isa != Isa::Scalar);
        vector.clone().for_each(|isa| {
            let _ = write!(out, " scalar ÷ {} |", isa.name());
        });
        let columns = isas.len() * if measured { 4 } else { 1 } + vector.clone().count();
        let _ = writeln!(out, "\n|---|{}", "---:|".repeat(columns));
        let mut kernels: Vec<&str> = of_model.iter().map(|row| row.kernel).collect();
        kernels.sort_unstable();
        kernels.dedup();
        for kernel in kernels {
            let row = |isa: Isa| of_model.iter().find(|row| row.kernel == kernel && row.isa == isa);
            let _ = write!(out, "| {kernel} |");
            for &isa in &isas {
                let cell = row(isa).map_or("–".into(), |row| format!("{:.2}", row.per_64()));
                let _ = write!(out, " {cell} |");
                if measured {
                    let cell = row(isa).and_then(|row| row.measured).map(|cycles| {
                        let cached = 100.0 * beside.read.cached / cycles.cached;
                        let memory = 100.0 * beside.read.memory / cycles.memory;
                        format!("{:.2} | {cached:.0} | {memory:.0}", cycles.cached)
                    });
                    let _ = write!(out, " {} |", cell.unwrap_or_else(|| "– | – | –".into()));
                }
            }
            for &isa in vector.clone() {
                let factor = row(Isa::Scalar).zip(row(isa)).map(|(s, v)| s.per_64() / v.per_64());
                let _ = write!(out, " {} |", factor.map_or("–".into(), |f| format!("{f:.1}")));
            }
            out.push('\n');
        }
    }
    let _ = writeln!(
        out,
        "\n*measured* is on this machine's processor, from the second-level cache (512 KB); *% of L2* and *% of memory* (256 MB) \
         are the speed of reading the same buffer and nothing else, which takes {:.2} and {:.2} cycles, over that. More than \
         100: the prefetcher likes the kernel's pace better.\n",
        beside.read.cached, beside.read.memory
    );
    out.push_str("| a branch for each byte, random input | measured cycles |\n|---|---:|\n");
    for (kernel, cycles) in &beside.branchy {
        let _ = writeln!(out, "| {kernel} | {:.0} |", cycles.cached);
    }
    out
}
