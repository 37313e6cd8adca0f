#!/bin/bash
# Runs the native tests under a checker of memory and threads.
#
#   native/scripts/sanitize.sh miri        handle table and jobs in the interpreter: undefined behaviour, leaks, data races
#   native/scripts/sanitize.sh address     kernels, handles and jobs: reads and writes out of bounds, use after free, leaks
#   native/scripts/sanitize.sh thread      thread pool, kernels on several threads, handles and jobs: data races
#   native/scripts/sanitize.sh all
#
# Needs a nightly Rust with rust-src, for miri and thread; thread builds the standard library too, since half of a race would be invisible without.
# Exits 77 and says what is missing if something is; 1 on a finding.
set -euo pipefail
cd "$(dirname "$0")/.."

missing() {
  echo "skipped: $1" >&2
  exit 77
}

need_nightly() {
  command -v rustup >/dev/null || missing "rustup is not installed; see https://rustup.rs"
  rustup +nightly --version >/dev/null 2>&1 || missing "there is no nightly Rust; run: rustup toolchain install nightly --profile minimal"
  rustup component list --toolchain nightly --installed | grep -q "^$1" || missing "nightly Rust has no $1; run: rustup component add $1 --toolchain nightly"
}

triple() {
  rustc -vV | sed -n 's/^host: //p'
}

# Isolated from other builds: the flags are part of every object.
under() {
  local sanitizer=$1
  shift
  RUSTFLAGS="-Zsanitizer=$sanitizer -Cforce-frame-pointers=yes" CARGO_TARGET_DIR="target/$sanitizer" "$@"
}

run_miri() {
  need_nightly miri
  need_nightly rust-src
  CARGO_TARGET_DIR=target/miri cargo +nightly miri test --locked -p moire --lib -- handle:: job::
}

# The stable compiler ships this runtime; RUSTC_BOOTSTRAP lets it take the flag.
run_address() {
  RUSTC_BOOTSTRAP=1 ASAN_OPTIONS=detect_stack_use_after_return=1 under address cargo test --locked --target "$(triple)" -p moire --lib
  RUSTC_BOOTSTRAP=1 under address cargo test --locked --target "$(triple)" -p moire-kernels
}

run_thread() {
  need_nightly rust-src
  local build=(cargo +nightly test --locked -Zbuild-std --target "$(triple)")
  TSAN_OPTIONS=halt_on_error=1 under thread "${build[@]}" -p moire --lib -- handle:: job:: panics::
  TSAN_OPTIONS=halt_on_error=1 under thread "${build[@]}" -p moire-kernels --test pool --test steps
}

case "${1:-}" in
  miri | address | thread) "run_$1" ;;
  all)
    for one in miri address thread; do "run_$one"; done
    ;;
  *)
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
