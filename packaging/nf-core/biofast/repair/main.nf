process BIOFAST_REPAIR {
    tag "${meta.id}"
    label 'process_medium'

    conda "${moduleDir}/environment.yml"
    container "${workflow.containerEngine in ['singularity', 'apptainer'] && !task.ext.singularity_pull_docker_container
        ? 'https://depot.galaxyproject.org/singularity/biofast:0.2.0--0'
        : 'biocontainers/biofast:0.2.0--0'}"

    input:
    tuple val(meta), path(reads)

    output:
    tuple val(meta), path("*.paired.fastq.gz"), emit: reads
    tuple val(meta), path("*.orphans.fastq.gz"), emit: orphans
    tuple val(meta), path("*.repair.json"), emit: json
    tuple val("${task.process}"), val('biofast'), eval('biofast --version | sed "s/biofast //"'), emit: versions_biofast, topic: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    def prefix = task.ext.prefix ?: "${meta.id}"
    def memory = task.memory ? "--memory ${(task.memory.toMega() * 0.75) as int}M" : ""
    """
    biofast repair \\
        --threads ${task.cpus} \\
        --quiet \\
        ${args} \\
        ${memory} \\
        --out ${prefix}_R1.paired.fastq.gz \\
        --out2 ${prefix}_R2.paired.fastq.gz \\
        --orphans ${prefix}.orphans.fastq.gz \\
        --summary ${prefix}.repair.json \\
        ${reads}
    """

    stub:
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    echo '' | gzip > ${prefix}_R1.paired.fastq.gz
    echo '' | gzip > ${prefix}_R2.paired.fastq.gz
    echo '' | gzip > ${prefix}.orphans.fastq.gz
    echo '{}' > ${prefix}.repair.json
    """
}
