#!/bin/sh
# without - put an empty package in the place of each in GLOVEBOX_WITHOUT.
#
# Debian's scipy depends on a C++ compiler (through pythran), matplotlib on Tk:
# 500 MB that no sandbox uses, and a compiler is a gift to whoever looks for a
# way out. apt takes the empty package for the real one. Runs before apt does;
# $1 is the new root.
set -eu
[ -n "${GLOVEBOX_WITHOUT:-}" ] || exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for name in $GLOVEBOX_WITHOUT; do
	mkdir -p "$work/$name/DEBIAN"
	cat > "$work/$name/DEBIAN/control" <<-END
		Package: $name
		Version: 9999~glovebox
		Architecture: all
		Multi-Arch: foreign
		Maintainer: glovebox <root@localhost>
		Description: empty, left out of this glovebox image
	END
	dpkg-deb --build --root-owner-group "$work/$name" "$work/$name.deb" > /dev/null
	dpkg --root="$1" --log=/dev/null --install "$work/$name.deb" > /dev/null
done
