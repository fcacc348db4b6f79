#!/bin/sh
# fetch - download every package, and run nothing of any. $1 is the new root.
#
# The indices are there (update.sh). It resolves as the installations without a network will: first
# the essential packages, then those of the base, then GLOVEBOX_APT, each beside the former as if
# they were installed. A base that was kept (rootfs/debian/base_cache.h) needs no download.
set -euf
root=$1
export APT_CONFIG="$MMDEBSTRAP_APT_CONFIG"
status=$root/var/lib/dpkg/status
archives=$root/var/cache/apt/archives
kept=

# What dpkg's status will say: the packages made by hand so far, and those of all archives.
installed() {
	cat "$status"
	find "$archives" -name '*.deb' -exec dpkg-deb --field {} ';' -exec printf 'Status: install ok installed\n\n' ';'
}

# Download packages, $2 and on, beside what the status $1 names.
download() {
	beside=$1
	shift
	[ $# -eq 0 ] || apt-get --yes -qq --download-only -o "Dir::State::status=$beside" install "$@"
}

cd "$root"
architecture=$(dpkg --print-architecture)
essential="?narrow(?or(?archive(^$GLOVEBOX_SUITE\$),?codename(^$GLOVEBOX_SUITE\$)),?architecture($architecture),?essential)"
# shellcheck disable=SC2086 # lists of packages, split on purpose
if [ -n "${GLOVEBOX_BASES:-}" ]; then
	key=$({
		echo "2 $GLOVEBOX_SUITE $architecture: $GLOVEBOX_BASE_APT, without $GLOVEBOX_WITHOUT"
		apt-get --yes -qq --print-uris install "$essential" $GLOVEBOX_BASE_APT |
			cut -d ' ' -f 2- | LC_ALL=C sort
	} | sha256sum | cut -d ' ' -f 1)
	echo "$key" > ../base.key
	[ ! -e "$GLOVEBOX_BASES/$key.tar" ] || kept=$GLOVEBOX_BASES/$key.status
fi
if [ -z "$kept" ]; then
	apt-get --yes -qq --download-only install "$essential"
	# A hook of mmdebstrap's for the layout of /usr installs this one, and has an empty one meanwhile.
	if dpkg-query --root="$root" --show usr-is-merged > /dev/null 2>&1; then
		apt-get --yes -qq --download-only install usr-is-merged
	fi
	kept=$(mktemp)
	installed > "$kept"
	# shellcheck disable=SC2086
	if [ -n "${GLOVEBOX_BASES:-}" ]; then
		download "$kept" $GLOVEBOX_BASE_APT
		installed > ../base.status
		kept=$root/../base.status
	fi
fi
# shellcheck disable=SC2086
download "$kept" ${GLOVEBOX_APT:-}
