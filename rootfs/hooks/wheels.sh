#!/bin/sh
# wheels - download GLOVEBOX_PIP with what it needs, as wheels, into the root, $1.
#
# The one step with a network in which the new root's own python3 runs: pip parses what the
# network gave it, and with --allow-sdist it runs it. So it works as an ordinary user of the
# build without new privileges; nothing is installed here.
set -euf
root=$1
home=/tmp/glovebox-pip
log=$(mktemp)
mkdir -p "$root$home/wheels" "$root$home/links"

# The host's index, proxy and certificates, as pip's own variables name them.
if [ -d /inputs/wheels ]; then
	mount --bind /inputs/wheels "$root$home/links"
	export PIP_FIND_LINKS=$home/links
fi
certificates=/inputs/certificates.pem
[ -r "$certificates" ] || certificates=/etc/ssl/certs/ca-certificates.crt
if [ -r "$certificates" ]; then
	cp "$certificates" "$root$home/certificates.pem"
	export PIP_CERT=$home/certificates.pem
fi
if [ -d /inputs/constraints ]; then # PIP_CONSTRAINT names the copies
	cp -R /inputs/constraints "$root$home/constraints"
	chmod -R a+rX "$root$home/constraints"
fi
cp -L /etc/resolv.conf "$root$home/resolv.conf" 2> /dev/null || : > "$root$home/resolv.conf"
chown -R 1000:1000 "$root$home/wheels"
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
[ -e "$root/etc/resolv.conf" ] && mount --bind "$root$home/resolv.conf" "$root/etc/resolv.conf"

export HOME=$home/wheels TMPDIR=$home/wheels PIP_NO_INPUT=1 PIP_NO_CACHE_DIR=1
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_PROGRESS_BAR=off
[ -n "${GLOVEBOX_ALLOW_SDIST:-}" ] || export PIP_ONLY_BINARY=:all:
# shellcheck disable=SC2086 # a list of requirements, split on purpose
{ setpriv --no-new-privs chroot --userspec=1000:1000 "$root" \
	python3 -m pip wheel --wheel-dir "$home/wheels" -- $GLOVEBOX_PIP 2>&1 ||
	echo failed > "$log.failed"; } | tee "$log"
[ -e "$log.failed" ] || exit 0
# shellcheck disable=SC2086
sh /inputs/cause.sh $GLOVEBOX_PIP < "$log" > "$root/../cause"
exit 1
