#!/usr/bin/env bash
# test_cross.sh RELEASE FOLDERS PACKAGE...: compiles the working tree for 64-bit
# ARM in a fresh system of a Debian release, with the arm64 packages that are
# named, and runs the command and the tests of those folders of heed/ in QEMU.
set -euo pipefail

source "$(dirname "$(readlink -f "$0")")/root.sh"
release=$1
read -ra folders <<<"$2"
tests=("${folders[@]/#/heed_}")
tests=("${tests[@]/%/_test}")
in_fresh_root "$release" "$0" "$@"

# install_for_arm64 PACKAGE...: installs the first existing one of names separated by |.
# Architecture-independent packages have no ":arm64".
install_for_arm64() {
  local names=() package name
  for package in "$@"; do
    for name in ${package//|/ }; do
      if [[ -n $(inside apt-cache show "$name:arm64" 2>/dev/null) ]]; then
        names+=("$name:arm64")
      elif [[ -n $(inside apt-cache show "$name" 2>/dev/null) ]]; then
        names+=("$name")
      else
        continue
      fi
      break
    done
  done
  inside apt-get install -q -y --no-install-recommends g++-aarch64-linux-gnu cmake \
    ninja-build ccache pkg-config python3 qemu-user "${names[@]}"
}

inside dpkg --add-architecture arm64
inside apt-get update -q
install_for_arm64 "${@:3}"
copy_source "$root/root/source"
bind_cache "$release" "$root/root/.cache"

inside bash -ec "cd /root/source
  cmake --preset release --toolchain tests/debian/arm64.cmake -DHEED_PAGE=OFF
  cmake --build build/release -j '$(nproc)' --target heed_command ${tests[*]}
  qemu-aarch64 build/release/heed bench train --batch 2 --src-len 2 --tgt-len 2 --vocab 12 --steps 1
  for folder in ${folders[*]}; do
    qemu-aarch64 build/release/library/\$folder/heed_\${folder}_test --gtest_brief=1
  done"
