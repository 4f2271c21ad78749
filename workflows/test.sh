#!/usr/bin/env bash
# Runs the workflows on the sample, with and without a worker that is killed, and compares with one run of biofast.
#
#   workflows/test.sh [BIOFAST [ENGINE...]]
#
# Engines that aren't installed are skipped by name, unless they are asked for.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
biofast=$(command -v "${1:-biofast}") || { echo "biofast is not installed" >&2; exit 2; }
biofast=$(realpath "$biofast")
shift || true
asked=("$@")
engines=("${asked[@]:-snakemake}")
[ ${#asked[@]} -gt 0 ] || engines=(snakemake nextflow)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cp "$here/../datasets/sample_R1.fq.bgz" R1.fq.gz
cp "$here/../datasets/sample_R2.fq.bgz" R2.fq.gz
"$biofast" stats --json R1.fq.gz R2.fq.gz -o one.json

installed() {
    case $1 in
    snakemake) command -v snakemake >/dev/null ;;
    nextflow) command -v nextflow >/dev/null ;;
    *) echo "unknown engine: $1" >&2; exit 2 ;;
    esac
}

# Runs an engine in this folder, with this program in the place of biofast.
run() {
    case $1 in
    snakemake)
        snakemake --quiet all --cores 2 --snakefile "$here/snakemake/Snakefile" \
            --config 'reads=[R1.fq.gz, R2.fq.gz]' shards=7 biofast="$2"
        ;;
    nextflow)
        export NXF_OFFLINE=true NXF_ANSI_LOG=false
        # What it does without a program: each process has a stub.
        nextflow run "$here/nextflow/main.nf" -stub-run --input R1.fq.gz,R2.fq.gz --shards 7 --biofast false --out stub
        test -e stub/stats.json
        nextflow run "$here/nextflow/main.nf" --input R1.fq.gz,R2.fq.gz --shards 7 --biofast "$2"
        ;;
    esac
}

failed=0
for engine in "${engines[@]}"; do
    if ! installed "$engine"; then
        echo "skipped: $engine is not installed"
        [ ${#asked[@]} -eq 0 ] || failed=1
        continue
    fi
    for how in plain killed; do
        rm -rf "$engine-$how"
        mkdir "$engine-$how"
        cp -p R1.fq.gz R2.fq.gz "$engine-$how"
        program=$biofast
        export REAL_BIOFAST=$biofast KILLED_ONCE=$work/$engine-$how/killed
        [ $how = plain ] || program=$here/tests/killed-once
        if ! (cd "$engine-$how" && run "$engine" "$program" >log 2>&1); then
            echo "FAILED: $engine ($how)"
            cat "$engine-$how/log"
            failed=1
        elif [ $how = killed ] && ! [ -d "$KILLED_ONCE" ]; then
            echo "FAILED: $engine: nothing was killed"
            failed=1
        elif cmp one.json "$engine-$how/stats.json"; then
            echo "ok: $engine ($how): the bytes of one run"
        else
            echo "FAILED: $engine ($how): not the bytes of one run"
            failed=1
        fi
    done
done
exit $failed
