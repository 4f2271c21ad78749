process BIOFAST_FILTER {
    tag "${meta.id}"
    label 'process_medium'

    conda "${moduleDir}/environment.yml"
    container "${workflow.containerEngine in ['singularity', 'apptainer'] && !task.ext.singularity_pull_docker_container
        ? 'https://depot.galaxyproject.org/singularity/biofast:0.2.0--0'
        : 'biocontainers/biofast:0.2.0--0'}"

    input:
    tuple val(meta), path(reads)

    output:
    tuple val(meta), path("*.filtered.fastq.gz"), emit: reads
    tuple val(meta), path("*.filter.json"), emit: json
    tuple val(meta), path("*.filter.html"), emit: html
    tuple val("${task.process}"), val('biofast'), eval('biofast --version | sed "s/biofast //"'), emit: versions_biofast, topic: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    def prefix = task.ext.prefix ?: "${meta.id}"
    def kept = meta.single_end ? "--out ${prefix}.filtered.fastq.gz" : "--out ${prefix}_R1.filtered.fastq.gz --out2 ${prefix}_R2.filtered.fastq.gz"
    """
    biofast filter \\
        --threads ${task.cpus} \\
        --quiet \\
        --summary ${prefix}.filter.json \\
        --html ${prefix}.filter.html \\
        ${kept} \\
        ${args} \\
        ${reads}
    """

    stub:
    def prefix = task.ext.prefix ?: "${meta.id}"
    def names = meta.single_end ? ["${prefix}.filtered.fastq.gz"] : ["${prefix}_R1.filtered.fastq.gz", "${prefix}_R2.filtered.fastq.gz"]
    """
    ${names.collect { "echo '' | gzip > ${it}" }.join('; ')}
    echo '{}' > ${prefix}.filter.json
    touch ${prefix}.filter.html
    """
}
