/*
 * mount_table - what is mounted in this mount namespace, as mountinfo says.
 *
 * Mounts are told by their numbers: an open descriptor knows the number of its mount
 * (statx(2), STATX_MNT_ID), and no rename changes it. Their paths are for messages, and for
 * a first look that somebody who renames can only make too careful.
 *
 * Runs: supervisor, and the process that clones mounts (host/tree.c).
 */
#ifndef GLOVEBOX_HOST_MOUNT_TABLE_H
#define GLOVEBOX_HOST_MOUNT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

struct mount_entry {
	uint64_t id;
	uint64_t parent;
	dev_t device;
	const char *point; /* decoded */
	const char *type;
	bool below; /* see mount_table_mark() */
};

struct mount_table {
	struct mount_entry *items;
	size_t count;
	struct buf text; /* where the strings live */
};

/*
 * mount_table_open - a descriptor to read it from, owned: it stays the table of the mount
 * namespace that we are in now, also when something is mounted over /proc. -1 with *e.
 */
int mount_table_open(struct err *e);

/* Read it, from the beginning. End with mount_table_fini(), also after an error. */
int mount_table_read(int fd, struct mount_table *out, struct err *e);
int mount_table_parse(struct mount_table *t, struct err *e); /* of t->text; for tests */
void mount_table_fini(struct mount_table *t);
#define auto_mount_table __attribute__((cleanup(mount_table_fini)))

/* The number of the mount that a descriptor is on. */
int mount_table_id(int fd, uint64_t *out, struct err *e);

/* NULL: it is not mounted in this namespace (any more). */
const struct mount_entry *mount_table_find(const struct mount_table *t, uint64_t id);

/* Set `below` of the mount itself and of all that hang below it, by numbers. */
void mount_table_mark(struct mount_table *t, uint64_t id);

/* Whether some mount is of this file system. */
bool mount_table_has_device(const struct mount_table *t, dev_t device);

/* The kernel's own file systems, which show the host: proc, sysfs, cgroup and kin. */
bool mount_table_is_kernels(const char *type);

#endif
