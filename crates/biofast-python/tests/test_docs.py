"""The examples in the documentation are run."""

from __future__ import annotations

import doctest
import json
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent.parent


def test_the_page_in_docs(folder: Path) -> None:
    for package in ("numpy", "polars", "pyarrow"):
        pytest.importorskip(package)
    page = HERE.parent.parent / "docs" / "python.md"
    if not page.exists():
        pytest.skip("the page is not in this archive")
    failed, run = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert run > 15 and not failed


def test_the_snippets_of_the_readme(folder: Path) -> None:
    text = (HERE / "README.md").read_text()
    code = text.split("```python\n")[1].split("```")[0]
    for name in ("lane1.fq.gz", "lane2.fq.gz", "R1.fq.gz", "reads.fq.gz"):
        Path(name).write_bytes(Path("reads.fq").read_bytes())
    import biofast

    biofast.sort("aln.sam", "aln.bam")
    whole = Path("aln.bam").read_bytes()
    exec(code, {})  # noqa: S102
    assert Path("1.fq.gz").exists() and Path("sorted.bam").exists()
    Path("aln.bam").write_bytes(whole[:-40])
    with pytest.raises(biofast.FormatError):
        biofast.flagstat("aln.bam")
    command = next(line for line in text.splitlines() if line.startswith("python -c '"))
    words = command.removeprefix("python -c '").removesuffix("'")
    done = subprocess.run([sys.executable, "-c", words], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "91.67"


def test_the_notebook_runs(folder: Path) -> None:
    for package in ("numpy", "polars"):
        pytest.importorskip(package)
    cells = json.loads((HERE / "examples" / "tour.ipynb").read_text())["cells"]
    names: dict[str, object] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)  # noqa: S102
    assert names["out"].count > 0  # type: ignore[attr-defined]
