#!/bin/sh
# base - unpack the kept base GLOVEBOX_BASE_KEY into the root, $1, if the build found one.
#
# No network: it holds what maintainer scripts of its packages left. The files that mmdebstrap has
# put there for this run are not in it (save.sh).
set -eu
[ -n "${GLOVEBOX_BASE_KEY:-}" ] || exit 0
# The hook for the layout of /usr has made these for all cases; the package then removed some.
for name in lib32 libo32 libx32; do
	[ ! -L "$1/$name" ] || rm "$1/$name"
	[ ! -d "$1/usr/$name" ] || rmdir "$1/usr/$name"
done
exec tar --extract --numeric-owner --same-permissions --directory "$1" \
	--file "$GLOVEBOX_BASES/$GLOVEBOX_BASE_KEY.tar"
