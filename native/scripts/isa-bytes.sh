#!/bin/bash
# Compares what every kernel gives here with what it gives on a CPU that this machine is not.
#
#   native/scripts/isa-bytes.sh neon       aarch64 under qemu-user
#   native/scripts/isa-bytes.sh avx512     Sapphire Rapids (AVX-512, VNNI, BF16, AMX) in Bochs under a Linux kernel, one thread
#   native/scripts/isa-bytes.sh avx512 --setup    builds that machine in native/target first (emulator/machine.sh)
#
# Both run examples/isa_bytes of the kernels: it compares the instruction sets of the CPU it runs on and prints a hash a kernel; the lists have to be equal.
# Exits 77 and says what is missing if the tools are not there; 1 if bytes differ.
set -euo pipefail
cd "$(dirname "$0")/.."

missing() {
  echo "skipped: $1" >&2
  exit 77
}

need() {
  command -v "$1" >/dev/null || missing "$1 is not installed; run: $2"
}

need_target() {
  need rustup "https://rustup.rs"
  rustup target list --installed | grep -qx "$1" || missing "Rust has no standard library for $1; run: rustup target add $1"
}

build() {
  cargo build --quiet --locked -p moire-kernels --example isa_bytes "$@"
}

run_neon() {
  need qemu-aarch64 "apt-get install qemu-user"
  need aarch64-linux-gnu-gcc "apt-get install gcc-aarch64-linux-gnu"
  need_target aarch64-unknown-linux-gnu
  export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
  build --target aarch64-unknown-linux-gnu
  neon_on max --threads 3
  # And where there are no dot products.
  neon_on cortex-a57 --threads 1 | diff <(neon_on max --threads 1) - >&2
}

neon_on() {
  qemu-aarch64 -cpu "$1" -L /usr/aarch64-linux-gnu target/aarch64-unknown-linux-gnu/debug/examples/isa_bytes "${@:2}" 2>/dev/null
}

run_avx512() {
  [ "${1:-}" != --setup ] || scripts/emulator/machine.sh --setup
  scripts/emulator/machine.sh --check
  need_target x86_64-unknown-linux-musl
  build --target x86_64-unknown-linux-musl
  scripts/emulator/machine.sh target/x86_64-unknown-linux-musl/debug/examples/isa_bytes
}

case "${1:-}" in
  neon | avx512) ;;
  *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
esac
there=$(mktemp)
trap 'rm -f "$there"' EXIT
"run_$1" "${@:2}" >"$there"
build
diff <(target/debug/examples/isa_bytes) "$there" || { echo "$1: other bytes (left: here, right: there)" >&2; exit 1; }
echo "$1: $(wc -l <"$there") results, the same bytes as here"
