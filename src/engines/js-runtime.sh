#!/bin/sh
# A JavaScript runtime for yt-dlp: this product's own Bun, walled in. Scripts of strangers run in it, so it has no network,
# no secrets in its environment, none of the machine's processes, no capabilities, and of the file system the system's
# libraries alone. Needs Linux with namespaces; where they are not permitted it fails, and yt-dlp does without.
# earshot: root=ROOT
# earshot: binary=BINARY
if [ "$1" != --inside ]; then
  flags=--map-root-user
  [ "$(id -u)" = 0 ] && flags=--mount
  cd / && exec setpriv --pdeathsig KILL -- unshare "$flags" --mount --net --ipc --pid --fork --kill-child -- "$0" --inside "$@"
fi
shift
set -e
mount -t tmpfs -o size=64m,mode=755 none "$root"
cd "$root"
mkdir usr proc dev scratch
mount --rbind /usr usr
mount -o remount,bind,ro usr
for name in bin lib lib64; do
  if [ -L "/$name" ]; then
    ln -s "$(readlink "/$name")" "$name"
  elif [ -d "/$name" ]; then
    mkdir "$name"
    mount --rbind "/$name" "$name"
    mount -o remount,bind,ro "$name"
  fi
done
mount -t proc -o nosuid,nodev,noexec proc proc
for name in null urandom zero; do
  : >"dev/$name"
  mount --bind "/dev/$name" "dev/$name"
done
: >bun
mount --bind "$binary" bun
exec chroot . /usr/bin/setpriv --no-new-privs --bounding-set=-all --inh-caps=-all -- \
  /usr/bin/env -i BUN_BE_BUN=1 BUN_RUNTIME_TRANSPILER_CACHE_PATH=0 HOME=/scratch TMPDIR=/scratch PATH=/usr/bin:/bin /bun "$@"
