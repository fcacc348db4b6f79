/*
 * mount_table - read the mounts of this mount namespace from mountinfo.
 *
 * Mounts are identified by number: statx(2) tells the mount of an open descriptor (STATX_MNT_ID),
 * and a rename does not change it. Paths serve messages, and a first check that a racer can only
 * make stricter.
 *
 * Runs: monitor, client, supervisor, and the process that clones mounts (root/tree.c). Needs:
 * /proc.
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
	const char *root;  /* the part of the file system that is mounted; decoded */
	const char *point; /* decoded */
	const char *type;
	bool below; /* see mount_table_mark() */
};

struct mount_table {
	struct mount_entry *items;
	size_t count;
	struct buf text; /* owns the strings */
};

/*
 * mount_table_open - an owned descriptor to read the table from. It keeps reading the table of our
 * present mount namespace, even if something is mounted over /proc. -1 with *e.
 */
int mount_table_open(struct err *e);

/* Read the table, from its beginning. End with mount_table_fini(), even after an error. */
int mount_table_read(int fd, struct mount_table *out, struct err *e);
int mount_table_parse(struct mount_table *t, struct err *e); /* parses t->text; for tests */
void mount_table_fini(struct mount_table *t);
#define auto_mount_table __attribute__((cleanup(mount_table_fini)))

/* The number of the mount that a descriptor is on. */
int mount_table_id(int fd, uint64_t *out, struct err *e);

/* NULL: this namespace does not, or no longer, have the mount. */
const struct mount_entry *mount_table_find(const struct mount_table *t, uint64_t id);

/* Set `below` of this mount and of all mounts below it, by their numbers. */
void mount_table_mark(struct mount_table *t, uint64_t id);

/* Whether any mount is of this file system. */
bool mount_table_has_device(const struct mount_table *t, dev_t device);

/*
 * Whether it is one of the kernel's own file systems, which show the host: proc, sysfs, cgroup and
 * so on.
 */
bool mount_table_is_kernels(const char *type);

#endif
