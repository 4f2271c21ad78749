#!/bin/bash
# Run by conda-build in the unpacked sources, with PREFIX set.
set -euo pipefail

export CARGO_HOME="${CARGO_HOME:-$PWD/.cargo-home}"
export CARGO_PROFILE_RELEASE_STRIP=symbols CARGO_PROFILE_RELEASE_LTO=fat

cargo-bundle-licenses --format yaml --output THIRDPARTY.yml
cargo install --locked --no-track --path crates/biofast-cli --features remote --root "$PREFIX"

biofast="$PREFIX/bin/biofast"
mkdir -p "$PREFIX/share/bash-completion/completions" "$PREFIX/share/zsh/site-functions" "$PREFIX/share/fish/vendor_completions.d"
"$biofast" man "$PREFIX/share/man/man1"
"$biofast" completions bash > "$PREFIX/share/bash-completion/completions/biofast"
"$biofast" completions zsh > "$PREFIX/share/zsh/site-functions/_biofast"
"$biofast" completions fish > "$PREFIX/share/fish/vendor_completions.d/biofast.fish"
