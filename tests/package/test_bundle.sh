#!/usr/bin/env bash
# test_bundle.sh ARCHIVE: runs the command of a bundle (./dev bundle) in a root that has
# nothing else but glibc: a picture, a short training, and predictions of its model.
# Without root, it needs user namespaces.
set -euo pipefail

begin=$SECONDS
scratch=$(mktemp -d)
trap 'rm -rf --one-file-system "$scratch"' EXIT

fail() {
  echo "bundle: $*" >&2
  exit 1
}

own=()
if ((EUID != 0)); then own=(--map-root-user); fi
if ! unshare "${own[@]}" --mount true 2>/dev/null; then
  echo "The bundle was not tested: this user may neither mount nor make namespaces."
  exit
fi

tar -C "$scratch" -xf "$1"
bundle=/$(basename "$1" .tar.xz)
loader=$(patchelf --print-interpreter "$scratch$bundle/bin/heed")
folder=$(dirname "$(g++ -print-file-name=libc.so.6)")
mkdir -p "$scratch/$(dirname "$loader")" "$scratch/lib" "$scratch/proc" "$scratch/tmp"
cp -L "$loader" "$scratch$loader"
for name in libc libm libdl libmvec libpthread libresolv librt; do
  cp -L "$folder/$name".so.* "$scratch/lib"
done

# inside PROGRAM ARGS...: runs a program in the root, with /proc, where the loader reads the
# place of the program.
inside() {
  # shellcheck disable=SC2016 # expanded by the inner shell
  env -i unshare "${own[@]}" --mount "$(command -v bash)" -ec '
    mount --rbind /proc "$0/proc"
    exec "$(command -v chroot)" "$0" "$@"' "$scratch" "$@"
}
heed() { inside "$bundle/bin/heed" "$@"; }

for name in "$scratch$bundle"/{bin/heed,lib/*}; do
  listed=$(inside "$loader" --list "${name#"$scratch"}" 2>&1) && [[ $listed != *'not found'* ]] ||
    fail "${name##*/}: $listed"
done
for file in README licences/{packages.txt,heed,libdnnl*} share/man/man1/heed-train.1 \
  share/bash-completion/completions/heed; do
  [[ -s $(echo "$scratch$bundle"/$file) ]] || fail "$file is missing"
done

heed --version
heed list models >"$scratch/models.txt"
grep -q transformer "$scratch/models.txt" || fail "heed list models lists no Transformer"
printf '1 2\t2 1\n3 1\t1 3\n' >"$scratch/pairs.tsv"
heed train --tsv /pairs.tsv --vocabulary words --units 8 --epochs 2 --out /model 2>"$scratch/log" ||
  fail "heed train: $(cat "$scratch/log")"
[[ $(echo '1 2' | heed predict /model | wc -l) == 1 ]] || fail "heed predict prints no line"
heed explain /model --text '1 2' --out /x.svg
grep -q '</svg>' "$scratch/x.svg" || fail "no SVG picture is drawn"
heed explain /model --text '1 2' --out /x.png # by a library that is loaded on demand
[[ $(head -c 4 "$scratch/x.png" | tail -c 3) == PNG ]] || fail "no PNG picture is drawn"
heed bench train --batch 2 --src-len 2 --tgt-len 2 --vocab 12 --steps 1 --json >/dev/null
echo "The bundle runs in a root with nothing but glibc ($((SECONDS - begin)) s)."
