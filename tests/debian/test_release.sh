#!/usr/bin/env bash
# test_release.sh RELEASE [COMMANDS]: copies the working tree into a fresh system
# of a Debian release and there, as a user who may sudo, runs what the README
# says, or the commands.
set -euo pipefail

source "$(dirname "$(readlink -f "$0")")/root.sh"
release=$1
commands=${2-'./dev demo && ./dev test'}
in_fresh_root "$release" "$0" "$@"

inside apt-get update -q || exit $unreachable
inside apt-get install -q -y --no-install-recommends sudo git
inside useradd --create-home --shell /bin/bash heed
echo 'heed ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/heed"
copy_source "$root/home/heed/source"
bind_cache "$release" "$root/home/heed/.cache"
inside chown -R heed:heed /home/heed
inside runuser -u heed -- env HOME=/home/heed bash -ec "cd ~/source; $commands"
