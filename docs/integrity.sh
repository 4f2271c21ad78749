#!/usr/bin/env bash
# Prints what tools do with damaged FASTQ, for the table of the README. Needs fastp, samtools, seqkit, cutadapt and python3.
# usage: integrity.sh PATH/TO/biofast
set -u
biofast=$(realpath "${1:-target/release/biofast}")
sample=$(realpath "$(dirname "$0")/../datasets")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
python3 - "$sample" <<'P'
import gzip, struct, sys
one, two = (open(f"{sys.argv[1]}/sample_R{n}.fq.bgz", "rb").read() for n in (1, 2))
def write(name, *files):
    for mate, data in zip("12", files):
        open(f"{name}_{mate}.fq.gz", "wb").write(data)
blocks, at = [], 0
while at < len(one):
    size = struct.unpack("<H", one[at + 16:at + 18])[0] + 1
    blocks.append((at, size))
    at += size
half = blocks[len(blocks) // 2][0]
write("cut", one[:half], two)
start, size = blocks[1]
flipped = bytearray(one)
flipped[start + size // 2] ^= 4
write("flipped", bytes(flipped), two)
reads = gzip.decompress(two).split(b"\n")
write("mates", one, gzip.compress(b"\n".join(reads[4:8] + reads[:4] + reads[8:])))
P
show() { # TOOL CASE: runs it, and prints how many reads of the first file it gave, and its exit code
    [ "$1 $2" = "seqkit mates" ] && { printf ' – |'; return; } # it reads one file
    case $1 in
    biofast) "$biofast" filter --quiet "$2"_1.fq.gz "$2"_2.fq.gz -o out_1.fq --out2 out_2.fq ;;
    fastp) fastp -A -Q -L -G -i "$2"_1.fq.gz -I "$2"_2.fq.gz -o out_1.fq -O out_2.fq ;;
    cutadapt) cutadapt --quiet -o out_1.fq -p out_2.fq "$2"_1.fq.gz "$2"_2.fq.gz ;;
    seqkit) seqkit seq "$2"_1.fq.gz -o out_1.fq ;;
    samtools) samtools import -1 "$2"_1.fq.gz -2 "$2"_2.fq.gz -o out.bam && samtools fastq -1 out_1.fq -2 out_2.fq out.bam ;;
    esac >log 2>&1
    local code=$?
    local reads=0
    [ -e out_1.fq ] && reads=$(($(wc -l <out_1.fq) / 4))
    printf ' %s reads, exit %s |' "$reads" "$code"
    rm -f out*
}
echo '| input (intact: 2,500 pairs) | biofast | fastp | cutadapt | seqkit | samtools |'
echo '|---|---|---|---|---|---|'
for case in cut flipped mates; do
    printf '| %s |' "$case"
    for tool in biofast fastp cutadapt seqkit samtools; do show $tool $case; done
    echo
done
