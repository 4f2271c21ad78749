process BIOFAST_DEMUX {
    tag "${meta.id}"
    label 'process_medium'

    conda "${moduleDir}/environment.yml"
    container "${workflow.containerEngine in ['singularity', 'apptainer'] && !task.ext.singularity_pull_docker_container
        ? 'https://depot.galaxyproject.org/singularity/biofast:0.2.0--0'
        : 'biocontainers/biofast:0.2.0--0'}"

    input:
    tuple val(meta), path(reads)
    path samples
    val structures

    output:
    tuple val(meta), path("${prefix}/*.fq.gz"), emit: reads
    tuple val(meta), path("${prefix}/demux-metrics.txt"), emit: metrics
    tuple val(meta), path("*.demux.json"), emit: json
    tuple val("${task.process}"), val('biofast'), eval('biofast --version | sed "s/biofast //"'), emit: versions_biofast, topic: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: "${meta.id}"
    """
    biofast demux \\
        --threads ${task.cpus} \\
        --quiet \\
        ${args} \\
        --inputs ${reads} \\
        --read-structures ${structures} \\
        --sample-metadata ${samples} \\
        --out-dir ${prefix} \\
        --summary ${prefix}.demux.json
    """

    stub:
    prefix = task.ext.prefix ?: "${meta.id}"
    """
    mkdir ${prefix}
    echo '' | gzip > ${prefix}/unmatched.R1.fq.gz
    touch ${prefix}/demux-metrics.txt
    echo '{}' > ${prefix}.demux.json
    """
}
