#!/bin/sh
# packages - have pip and venv say how packages are had in a sandbox. $1 is the root of an image.
#
# Debian's own words name apt, sudo and pipx, of which no image has one.
set -eu
for stdlib in "$1"/usr/lib/python3.*; do
	mark=$stdlib/EXTERNALLY-MANAGED
	if [ -f "$mark" ]; then
		cat > "$mark" <<-END
			[externally-managed]
			Error=The image is read-only and shared, so packages are had in one of these ways:
			 in an image:             glovebox image build python --pip NAME
			 until the sandbox ends:  --egress pypi --writable, then pip install NAME
			 in a directory:          --egress pypi, then pip install --target DIR NAME
			 (docs/packages.md of glovebox)
		END
	fi
	if [ -d "$stdlib/venv" ] && [ ! -d "$stdlib/ensurepip" ]; then
		cat > "$stdlib/venv/__main__.py" <<-END
			import sys

			if "--without-pip" not in sys.argv:
			    sys.exit("venv: this image has no pip: --without-pip, or an image that is built with python3-venv (python has it)")
			from venv import main

			main()
		END
	fi
done
