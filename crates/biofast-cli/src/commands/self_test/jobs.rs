//! The commands on the sample: the same bytes on every instruction set and number of threads, and figures that are known.

use std::path::Path;
use std::{fs, io};

use anyhow::{Context, Result};

use super::{TestLine, this_program};

/// A command, what its output must hold, and the exit code.
struct Job {
    arguments: &'static str,
    holds: &'static str,
}

/// Arguments are apart by blanks. What they print counts, and what they write to the folder `out`, which is gone after each run.
const JOBS: &[Job] = &[
    Job { arguments: "stats -T R1.fq.gz", holds: "\tFASTQ\tDNA\t2500\t375000\t150\t150.0\t150" },
    Job { arguments: "stats --paired R1.fq.gz R2.fq.gz", holds: "2,500" },
    Job { arguments: "stats reads.fq.zst", holds: "375,000" },
    Job { arguments: "check R1.fq.gz reads.fq aln.bam", holds: "\tok\tBAM\t2952\t" },
    Job {
        arguments: "filter --min-mean-qual 20 --trim-overlap R1.fq.gz R2.fq.gz -O bgzf",
        holds: "",
    },
    Job { arguments: "filter reads.fq --max-n 0 --min-len 100", holds: "\n+\n" },
    Job { arguments: "view aln.bam", holds: "\tRG:Z:lane1\n" },
    Job { arguments: "view --no-PG -b aln.sam", holds: "" },
    Job {
        arguments: "flagstat aln.bam",
        holds: "2952 + 0 in total (QC-passed reads + QC-failed reads)\n",
    },
    Job { arguments: "idxstats aln.bam", holds: "chr1\t" },
    Job { arguments: "checksum -q -PCM aln.bam", holds: "\nall        pass " },
    Job { arguments: "checksum --json --paired R1.fq.gz R2.fq.gz", holds: "\"count\":5000," },
    Job { arguments: "coverage aln.bam", holds: "430,200" },
    Job { arguments: "stats -T aln.bam", holds: "aln.bam" },
    Job { arguments: "merge --no-PG aln.bam aln.bam -O sam", holds: "\tRG:Z:lane1\n" },
    Job { arguments: "index --name-index aln.bam -o out/aln.bni", holds: "" },
    Job { arguments: "view aln.bam chr1:1000-5000", holds: "\tchr1\t" },
    Job { arguments: "sort --no-PG -n aln.bam -O sam", holds: "\tRG:Z:lane2\n" },
    Job { arguments: "markdup --no-PG aln.bam -O sam", holds: "\tRG:Z:lane2\n" },
    Job { arguments: "fastq aln.bam", holds: "\n+\n" },
    Job { arguments: "import --no-PG R1.fq.gz R2.fq.gz", holds: "" },
    Job { arguments: "cat R1.fq.gz reads.fq.gz", holds: "" },
    Job { arguments: "grep -c -s -p ACGTACGT -m 1 R1.fq.gz", holds: "" },
    Job { arguments: "convert R1.fq.gz R2.fq.gz --to fasta", holds: ">SIM001" },
    Job {
        arguments: "dedup --max-mismatches 2 R1.fq.gz R2.fq.gz --duplicates out/d.fq",
        holds: "@SIM001",
    },
    Job { arguments: "repair R1.fq.gz R2.fq.gz --orphans out/orphans.fq", holds: "@SIM001" },
    Job { arguments: "shuffle R1.fq.gz R2.fq.gz", holds: "@SIM001" },
    Job { arguments: "sort reads.fq --key sequence", holds: "@SIM001" },
    Job { arguments: "split R1.fq.gz R2.fq.gz --by-part 3 -o out/R{mate}_{part}.fq.gz", holds: "" },
    Job {
        arguments: "demux -i R1.fq.gz R2.fq.gz -r 4B+T +T -s samples.tsv -o out",
        holds: "barcode",
    },
    Job { arguments: "shards --number 3 R1.fq.gz R2.fq.gz", holds: "\"shards\"" },
    Job { arguments: "index aln.bam -o out/aln.bai", holds: "BAI\u{1}" },
    // Not those that hold the command line: `samtools stats` and fastp.
    Job {
        arguments: "stats aln.bam --out-dir out/qc --qc coverage,mosdepth,picard",
        holds: "FIRST_OF_PAIR",
    },
    Job {
        arguments: "stats R1.fq.gz --out-dir out/qc --qc fastqc",
        holds: ">>Per base sequence quality\t",
    },
];

/// Puts names and contents of all files below a folder, sorted, behind `bytes`.
fn append_files(folder: &Path, bytes: &mut Vec<u8>) -> Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            append_files(&path, bytes)?;
        } else {
            bytes.extend(entry.file_name().as_encoded_bytes());
            bytes.extend(fs::read(&path)?);
        }
    }
    Ok(())
}

pub(super) fn test(folder: &Path) -> Result<Vec<TestLine>> {
    let isas = biofast_kernels::available();
    let all = biofast_io::available_threads().max(2).to_string();
    fs::write(folder.join("samples.tsv"), "sample_id\tbarcode\none\tACGT\ntwo\tTTGG\n")?;
    let out = folder.join("out");
    JOBS.iter()
        .map(|job| {
            let what = format!("biofast {}", job.arguments);
            let mut first: Option<Vec<u8>> = None;
            let mut runs = 0;
            for isa in &isas {
                for threads in ["1", all.as_str()] {
                    fs::create_dir(&out).context("can't make a folder")?;
                    let output = this_program(folder, Some(isa.name()))?
                        .args(job.arguments.split(' '))
                        .args(["-@", threads])
                        .output()
                        .context("can't start this program again")?;
                    let mut bytes = output.stdout;
                    append_files(&out, &mut bytes)?;
                    fs::remove_dir_all(&out).context("can't remove a folder")?;
                    let at = format!("{isa}, {threads} threads");
                    if !output.status.success() {
                        let said = String::from_utf8_lossy(&output.stderr);
                        let wrong = Err(format!("{} ({at})\n{}", output.status, said.trim()));
                        return Ok(TestLine { what, result: wrong });
                    }
                    runs += 1;
                    match &first {
                        Some(first) if *first != bytes => {
                            let wrong = Err(format!("other bytes than the first run ({at})"));
                            return Ok(TestLine { what, result: wrong });
                        }
                        Some(_) => {}
                        None => first = Some(bytes),
                    }
                }
            }
            let bytes = first.unwrap_or_default();
            let holds =
                bytes.windows(job.holds.len().max(1)).any(|part| part == job.holds.as_bytes());
            let result = match job.holds.is_empty() && !bytes.is_empty() || holds {
                true => Ok(format!("{} bytes, identical in {runs} runs", bytes.len())),
                false => Err(format!("{:?} isn't in what it prints", job.holds)),
            };
            Ok(TestLine { what, result })
        })
        .collect()
}
