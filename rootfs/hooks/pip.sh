#!/bin/sh
# pip - install GLOVEBOX_PIP into /usr/local of the new root, $1.
#
# pip parses what the network gave it, and with --allow-sdist it runs it: so it
# works as an ordinary user without new privileges, in namespaces of its own,
# inside the root; only the network is shared. Owners do not matter here: the
# finished tree belongs to whoever imports it.
set -euf
[ -n "${GLOVEBOX_PIP:-}" ] || exit 0
root=$1
home=$root/tmp/glovebox-pip
mkdir -p "$home/wheels"

# The host's index, proxy and certificates, as pip's own variables name them.
if [ -d "${PIP_FIND_LINKS:-}" ]; then
	cp -r "$PIP_FIND_LINKS/." "$home/wheels/"
	PIP_FIND_LINKS=/tmp/glovebox-pip/wheels
	export PIP_FIND_LINKS
fi
certificates=${PIP_CERT:-${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}}
unset PIP_CERT SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE
if [ -r "$certificates" ]; then
	cp "$certificates" "$home/certificates.pem"
	PIP_CERT=/tmp/glovebox-pip/certificates.pem
	export PIP_CERT
fi
version=$(chroot "$root" python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
mkdir -p "$root/usr/local/lib/python$version/dist-packages"
chown -R 1000:1000 "$home" "$root/usr/local"

export HOME=/tmp/glovebox-pip PIP_BREAK_SYSTEM_PACKAGES=1 PIP_NO_INPUT=1 PIP_NO_CACHE_DIR=1
export PIP_DISABLE_PIP_VERSION_CHECK=1 TMPDIR=/tmp/glovebox-pip
[ -n "${GLOVEBOX_ALLOW_SDIST:-}" ] || export PIP_ONLY_BINARY=:all:
# shellcheck disable=SC2086 # a list of requirements, split on purpose
setpriv --no-new-privs unshare --pid --ipc --uts --fork --kill-child \
	chroot --userspec=1000:1000 "$root" python3 -m pip install --compile -- $GLOVEBOX_PIP
rm -rf "$home"
