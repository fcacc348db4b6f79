#!/bin/sh
# pack - the last step: finish the root, $1, and write it to standard output as an archive.
#
# What hooks print is no part of it. Programs of the root run here, without a network.
set -eu
root=$1
hooks=/inputs

mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
if [ -n "${GLOVEBOX_PIP:-}" ]; then
	sh "$hooks/pip.sh" "$root" >&2
fi
# Wheels of strangers are imported: as an ordinary user, like pip.
setpriv --no-new-privs chroot --userspec=1000:1000 "$root" python3 -I - < "$hooks/check_modules.py" > "$root/../cause"
cp "$hooks/warm_caches.py" "$root/tmp/warm_caches.py"
sh "$hooks/finish.sh" "$root" >&2
umount -l "$root/proc" "$root/dev"
exec tar --create --sort=name --numeric-owner --format=pax --one-file-system \
	--exclude=./dev --directory "$root" .
