#!/bin/sh
# update - fetch the indices of the mirrors. $1 is the new root.
#
# The first thing that needs the network: if it fails, the cause is left beside the root, in a word.
set -eu
cd "$1"
export APT_CONFIG="$MMDEBSTRAP_APT_CONFIG"
log=$(mktemp)
{ apt-get update --error-on=any 2>&1 || echo failed > "$log.failed"; } | tee "$log"
[ -e "$log.failed" ] || exit 0
sh "$(dirname "$0")/cause.sh" < "$log" > "$1/../cause"
exit 100
