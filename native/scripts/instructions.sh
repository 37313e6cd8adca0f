#!/bin/bash
# Instructions that the `exact` matmul takes for a multiply-add, counted by valgrind and so the same on a busy machine:
#
#   native/scripts/instructions.sh [ROWS...]      1 2 4 8 16 64 if none are given
#
# To compare: on AVX2 the int16 peak of `npm run bench` takes 0.125, a multiplication and an addition for sixteen.
# Exits 77 and says what is missing if the tools are not there.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v valgrind >/dev/null || { echo "skipped: valgrind is not installed; run: apt-get install valgrind" >&2; exit 77; }

# Symbols tell the kernels from the rest.
CARGO_PROFILE_RELEASE_STRIP=none cargo build --quiet --locked --release -p moire-kernels --example matmul
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
[ $# -gt 0 ] || set -- 1 2 4 8 16 64
for rows in "$@"; do
  valgrind --tool=callgrind --toggle-collect='*run_codes_compiled*' --callgrind-out-file="$scratch/out" \
    target/release/examples/matmul 1 "$rows" once >"$scratch/work" 2>"$scratch/log"
  awk -v rows="$rows" '/multiply-adds/ { work = $1 } /Collected/ { count = $NF } END { printf "%d rows: %.3f\n", rows, count / work }' \
    "$scratch/work" "$scratch/log"
done
