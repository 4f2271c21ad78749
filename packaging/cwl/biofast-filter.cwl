#!/usr/bin/env cwl-runner
cwlVersion: v1.2
class: CommandLineTool
label: Select and trim pairs of reads
doc: Trims and selects reads in order, pairs together. What is kept and what is rejected add up to the input.
baseCommand: [biofast, filter, --quiet]
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
  - {prefix: --out, valueFrom: $(inputs.name)_R1.fastq.gz}
  - {prefix: --out2, valueFrom: $(inputs.name)_R2.fastq.gz}
  - {prefix: --summary, valueFrom: $(inputs.name).filter.json}
inputs:
  reads1:
    type: File
    inputBinding: {position: 10}
  reads2:
    type: File
    inputBinding: {position: 11}
  name:
    type: string
    doc: What the names of the outputs begin with
  trim_overlap:
    type: boolean?
    doc: Cut off adapters that the overlap of the mates shows
    inputBinding: {prefix: --trim-overlap, position: 1}
  min_len:
    type: int?
    inputBinding: {prefix: --min-len, position: 1}
  min_mean_qual:
    type: float?
    inputBinding: {prefix: --min-mean-qual, position: 1}
outputs:
  kept1:
    type: File
    outputBinding: {glob: $(inputs.name)_R1.fastq.gz}
  kept2:
    type: File
    outputBinding: {glob: $(inputs.name)_R2.fastq.gz}
  json:
    type: File
    outputBinding: {glob: $(inputs.name).filter.json}
