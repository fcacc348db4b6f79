#!/bin/sh
# save - write the root, $1, to standard output as a base for other builds.
#
# Without the downloads, and without what mmdebstrap wrote for one run.
set -eu
exec tar --create --numeric-owner --format=pax --one-file-system --directory "$1" \
	'--exclude=./dev/*' '--exclude=./proc/*' --exclude=./var/cache/apt --exclude=./var/lib/apt/lists \
	--exclude=./etc/apt/sources.list --exclude=./etc/apt/apt.conf.d/99mmdebstrap \
	--exclude=./etc/dpkg/dpkg.cfg.d/99mmdebstrap .
