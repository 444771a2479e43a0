#!/usr/bin/env bash
# test_package.sh FOLDER [--clean]: checks the Debian packages in FOLDER and runs the
# command without other files of the project. --clean also installs them in a fresh
# Debian of this release, which needs root and the network.
set -euo pipefail

root=$(readlink -f "$(dirname "$0")/../..")
folder=$(readlink -f "$1")
command_deb=$(echo "$folder"/heed_*.deb)
development_deb=$(echo "$folder"/libheed-dev_*.deb)
library_deb=$(echo "$folder"/libheed0_*.deb)
python_deb=$(echo "$folder"/python3-heed_*.deb)
mpi_deb=$(echo "$folder"/heed-mpi_*.deb)
scratch=$(mktemp -d)
trap 'rm -rf --one-file-system "$scratch"' EXIT

fail() {
  echo "package: $*" >&2
  exit 1
}

# Contents of the packages.
for deb in "$command_deb" "$development_deb" "$library_deb" "$python_deb" "$mpi_deb"; do
  dpkg-deb -I "$deb" control
  dpkg-deb -x "$deb" "$scratch/root"
done
for library in libdnnl librsvg2-2 libgdk-pixbuf libsndfile1 libvorbisfile3 libsamplerate0; do
  dpkg-deb -f "$command_deb" Depends | grep -q $library || fail "it does not depend on $library"
done
dpkg-deb -f "$mpi_deb" Depends | grep -q libopenmpi || fail "heed-mpi does not want Open MPI"
for file in usr/bin/heed usr/lib/heed/heed-mpi.so usr/share/doc/heed/{copyright,changelog.gz} \
  usr/share/man/man1/{heed,heed-train,heed-demo-gallery}.1.gz \
  usr/share/bash-completion/completions/heed usr/share/zsh/vendor-completions/_heed \
  usr/share/fish/vendor_completions.d/heed.fish usr/lib/systemd/system/heed.service \
  usr/include/heed/tasks/task.h usr/include/heed.h usr/lib/python3/dist-packages/heed/__init__.py; do
  [[ -s $scratch/root/$file ]] || fail "$file is missing"
done
if grep -rlF "$root" "$scratch/root"; then fail "these name a folder of the build"; fi
file "$scratch/root/usr/bin/heed" | grep -q 'not stripped' && fail "the command is not stripped"

export PYTHONPATH=$scratch/root/usr/lib/python3/dist-packages
HEED_LIBRARY=$(find "$scratch/root" -name libheed.so.0)
PKG_CONFIG_PATH=$(dirname "$HEED_LIBRARY")/pkgconfig
export HEED_LIBRARY PKG_CONFIG_PATH

# Compiler and linker flags of the command (cmake/HeedHardening.cmake).
elf=$(readelf --wide --file-header --dynamic --program-headers --dyn-syms --notes \
  "$scratch/root/usr/bin/heed")
while read -r what pattern; do
  grep -Eq "$pattern" <<<"$elf" || fail "the command is built without $what"
done <<'END'
position-independent-code Type: *DYN
read-only-relocations GNU_RELRO
immediate-binding FLAGS_1.* NOW .*PIE
a-stack-protector __stack_chk_fail
fortified-functions __(memcpy|memmove|snprintf|vsnprintf|read)_chk
a-stack-without-execution GNU_STACK.* RW +0x
END

# A program in C and Python find the library, which exports its own functions alone.
file "$(readlink -f "$HEED_LIBRARY")" | grep -q 'not stripped' && fail "libheed is not stripped"
[[ $(python3 -c 'import heed; print(heed.__version__)') == "$(dpkg-deb -f "$python_deb" Version)" ]] ||
  fail "import heed does not work"
[[ $(pkg-config --variable=includedir heed)/heed.h -ef $scratch/root/usr/include/heed.h ]] ||
  fail "pkg-config does not find heed.h"

# The command runs by its name, without files of the build.
cd "$scratch"
export PATH=$scratch/root/usr/bin:$PATH
[[ $(command -v heed) == "$scratch"/root/usr/bin/heed ]]
if ldd "$(command -v heed)" | grep -e 'not found' -e "$root"; then fail "a library is wrong"; fi
heed --version
heed bench train --batch 2 --src-len 2 --tgt-len 2 --vocab 12 --steps 1 --json >/dev/null
# Two processes find the library of the other package.
printf '1 2\t2 1\n3 1\t1 3\n' >pairs.tsv
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n 2 \
  heed train --tsv pairs.tsv --vocabulary words --units 8 --epochs 2 --out two 2>&1 | tee two.log
grep -q '^2 processes' two.log || fail "mpirun did not start two processes"
# A picture needs a library that is loaded on demand.
heed explain two --text '1 2' --out picture.png
file picture.png | grep -q 'PNG image' || fail "no PNG picture is drawn"
for page in root/usr/share/man/man1/*.gz; do
  warnings=$(zcat "$page" | groff -man -Kutf8 -Tutf8 -ww -z 2>&1)
  [[ -z $warnings ]] || fail "$page: $warnings"
done
heed __complete "" | sed -n '2,$s/^\([a-z].*\)\t.*/\1/p' | while read -r name; do
  [[ -s root/usr/share/man/man1/heed-$name.1.gz ]] || fail "$name has no manual page"
done
# The systemd unit is complete, sandboxed, and not enabled by default.
unit=root/usr/lib/systemd/system/heed.service
for line in Type=notify DynamicUser=yes NoNewPrivileges=yes ProtectSystem=strict \
  CapabilityBoundingSet= SystemCallFilter=@system-service; do
  grep -qx "$line" "$unit" || fail "the unit lacks $line"
done
if command -v systemd-analyze >/dev/null; then
  # Exposure is out of 100; a unit without a sandbox has 96.
  systemd-analyze security --offline=true --threshold=20 --no-pager "$unit" >/dev/null ||
    fail "the unit's sandbox is weak"
  warnings=$(systemd-analyze verify --man=no "$unit" 2>&1 | grep -v 'is not executable' || true)
  [[ -z $warnings ]] || fail "the unit: $warnings"
fi
for script in postinst prerm postrm; do
  dpkg-deb --ctrl-tarfile "$command_deb" | tar -xO ./$script | sh -n || fail "$script is no script"
done
[[ ! -e root/etc/systemd ]] || fail "the unit is enabled"
echo "The packages hold what they should."

if [[ ${2-} == --clean ]]; then
  release=$(. /etc/os-release && echo "$VERSION_CODENAME")
  "$root/tests/debian/test_install.sh" "$release" "$folder"
fi
