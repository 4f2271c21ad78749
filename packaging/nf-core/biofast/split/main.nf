process BIOFAST_SPLIT {
    tag "${meta.id}"
    label 'process_low'

    conda "${moduleDir}/environment.yml"
    container "${workflow.containerEngine in ['singularity', 'apptainer'] && !task.ext.singularity_pull_docker_container
        ? 'https://depot.galaxyproject.org/singularity/biofast:0.2.0--0'
        : 'biocontainers/biofast:0.2.0--0'}"

    input:
    tuple val(meta), path(reads)

    output:
    tuple val(meta), path("*.part_*.fastq.gz"), emit: reads
    tuple val(meta), path("*.split.json"), emit: json
    tuple val("${task.process}"), val('biofast'), eval('biofast --version | sed "s/biofast //"'), emit: versions_biofast, topic: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    def prefix = task.ext.prefix ?: "${meta.id}"
    def name = meta.single_end ? "${prefix}.part_{part}.fastq.gz" : "${prefix}_R{mate}.part_{part}.fastq.gz"
    def by = args.contains('-') ? args : '--by-part 4'
    """
    biofast split \\
        --threads ${task.cpus} \\
        --quiet \\
        ${by} \\
        --out '${name}' \\
        --summary ${prefix}.split.json \\
        ${reads}
    """

    stub:
    def prefix = task.ext.prefix ?: "${meta.id}"
    def names = meta.single_end ? ["${prefix}.part_001.fastq.gz"] : ["${prefix}_R1.part_001.fastq.gz", "${prefix}_R2.part_001.fastq.gz"]
    """
    ${names.collect { "echo '' | gzip > ${it}" }.join('; ')}
    echo '{}' > ${prefix}.split.json
    """
}
