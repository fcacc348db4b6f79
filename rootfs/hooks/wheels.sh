#!/bin/sh
# wheels - download GLOVEBOX_PIP, and what it needs beside what is installed, as wheels into the root, $1.
#
# "pip wheel" fetches what dpkg has installed, too, and fails where Debian's version has no wheel. So "pip
# install --dry-run" says first what is missing; the versions of Debian's packages are constraints. If it
# fails, it resolves without them, and choose_wheels.py says which stands in the way; not if pip could not
# read the index. The pip of bullseye cannot say what is missing.
#
# The one step with a network in which the new root's own python3 runs: pip parses what the
# network gave it, and with --allow-sdist it runs it; without, only_wheels.py keeps it from starting
# programs. It works as an ordinary user of the build without new privileges; nothing is installed here.
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
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_PROGRESS_BAR=off PIP_BREAK_SYSTEM_PACKAGES=1 PIP_USER=0
if [ -z "${GLOVEBOX_ALLOW_SDIST:-}" ]; then
	export PIP_ONLY_BINARY=:all:
	only_wheels=$(cat /inputs/only_wheels.py)
fi

python() {
	setpriv --no-new-privs chroot --userspec=1000:1000 "$root" python3 "$@"
}

run_pip() {
	if [ -n "${GLOVEBOX_ALLOW_SDIST:-}" ]; then
		python -m pip "$@"
	else
		python -c "$only_wheels" "$@"
	fi
}

# What pip prints is shown, and says the cause if it fails.
pip() {
	rm -f "$log.failed"
	{ run_pip "$@" 2>&1 || echo failed > "$log.failed"; } | tee "$log"
	[ -e "$log.failed" ] || return 0
	# shellcheck disable=SC2086 # a list of requirements, split on purpose
	sh /inputs/cause.sh $GLOVEBOX_PIP < "$log" > "$root/../cause"
	return 1
}

choose() {
	python -I -c "$(cat /inputs/choose_wheels.py)" "$@"
}

# shellcheck disable=SC2086
if run_pip install --help | grep -e '--report' > /dev/null; then
	set -- install --dry-run --report "$home/wheels/plan" -- $GLOVEBOX_PIP
	choose > "$root$home/installed"
	if ! PIP_CONSTRAINT="${PIP_CONSTRAINT:-} $home/installed" pip "$@"; then
		if grep -qE '^pip-(certificate|unreachable)$' "$root/../cause"; then exit 1; fi
		rm "$root/../cause"
		pip "$@"
	fi
	if ! choose "$home/wheels/plan" > "$root$home/chosen"; then
		cp "$root$home/chosen" "$root/../cause"
		exit 1
	fi
	set -- --no-deps --requirement "$home/chosen"
else
	set -- -- $GLOVEBOX_PIP
fi
pip wheel --wheel-dir "$home/wheels" "$@"
