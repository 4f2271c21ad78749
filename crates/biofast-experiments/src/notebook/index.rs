//! `lab-notebook/INDEX.md`: every entry in a line, generated.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::overview::{self, Row};
use super::page::cell;
use super::tables;

/// The file's name in the notebook.
pub(crate) const NAME: &str = "INDEX.md";

const HEAD: &str = "\
# Lab notebook

Each entry asks one question about how biofast should be built, mostly one that an earlier document claimed to have answered.
It repeats the measurement without the faults found in the earlier one and says what became of the claim: *reproduced*, *partly*,
*refuted*, *undecided* or *not measurable here*, by the rule of its protocol, which [docs/laboratory.md](../docs/laboratory.md#verdicts) applies;
the same page says how entries are measured and how to add one. Whole programs against other tools: [docs/performance.md](../docs/performance.md).

`cargo lab run NNN` measures an entry again, `cargo lab check` compares this page and every table with the data. This page is generated. What several machines found:
[MACHINES.md](MACHINES.md). What biases the measurements: [BIASES.md](BIASES.md). How verdicts changed: [CHANGELOG.md](CHANGELOG.md).

";

/// The whole page; files are given relative to the notebook's parent or not at all. The summary comes last, with its
/// counts of verdicts.
pub(crate) fn render(
    notebook: &Path,
    rows: &[Row],
    overview: Option<&(PathBuf, String)>,
) -> Result<String> {
    let mut text = String::from(HEAD);
    writeln!(text, "| entry | question | machine | verdict | statements |\n|---|---|---|---|---|")?;
    for row in rows {
        let p = &row.protocol;
        let Some(file) = &row.page else { continue };
        let file = file.strip_prefix(notebook).unwrap_or(file);
        let entry = format!("[{} {}]({})", p.id, cell(&p.slug), file.display());
        if row.results.is_empty() {
            writeln!(text, "| {entry} | {} | – | not run yet | |", cell(&p.question))?;
        }
        for r in &row.results {
            writeln!(
                text,
                "| {entry} | {} | {} | **{}** | {} |",
                cell(&p.question),
                cell(&r.named()),
                r.summary.verdict.text(),
                cell(&tables::headline(&r.summary, p)),
            )?;
        }
    }
    if let Some((file, counts)) = overview {
        writeln!(
            text,
            "| [{id} summary]({}) | {} | all | {counts} | |",
            file.strip_prefix(notebook).unwrap_or(file).display(),
            overview::QUESTION,
            id = overview::ID,
        )?;
    }
    text.push_str(GAPS);
    Ok(text)
}

const GAPS: &str = "
Statements are tested one at a time. Among as many as stand here, some intervals miss their medians by chance: one in twenty at the coverage that entries state,
fewer where the coverage is higher. Read a single *held* or *failed* with that in mind, and see [what biases these measurements](BIASES.md).

No figure of NEON code stands on these pages: all machines are x86-64. CI measures some entries on AArch64 every week and keeps the results for a while (`.github/workflows/weekly.yml`).

## Numbers without an entry

Numbers follow those of the earlier study's notebook, [shandley/apple-silicon-bio-bench](https://github.com/shandley/apple-silicon-bio-bench/tree/fa281623be4b8805fcca481488d8f4063505f0aa/lab-notebook).
034 to 050 are this notebook's own: its numbers 034 to 036 are other experiments, about k-mers and minimizers. 005, 006, 012, 019, 022 and 033 have nothing to measure there (missing, checkpoints, documents, a harness).

| number | what it claims | why it is not measured here |
|---|---|---|
| [009](https://github.com/shandley/apple-silicon-bio-bench/blob/fa281623be4b8805fcca481488d8f4063505f0aa/lab-notebook/2025-10/20251031-009-EXPERIMENT-gpu-dimension.md#L41) | \"FIRST GPU WIN - complexity_score shows 2-3× speedup for batches >10K\" (2025-10-31) | these machines have no GPU |
| [014](https://github.com/shandley/apple-silicon-bio-bench/blob/fa281623be4b8805fcca481488d8f4063505f0aa/lab-notebook/2025-11/20251101-014-IMPLEMENTATION-level1-complete.md) | \"ALL 20/20 operations complete\" (2025-11-01) | a statement about a program's progress: nothing to measure |
| [020](https://github.com/shandley/apple-silicon-bio-bench/blob/fa281623be4b8805fcca481488d8f4063505f0aa/lab-notebook/2025-11/20251102-020-EXPERIMENT-power-consumption-pilot.md#L37) | \"300× less energy per analysis (0.5 Wh vs 150 Wh)\" (2025-11-02) | virtual machines don't offer the energy counters (RAPL) |
| [021](https://github.com/shandley/apple-silicon-bio-bench/blob/fa281623be4b8805fcca481488d8f4063505f0aa/lab-notebook/2025-11/20251102-021-EXPERIMENT-graviton-portability.md#L51) | \"Graviton NEON speedup: Expected 16-48×\" (2025-11-02) | needs a Graviton |
| [023](https://github.com/shandley/apple-silicon-bio-bench/blob/fa281623be4b8805fcca481488d8f4063505f0aa/lab-notebook/2025-11/20251103-023-EXPERIMENT-neon-parallel-batch1.md#L15) | \"NEON × Parallel = multiplicative speedup hypothesis across 10 operations\" (2025-11-03) | four threads need four cores; 018 asks the same of two |
| [024](https://github.com/shandley/apple-silicon-bio-bench/blob/fa281623be4b8805fcca481488d8f4063505f0aa/lab-notebook/2025-11/20251103-024-EXPERIMENT-core-affinity-batch2.md#L103) | \"E-cores Surprisingly Competitive\" (2025-11-03) | these machines have one kind of core |
| [030](https://github.com/shandley/apple-silicon-bio-bench/blob/fa281623be4b8805fcca481488d8f4063505f0aa/lab-notebook/2025-11/20251104-030-EXPERIMENT-metal-gpu-feasibility.md#L15) | \"Is GPU bgzip decompression viable?\" (2025-11-04) | these machines have no GPU |
";
