process BIOFAST_DEDUP {
    tag "${meta.id}"
    label 'process_medium'

    conda "${moduleDir}/environment.yml"
    container "${workflow.containerEngine in ['singularity', 'apptainer'] && !task.ext.singularity_pull_docker_container
        ? 'https://depot.galaxyproject.org/singularity/biofast:0.2.0--0'
        : 'biocontainers/biofast:0.2.0--0'}"

    input:
    tuple val(meta), path(reads)
    val save_duplicates

    output:
    tuple val(meta), path("*.unique.fastq.gz"), emit: reads
    tuple val(meta), path("*.duplicates.fastq.gz"), emit: duplicates, optional: true
    tuple val(meta), path("*.dedup.json"), emit: json
    tuple val("${task.process}"), val('biofast'), eval('biofast --version | sed "s/biofast //"'), emit: versions_biofast, topic: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    def prefix = task.ext.prefix ?: "${meta.id}"
    def name = meta.single_end ? "${prefix}" : "${prefix}_R1"
    def second = meta.single_end ? "" : "--out2 ${prefix}_R2.unique.fastq.gz"
    def kept = save_duplicates ? "--duplicates ${name}.duplicates.fastq.gz" : ""
    def memory = task.memory ? "--memory ${(task.memory.toMega() * 0.75) as int}M" : ""
    """
    biofast dedup \\
        --threads ${task.cpus} \\
        --quiet \\
        ${args} \\
        ${memory} \\
        --out ${name}.unique.fastq.gz \\
        ${second} \\
        ${kept} \\
        --summary ${prefix}.dedup.json \\
        ${reads}
    """

    stub:
    def prefix = task.ext.prefix ?: "${meta.id}"
    def names = meta.single_end ? ["${prefix}.unique.fastq.gz"] : ["${prefix}_R1.unique.fastq.gz", "${prefix}_R2.unique.fastq.gz"]
    """
    ${names.collect { "echo '' | gzip > ${it}" }.join('; ')}
    echo '{}' > ${prefix}.dedup.json
    """
}
