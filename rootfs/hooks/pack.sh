#!/bin/sh
# pack - write the finished root, $1, to standard output as an archive. Nothing of the root runs.
set -eu
exec tar --create --sort=name --numeric-owner --format=pax --one-file-system \
	--exclude=./dev --directory "$1" .
