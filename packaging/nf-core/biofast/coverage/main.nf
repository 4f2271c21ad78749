process BIOFAST_COVERAGE {
    tag "${meta.id}"
    label 'process_medium'

    conda "${moduleDir}/environment.yml"
    container "${workflow.containerEngine in ['singularity', 'apptainer'] && !task.ext.singularity_pull_docker_container
        ? 'https://depot.galaxyproject.org/singularity/biofast:0.2.0--0'
        : 'biocontainers/biofast:0.2.0--0'}"

    input:
    tuple val(meta), path(alignments)

    output:
    tuple val(meta), path("*.mosdepth.summary.txt"), emit: summary
    tuple val(meta), path("*.mosdepth.global.dist.txt"), emit: global_dist
    tuple val(meta), path("*.per-base.bed.gz"), emit: per_base
    tuple val("${task.process}"), val('biofast'), eval('biofast --version | sed "s/biofast //"'), emit: versions_biofast, topic: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    biofast coverage \\
        --threads ${task.cpus} \\
        --quiet \\
        --prefix ${prefix} \\
        ${args} \\
        ${alignments}
    """

    stub:
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    touch ${prefix}.mosdepth.summary.txt ${prefix}.mosdepth.global.dist.txt
    echo '' | gzip > ${prefix}.per-base.bed.gz
    """
}
