#!/bin/sh
# fetch - download every package, and run nothing of any. $1 is the new root.
#
# The indices are there (update.sh). It resolves as the installation without a network will: first
# the essential packages, then GLOVEBOX_APT beside them, as if they were installed.
set -euf
root=$1
export APT_CONFIG="$MMDEBSTRAP_APT_CONFIG"
status=$root/var/lib/dpkg/status
archives=$root/var/cache/apt/archives

# What dpkg's status will say: the packages made by hand so far, and those of all archives.
installed() {
	cat "$status"
	for deb in $(find "$archives" -name '*.deb'); do
		dpkg-deb --field "$deb"
		printf 'Status: install ok installed\n\n'
	done
}

cd "$root"
architecture=$(dpkg --print-architecture)
essential="?narrow(?or(?archive(^$GLOVEBOX_SUITE\$),?codename(^$GLOVEBOX_SUITE\$)),?architecture($architecture),?essential)"
apt-get --yes -qq --download-only install "$essential"

# A hook of mmdebstrap's for the layout of /usr installs this one, and has an empty one meanwhile.
if dpkg-query --root="$root" --show usr-is-merged > /dev/null 2>&1; then
	apt-get --yes -qq --download-only install usr-is-merged
fi
[ -n "${GLOVEBOX_APT:-}" ] || exit 0
after=$(mktemp)
installed > "$after"
# shellcheck disable=SC2086 # a list of packages, split on purpose
apt-get --yes -qq --download-only -o "Dir::State::status=$after" install $GLOVEBOX_APT
