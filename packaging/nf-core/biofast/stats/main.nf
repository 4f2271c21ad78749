process BIOFAST_STATS {
    tag "${meta.id}"
    label 'process_low'

    conda "${moduleDir}/environment.yml"
    container "${workflow.containerEngine in ['singularity', 'apptainer'] && !task.ext.singularity_pull_docker_container
        ? 'https://depot.galaxyproject.org/singularity/biofast:0.2.0--0'
        : 'biocontainers/biofast:0.2.0--0'}"

    input:
    tuple val(meta), path(files)

    output:
    tuple val(meta), path("*.biofast.json"), emit: json
    tuple val(meta), path("*.biofast.html"), emit: html
    tuple val("${task.process}"), val('biofast'), eval('biofast --version | sed "s/biofast //"'), emit: versions_biofast, topic: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    biofast stats \\
        --threads ${task.cpus} \\
        --quiet \\
        --json \\
        --out ${prefix}.biofast.json \\
        --html ${prefix}.biofast.html \\
        ${args} \\
        ${files}
    """

    stub:
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    echo '{}' > ${prefix}.biofast.json
    touch ${prefix}.biofast.html
    """
}
