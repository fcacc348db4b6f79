/*
 * subids - choose the host ids that stand for 0 to 65535 while packages are installed.
 *
 * It is this user's range of /etc/subuid and /etc/subgid; for root without one, 0x6fff0000 to
 * 0x6fffffff: the end of the range that systemd's table of uid ranges leaves to containers, below
 * the ids of sandboxes (namespace/idmap.h, 0x70000000 and up) and those of cells
 * (namespace/idblock.h, 0x80000000 and up). Permanent files never have these ids. Two builds may
 * have the same range: they share neither process ids nor mounts nor other named objects.
 */
#ifndef GLOVEBOX_ROOTFS_CHAMBER_SUBIDS_H
#define GLOVEBOX_ROOTFS_CHAMBER_SUBIDS_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct subids {
	uint32_t uid_first;
	uint32_t gid_first;
};

/* ERR_UNSUPPORTED names the missing requirement and the administrator's remedy. */
int subids_choose(struct subids *out, struct err *e);

/* Map them into the user namespace of a waiting child: root directly, others by newuidmap. */
int subids_map(const struct subids *ids, pid_t pid, struct err *e);

#endif
