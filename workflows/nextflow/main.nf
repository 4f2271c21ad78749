#!/usr/bin/env nextflow
// The statistics of reads or alignments, shard by shard:
//
//   nextflow run workflows/nextflow/main.nf --input R1.fq.gz,R2.fq.gz --shards 100
//
// STATS_SHARD runs once for each shard, wherever the executor puts it, and is tried again twice. The report is the one that
// `biofast stats --json` of the whole files gives.

nextflow.enable.dsl = 2

params.input = null
params.shards = 100
params.biofast = 'biofast'
params.out = '.'

process SHARDS {
    input:
    path files
    path indexes

    output:
    path 'plan.json', emit: plan
    path 'versions.yml', emit: versions

    script:
    """
    ${params.biofast} shards --quiet --number ${params.shards} ${files.join(' ')} -o plan.json

    cat <<-END > versions.yml
    "${task.process}":
        biofast: \$(${params.biofast} --version | sed 's/^biofast //')
    END
    """

    stub:
    """
    touch plan.json versions.yml
    """
}

process STATS_SHARD {
    tag "${number}"
    errorStrategy 'retry'
    maxRetries 2

    input:
    each number
    path plan
    path files
    path indexes

    output:
    path "part${number}.json", emit: part

    script:
    """
    ${params.biofast} stats --quiet --json --threads ${task.cpus} --shard '${plan}#${number}' -o part${number}.json ${files.join(' ')}
    """

    stub:
    """
    touch part${number}.json
    """
}

process MERGE {
    publishDir params.out, mode: 'copy'

    input:
    path parts

    output:
    path 'stats.json', emit: report

    script:
    """
    ${params.biofast} merge --json ${parts.join(' ')} -o stats.json
    """

    stub:
    """
    touch stats.json
    """
}

workflow {
    if (!params.input) {
        error 'name the files: --input reads.fq.gz, or --input R1.fq.gz,R2.fq.gz'
    }
    files = params.input.tokenize(',').collect { file(it, checkIfExists: true) }
    // Of ordinary gzip the seek indexes, which `biofast index` made.
    indexes = files.collect { file("${it}.bsi") }.findAll { it.exists() }
    SHARDS(files, indexes)
    STATS_SHARD(1..(params.shards as int), SHARDS.out.plan, files, indexes)
    MERGE(STATS_SHARD.out.part.collect())
}
