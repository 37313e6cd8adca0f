#!/bin/bash
# Runs a static x86-64 Linux program on an emulated Sapphire Rapids (AVX-512, VNNI, BF16, AMX), for instruction sets that the machine at hand lacks.
#
#   native/scripts/emulator/machine.sh --setup    builds Bochs and unpacks a kernel into native/target/emulator; some minutes, once
#   native/scripts/emulator/machine.sh --check    whether that was done
#   native/scripts/emulator/machine.sh PROGRAM    gives the program's output and ends with its exit code
#
# The CPU is Bochs's, the kernel Debian's, one thread; init.c says how a program gets the tiles of AMX.
# Exits 77 and says what is missing if the tools are not there.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
machine=$here/../../target/emulator

# Debian's copy of Bochs 3.0, from the mirror that apt uses; apt need not know the release that has it.
source_path=pool/main/b/bochs/bochs_3.0+dfsg.orig.tar.xz
source_sum=78f6c73d4a6472d5130a87ab9dc306d02c7c71ed8e25b3a8ef642e2a7acd282b

missing() {
  echo "skipped: $1" >&2
  exit 77
}

need() {
  command -v "$1" >/dev/null || missing "$1 is not installed; run: $2"
}

build_bochs() {
  need curl "apt-get install curl"
  need patch "apt-get install patch"
  need g++ "apt-get install g++ make"
  need make "apt-get install make"
  local mirror
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep -v security | head -n 1)
  [ -n "$mirror" ] || missing "apt has no mirror; run on Debian: apt-get update"
  curl -fsSL --output bochs.tar.xz "$mirror$source_path" || missing "no Bochs at $mirror$source_path"
  echo "$source_sum  bochs.tar.xz" | sha256sum --check --quiet
  tar -xf bochs.tar.xz
  cd bochs-3.0
  patch --quiet -p1 <"$here/bochs.patch"
  # Without speeds in the log: Bochs 3.0 writes them in a signal handler and can wait for itself there.
  CFLAGS="-O3 -pipe" CXXFLAGS="-O3 -pipe" ./configure --with-nogui --enable-cpu-level=6 --enable-x86-64 --enable-avx --enable-evex --enable-amx \
    --enable-all-optimizations --enable-pci --disable-show-ips --disable-docbook >configure.log
  make -j "$(nproc)" bochs >make.log 2>&1 || { tail make.log >&2; exit 1; }
  strip -o ../bochs bochs
  cd ..
}

# A number of the header of a kernel image: where, how many bytes.
field() {
  od -An -tu"$2" -j "$(($1))" -N "$2" vmlinuz | tr -d ' '
}

# The kernel as it lies in memory, so that the emulated CPU need not decompress it.
unpack_kernel() {
  need apt-get "a Debian system"
  need xz "apt-get install xz-utils"
  local package
  package=$(apt-cache depends linux-image-amd64 2>/dev/null | sed -n 's/.*Depends: \(linux-image-[^ ]*\)$/\1/p' | head -n 1)
  [ -n "$package" ] || missing "apt knows no linux-image-amd64; run on Debian: apt-get update"
  apt-get -qq -o APT::Sandbox::User=root download "$package" || missing "$package could not be fetched; run: apt-get update"
  dpkg-deb -x linux-image-*.deb package
  cp package/boot/vmlinuz-* vmlinuz
  # boot.rst: setup_sects, payload_offset, payload_length; the last four bytes are the size unpacked.
  local payload=$((($(field 0x1f1 1) + 1) * 512 + $(field 0x248 4)))
  dd if=vmlinuz iflag=skip_bytes,count_bytes skip="$payload" count=$(($(field 0x24c 4) - 4)) status=none | xz -dc >vmlinux
  objcopy -O binary vmlinux vmlinux.bin
}

# A folder that goes when the script ends.
work_in_new_folder() {
  mkdir -p "$machine"
  folder=$(mktemp -d "$machine/$1.XXXXXX")
  trap 'rm -rf "$folder"' EXIT
  cd "$folder"
}

set_up() {
  need objcopy "apt-get install binutils"
  work_in_new_folder setup
  if [ ! -f ../vmlinux.bin ]; then
    unpack_kernel
    mv vmlinux.bin ..
  fi
  if [ ! -x ../bochs ]; then
    build_bochs
    mv bochs ..
  fi
}

# One file of a cpio archive ("newc"): name, mode, file.
entry() {
  local size=0
  [ -z "${3:-}" ] || size=$(stat -Lc %s "$3")
  printf '070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X' 0 "$2" 0 0 1 0 "$size" 0 0 0 0 $((${#1} + 1)) 0
  printf '%s\0' "$1"
  head -c $(((4 - (110 + ${#1} + 1) % 4) % 4)) /dev/zero
  [ -z "${3:-}" ] || cat "$3"
  head -c $(((4 - size % 4) % 4)) /dev/zero
}

check() {
  [ -x "$machine/bochs" ] && [ -f "$machine/vmlinux.bin" ] || missing "the emulated machine is not built; run: native/scripts/isa-bytes.sh avx512 --setup"
  need gcc "apt-get install gcc"
}

run() {
  check
  local program
  program=$(realpath "$1")
  work_in_new_folder run
  strip -o program "$program"
  gcc -static -O2 -Wall -o init "$here/init.c"
  {
    entry init 0100755 init
    entry program 0100755 program
    entry 'TRAILER!!!' 0
  } >initrd
  gcc -c -DINITRD_SIZE="$(stat -c %s initrd)" -o boot.o "$here/boot.S"
  ld -e 0 --section-start=ram=0 --section-start=rom=0xffff0000 -o boot boot.o
  objcopy -O binary -j ram boot ram
  objcopy -O binary -j rom boot rom
  : >console # Bochs makes the file only when something is written
  # Its own exit code says nothing: 1 after an orderly shutdown too. A run takes well under a minute.
  timeout 30m ../bochs -q -f "$here/bochsrc" >bochs.out 2>&1 || true
  [ -s results ] || { cat bochs.out console >&2; exit 1; }
  tr -d '\r' <console >&2
  head -n -1 results
  local last
  last=$(tail -n 1 results)
  [[ $last =~ ^exit\ [0-9]+$ ]] || { printf '%s\nthe emulated machine stopped before the program ended\n' "$last" >&2; exit 1; }
  exit "${last#exit }"
}

case "${1:-}" in
  --setup) set_up ;;
  --check) check ;;
  '') sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
  *) run "$1" ;;
esac
