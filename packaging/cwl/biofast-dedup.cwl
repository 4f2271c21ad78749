#!/usr/bin/env cwl-runner
cwlVersion: v1.2
class: CommandLineTool
label: Leave out pairs of reads that are there already
doc: Of several pairs that are the same the first one is kept, and what is kept stays in order.
baseCommand: [biofast, dedup, --quiet]
hints:
  SoftwareRequirement:
    packages:
      biofast:
        specs: ["https://github.com/biofast/biofast"]
  ResourceRequirement:
    coresMin: 2
    ramMin: 1024
arguments:
  - {prefix: --threads, valueFrom: $(runtime.cores)}
  - {prefix: --memory, valueFrom: 768M}
  - {prefix: --out, valueFrom: $(inputs.name)_R1.unique.fastq.gz}
  - {prefix: --out2, valueFrom: $(inputs.name)_R2.unique.fastq.gz}
  - {prefix: --summary, valueFrom: $(inputs.name).dedup.json}
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
  by:
    type:
      - "null"
      - {type: enum, symbols: [sequence, name, umi]}
    doc: What is compared
    inputBinding: {prefix: --key, position: 1}
  mismatches:
    type: int?
    doc: Places in which duplicates may differ, 0 to 2
    inputBinding: {prefix: --max-mismatches, position: 1}
  reverse_complement:
    type: boolean?
    inputBinding: {prefix: --both-strands, position: 1}
outputs:
  kept1:
    type: File
    outputBinding: {glob: $(inputs.name)_R1.unique.fastq.gz}
  kept2:
    type: File
    outputBinding: {glob: $(inputs.name)_R2.unique.fastq.gz}
  json:
    type: File
    outputBinding: {glob: $(inputs.name).dedup.json}
