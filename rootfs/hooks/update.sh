#!/bin/sh
# update - fetch the indices of the mirrors. $1 is the new root.
#
# The first thing that needs the network: if it fails, the cause is left beside the root, in a word.
# A package that does not exist is found here, before anything large is fetched.
set -euf
cd "$1"
export APT_CONFIG="$MMDEBSTRAP_APT_CONFIG"
log=$(mktemp)

fail() {
	sh "$(dirname "$0")/cause.sh" < "$log" > "$1/../cause"
	exit 100
}

{ apt-get update --error-on=any 2>&1 || echo failed > "$log.failed"; } | tee "$log"
[ ! -e "$log.failed" ] || fail "$1"
# Only names are judged: what depends on what is seen when it is fetched.
# shellcheck disable=SC2086 # a list of packages, split on purpose
if ! apt-get -qq --simulate install ${GLOVEBOX_APT:-} > "$log" 2>&1 &&
	grep -E 'Unable to locate|no installation candidate|Version .* was not found' "$log"; then
	fail "$1"
fi
