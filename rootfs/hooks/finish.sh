#!/bin/sh
# finish - make a Debian root into an image: wheels, a user, a name, no traces. $1 is the root.
#
# The last step in which programs of the root run, without a network. What it leaves is the image.
set -eu
root=$1
hooks=/inputs

mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
if [ -n "${GLOVEBOX_PIP:-}" ]; then
	sh "$hooks/pip.sh" "$root"
fi
# Wheels of strangers are imported: as an ordinary user, like pip.
setpriv --no-new-privs chroot --userspec=1000:1000 "$root" python3 -I - < "$hooks/check_modules.py" > "$root/../cause"

echo 'sandbox:x:1000:' >> "$root/etc/group"
echo 'sandbox:x:1000:1000:sandbox:/home/sandbox:/bin/sh' >> "$root/etc/passwd"
# Where mounts usually go: what exists need not be made for each run.
mkdir -p "$root/home/sandbox" "$root/code" "$root/data" "$root/output" "$root/workspace"
[ -e "$root/usr/bin/python" ] || ln -s python3 "$root/usr/bin/python"

cp "$hooks/warm_caches.py" "$root/tmp/warm_caches.py"
chroot "$root" python3 /tmp/warm_caches.py

# plt.show() and its like save what they show, because a sandbox has no screen.
shows='import importlib.util, sys; sys.exit(not any(map(importlib.util.find_spec, ("matplotlib", "PIL", "plotly"))))'
if chroot "$root" python3 -I -c "$shows"; then
	packages=/usr/lib/python3/dist-packages
	cp "$hooks/glovebox_show.py" "$root$packages/"
	echo 'import glovebox_show' > "$root$packages/glovebox_show.pth"
	chroot "$root" python3 -m py_compile "$packages/glovebox_show.py"
fi

sh /inputs/packages.sh "$root"

rm -f "$root/etc/resolv.conf" "$root/etc/hostname" "$root/etc/hosts" "$root/etc/machine-id"
printf '127.0.0.1\tlocalhost sandbox\n::1\tlocalhost ip6-localhost\n' > "$root/etc/hosts"
echo sandbox > "$root/etc/hostname"
: > "$root/etc/resolv.conf"
: > "$root/etc/machine-id"

# What only serves to install: lists, caches, logs, and this host's mirrors and proxies.
rm -rf "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/* "$root"/var/cache/debconf/*-old \
	"$root"/var/cache/ldconfig/* "$root"/var/log/* "$root"/var/lib/dpkg/*-old \
	"$root"/root/.cache "$root"/etc/apt/sources.list "$root"/etc/apt/sources.list.d \
	"$root"/etc/apt/apt.conf.d/99mmdebstrap "$root"/etc/dpkg/dpkg.cfg.d/99mmdebstrap
rm -f "$root/tmp/warm_caches.py"
find "$root" -xdev -type f -perm /6000 -exec chmod a-s {} +
