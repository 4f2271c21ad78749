#!/usr/bin/env bash
# Cycles per byte of the NEON kernels' inner loops on Apple cores, without one: the machine code is compiled for
# apple-m1 and given to LLVM's machine-code analyser. An estimate: loads always hit the first cache, branches are
# always predicted, and the analyser's model of the core is an older one of the same family.
# Needs llvm-mca and `rustup target add aarch64-unknown-linux-gnu`. Writes results/static-neon/apple-m1.csv.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}/static-neon
out=results/static-neon/apple-m1.csv

cargo rustc --quiet --release -p biofast-kernels --target aarch64-unknown-linux-gnu --target-dir "$target" \
    -- -C target-cpu=apple-m1 --emit asm
asm=$(ls -t "$target"/aarch64-unknown-linux-gnu/release/deps/biofast_kernels-*.s | head -n 1)

# The instructions from a label to the branch back to it, for each loop of a function, each loop followed
# by a line "--".
loops() {
    awk -v name="neon${#1}$1" '
        index($0, name "17h") && /^_ZN15biofast_kernels7aarch64.*:$/ { inside = 1; n = 0; next }
        /^\.Lfunc_end/ { inside = 0 }
        !inside { next }
        /^\.LBB.*:$/ { label = substr($0, 1, length($0) - 1); at[label] = n; next }
        /^[ \t]+[a-z]/ {
            if ($1 ~ /^\./) next
            line[++n] = $0
            to = $NF
            if ($1 ~ /^(b|b\..*|cbn?z|tbn?z)$/ && (to in at)) {
                for (i = at[to] + 1; i <= n; i++) print line[i]
                print "--"
            }
        }' "$asm"
}

mkdir -p "$(dirname "$out")"
echo "kernel,bytes_per_iteration,cycles_per_iteration,cycles_per_byte" >"$out.part"
for kernel in count_bases count_gc_acgt count_n summarize_qualities count_newlines; do
    best=
    body=
    while IFS= read -r text; do
        if [ "$text" != "--" ]; then
            body+=$text$'\n'
            continue
        fi
        # Of the loops that load vectors, the fastest: the one that long inputs spend their time in.
        bytes=$(awk '/^[ \t]+ldp[ \t]+q/ { b += 32 } /^[ \t]+ldr[ \t]+q/ { b += 16 } END { print b + 0 }' <<<"$body")
        if [ "$bytes" -gt 0 ]; then
            cycles=$(llvm-mca -mtriple=aarch64 -mcpu=apple-m1 -iterations=1000 <<<"$body" | awk '/^Total Cycles:/ { print $3 / 1000 }')
            row=$(awk -v k="$kernel" -v b="$bytes" -v c="$cycles" 'BEGIN { printf "%s,%d,%.2f,%.3f", k, b, c, c / b }')
            if [ -z "$best" ] || awk -v a="${row##*,}" -v b="${best##*,}" 'BEGIN { exit !(a < b) }'; then best=$row; fi
        fi
        body=
    done < <(loops "$kernel")
    [ -n "$best" ] || { echo "no loop found in $kernel" >&2; exit 1; }
    echo "$best" >>"$out.part"
done
mv "$out.part" "$out"
cat "$out"
