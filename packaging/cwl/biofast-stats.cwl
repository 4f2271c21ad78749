#!/usr/bin/env cwl-runner
cwlVersion: v1.2
class: CommandLineTool
label: Statistics of reads or alignments
doc: Counts reads, bases, lengths, qualities and composition of FASTQ, or mapping and coverage of alignments, in one pass. A damaged file is an error.
baseCommand: [biofast, stats, --quiet, --json]
requirements:
  InlineJavascriptRequirement: {}
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
  - {prefix: --out, valueFrom: $(inputs.name).biofast.json}
  - {prefix: --html, valueFrom: $(inputs.name).biofast.html}
inputs:
  files:
    type: File[]
    doc: Files of reads or alignments
    inputBinding: {position: 10}
  name:
    type: string
    doc: What the names of the outputs begin with
  paired:
    type: boolean?
    doc: The files are two by two mates
    inputBinding: {prefix: --paired, position: 1}
outputs:
  json:
    type: File
    outputBinding: {glob: $(inputs.name).biofast.json}
  html:
    type: File
    outputBinding: {glob: $(inputs.name).biofast.html}
