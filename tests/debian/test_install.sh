#!/usr/bin/env bash
# test_install.sh RELEASE FOLDER: installs the packages in FOLDER in a fresh
# system of a Debian release, trains a model there and builds examples/.
set -euo pipefail

source "$(dirname "$(readlink -f "$0")")/root.sh"
release=$1
in_fresh_root "$release" "$0" "$@"

cp "$2"/heed_*.deb "$2"/{libheed0,libheed-dev,python3-heed}_*.deb "$root/root"
cp -r "$project/examples" "$root/root"
there() { inside sh -ec "cd /root; $*"; }
there 'apt-get update -q; apt-get install -q -y --no-install-recommends ./heed_*.deb'
there 'heed demo; echo "may 3, 1999" | heed translate heed-demo | grep -x 1999-05-03'
there 'apt-get install -q -y --no-install-recommends make ./libheed0_*.deb ./libheed-dev_*.deb ./python3-heed_*.deb'
there "python3 -c 'import heed; print(heed.load(\"heed-demo\")(\"may 3, 1999\"))' | grep -x 1999-05-03"
there 'cmake -S examples -B build && cmake --build build && ctest --test-dir build'
echo "The packages install and run in a fresh Debian $release."
