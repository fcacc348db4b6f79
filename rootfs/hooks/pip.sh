#!/bin/sh
# pip - install GLOVEBOX_PIP from the wheels that wheels.sh left, into /usr/local of the root, $1.
#
# Without a network: what a wheel brings along (a .pth file runs whenever python3 starts) runs from
# here on. As an ordinary user of the build, without new privileges; owners do not matter here,
# the finished tree belongs to whoever imports it.
set -euf
root=$1
home=/tmp/glovebox-pip

version=$(chroot "$root" python3 -I -S -c 'import sys; print("%d.%d" % sys.version_info[:2])')
mkdir -p "$root/usr/local/lib/python$version/dist-packages"
chown -R 1000:1000 "$root/usr/local" "$root$home/wheels"

export HOME=$home/wheels TMPDIR=$home/wheels PIP_NO_INPUT=1 PIP_NO_CACHE_DIR=1
export PIP_BREAK_SYSTEM_PACKAGES=1 PIP_DISABLE_PIP_VERSION_CHECK=1
# Or the pip of bullseye takes the home of who is not root, which goes (a patch of Debian's).
export PIP_USER=0 PIP_SYSTEM=1
# shellcheck disable=SC2086 # a list of requirements, split on purpose
setpriv --no-new-privs chroot --userspec=1000:1000 "$root" python3 -m pip install --compile \
	--no-index --find-links "$home/wheels" -- $GLOVEBOX_PIP
rm -rf "${root:?}$home"
