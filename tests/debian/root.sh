# shellcheck shell=bash
# Root file systems of Debian releases, made by debootstrap with this machine's
# own settings of apt. To be sourced. Needs root and the network; what was
# downloaded and compiled stays in build/debian, so that the next time is quick.

project=$(readlink -f "$(dirname "${BASH_SOURCE[0]}")/../..")
debian_cache=$project/build/debian
unreachable=75 # exit status if no Debian archive is reachable

# debian_mirror: prints the mirror from which this machine installs packages.
debian_mirror() {
  local query=(indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian')
  if [[ -z $(apt-get "${query[@]}") ]]; then apt-get update -q >&2; fi
  apt-get "${query[@]}" | sort -u | head -n 1
}

# debian_base RELEASE: makes the archive of a minimal system.
debian_base() {
  local archive=$debian_cache/$1.tar folder=$debian_cache/$1.new mirror proxy
  if [[ -s $archive ]]; then return; fi
  mirror=$(debian_mirror)
  if [[ -z $mirror ]]; then
    echo "${0##*/}: apt of this machine knows no mirror of Debian" >&2
    exit $unreachable
  fi
  proxy=$(apt-config dump --no-empty --format '%v' Acquire::http::Proxy)
  rm -rf --one-file-system "$folder"
  mkdir -p "$folder"
  echo "Making a minimal Debian $1, once"
  if ! http_proxy=${http_proxy:-$proxy} debootstrap --variant=minbase \
    --include=ca-certificates "$1" "$folder" "$mirror" >"$folder.log"; then
    tail -n 5 "$folder.log" >&2
    exit $unreachable
  fi
  tar -C "$folder" -cf "$archive.new" .
  mv "$archive.new" "$archive"
  rm -rf --one-file-system "$folder" "$folder.log"
}

# unpack_root RELEASE: makes $root a minimal system with this machine's network.
unpack_root() {
  debian_base "$1"
  tar -C "$root" -xf "$debian_cache/$1.tar"
  mkdir -p "$debian_cache/$1.packages/partial"
  mount --bind "$debian_cache/$1.packages" "$root/var/cache/apt/archives"
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  cp -L /etc/resolv.conf /etc/hosts "$root/etc"
  # Durable writes are unnecessary in a temporary system.
  echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/quick"
  apt-config dump | grep -E '^Acquire::(https?|Check-|Retries|ForceIP)' \
    >"$root/etc/apt/apt.conf.d/90machine" || true
  if [[ -d /usr/local/share/ca-certificates ]]; then
    cp -r /usr/local/share/ca-certificates "$root/usr/local/share"
    inside update-ca-certificates >/dev/null
  fi
}

# in_fresh_root RELEASE SCRIPT ARGS...: runs SCRIPT, which calls this function, again
# with $root set to a fresh system. Its mounts are in their own namespace and end with
# its processes. The system is always removed at the end.
in_fresh_root() {
  root=${HEED_ROOT-}
  if [[ -n $root ]]; then
    unpack_root "$1"
    return
  fi
  if ((EUID != 0)); then
    echo "${2##*/}: only root can make a root file system, so use sudo" >&2
    exit 1
  fi
  if ! unshare --mount true 2>/dev/null; then
    echo "${2##*/}: this root may not mount (as in a container without CAP_SYS_ADMIN)" >&2
    exit 1
  fi
  mkdir -p "$debian_cache"
  root=$(mktemp -d "$debian_cache/$1.XXXXXX")
  chmod 755 "$root"
  HEED_ROOT=$root unshare --mount --pid --fork --kill-child --mount-proc "${@:2}" &
  local child=$! status=0
  # shellcheck disable=SC2064 # the current value of $child is meant
  trap "kill -KILL $child; exit 1" INT TERM
  trap 'rm -rf --one-file-system "$root" || rm -rf --one-file-system "$root"' EXIT
  wait $child || status=$?
  exit $status
}

inside() { chroot "$root" env -u HEED_ROOT DEBIAN_FRONTEND=noninteractive "$@"; }

# copy_source FOLDER: copies the working tree, uncommitted changes included.
copy_source() {
  mkdir -p "$1"
  (cd "$project" && git ls-files -z --cached --others --exclude-standard |
    tar --null --files-from=- --ignore-failed-read -cf -) | tar -C "$1" -xf -
}

# bind_cache RELEASE FOLDER: mounts the ccache folder of a release.
bind_cache() {
  mkdir -p "$debian_cache/$1.cache" "$2"
  mount --bind "$debian_cache/$1.cache" "$2"
}
