process BIOFAST_SORT {
    tag "${meta.id}"
    label 'process_medium'

    conda "${moduleDir}/environment.yml"
    container "${workflow.containerEngine in ['singularity', 'apptainer'] && !task.ext.singularity_pull_docker_container
        ? 'https://depot.galaxyproject.org/singularity/biofast:0.2.0--0'
        : 'biocontainers/biofast:0.2.0--0'}"

    input:
    tuple val(meta), path(alignments)

    output:
    tuple val(meta), path("*.sorted.bam"), emit: bam
    tuple val(meta), path("*.sorted.bam.bai"), emit: bai
    tuple val("${task.process}"), val('biofast'), eval('biofast --version | sed "s/biofast //"'), emit: versions_biofast, topic: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    def prefix = task.ext.prefix ?: "${meta.id}"
    def memory = task.memory ? "--memory ${(task.memory.toMega() * 0.75) as int}M" : ''
    """
    biofast sort \\
        --threads ${task.cpus} \\
        --quiet \\
        --write-index=bai \\
        ${memory} \\
        --out ${prefix}.sorted.bam \\
        ${args} \\
        ${alignments}
    """

    stub:
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    touch ${prefix}.sorted.bam ${prefix}.sorted.bam.bai
    """
}
