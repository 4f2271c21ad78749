#!/usr/bin/env cwl-runner
cwlVersion: v1.2
class: CommandLineTool
label: Check files of reads and alignments
doc: Checks checksums, lengths, ends and every record. The step fails if a file is faulty.
baseCommand: [biofast, check]
hints:
  SoftwareRequirement:
    packages:
      biofast:
        specs: ["https://github.com/biofast/biofast"]
  ResourceRequirement:
    coresMin: 2
    ramMin: 256
arguments:
  - {prefix: --threads, valueFrom: $(runtime.cores)}
inputs:
  files:
    type: File[]
    inputBinding: {position: 10}
outputs:
  table:
    type: stdout
stdout: check.tsv
