#!/bin/sh
# dockerfile - what is done to the root of a stage between the programs of its RUN. $1: what; $2: where.
#
# WHERE/root is the root, WHERE/before a list of what was in it before a RUN. A layer is an archive of
# what is new or changed, below root/, and of "removed", the names of what is gone; apply reads one.
# Only programs of the host run here, without a network; what a RUN has left is data for them.
set -eu
cd "$2"
export LC_ALL=C

# Each entry with what changes when it does: its inode, the time of its last change, its type.
list() {
	find root -xdev -mindepth 1 -printf '%p/%i/%C@/%y\0' | sort -z
}

# Of such a list: names and types.
kinds() {
	sed -z 's,/[^/]*/[^/]*\(/[^/]\)$,\1,' "$1" | sort -z
}

# A base or a RUN may have left anything in the place of a file of /etc.
is_file() {
	[ ! -L root/etc ] && [ ! -L "root/etc/$1" ] && [ -f "root/etc/$1" ]
}

# The user of a recipe (finish.sh) leaves a file: a Dockerfile makes its own, perhaps of this name or number.
remove() {
	is_file "$1" || return 0
	sed -i /^sandbox:x:1000:/d "root/etc/$1"
}

# A line for number 1000, unless there is one.
add() {
	is_file "$1" || return 0
	cut -d: -f3 "root/etc/$1" | grep -qx 1000 || echo "$2" >> "root/etc/$1"
}

case $1 in
base)
	remove passwd
	remove group
	;;
note)
	list > before
	;;
save)
	list > after
	comm -z -13 before after | sed -z 's,/[^/]*/[^/]*/[^/]$,,' > changed
	kinds before > kinds.before
	kinds after > kinds.after
	comm -z -23 kinds.before kinds.after | sed -z 's,/.$,,' > removed
	mv after before
	exec tar --create --numeric-owner --format=pax --no-recursion --null removed --files-from=changed
	;;
apply)
	tar --extract --file /dev/stdin removed
	xargs -0 -r rm -rf -- < removed
	exec tar --extract --numeric-owner --same-permissions --delay-directory-restore \
		--anchored --exclude=removed --file /dev/stdin
	;;
export)
	# A run without a user is that of a recipe.
	if [ -n "${3:-}" ]; then
		add passwd sandbox:x:1000:1000:sandbox:/home/sandbox:/bin/sh
		add group sandbox:x:1000:
	fi
	find root -xdev -type f -perm /6000 -exec chmod a-s {} +
	exec tar --create --sort=name --numeric-owner --format=pax --one-file-system \
		--exclude=./dev --directory root .
	;;
esac
