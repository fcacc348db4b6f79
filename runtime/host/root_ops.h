/*
 * root_ops - the operations of which the plan of a root is made.
 *
 * Appended by whoever decides (root_plan.c and what it asks), performed by pid 1 (inside/root.c).
 *
 * Runs: monitor, client, supervisor. Needs: read access to the sources.
 */
#ifndef GLOVEBOX_HOST_ROOT_OPS_H
#define GLOVEBOX_HOST_ROOT_OPS_H

#include "base/err.h"
#include "host/idmap.h"
#include "inside/plan.h"
#include "spec/spec.h"

struct root_plan {
	struct root_op *ops;
	size_t count;
	size_t capacity;
	struct mount_spec
		*mounts; /* the spec's and HOME, their targets as the image's links lead */
	size_t mount_count;
	const struct sandbox_spec *spec; /* borrowed; the strings live in its arena */
	bool look;                       /* in: it will only be explained, and changes nothing */
	bool is_cell;                    /* in: it may have what its nursery has */
	const char *text_place;          /* where texts are made, before they are bound */
	bool has_hosts;                  /* /etc/hosts is ours */
};

/* Append an operation; `path` is absolute. The row is valid until the next call. */
struct root_op *root_ops_add(struct root_plan *plan, enum root_op_kind kind, const char *path);

/* Add a directory that is filled while the root is built, and read-only afterwards. */
void root_ops_tmpfs(struct root_plan *plan, const char *path);

/* The mount on exactly this path; NULL: nothing is mounted there. */
const struct mount_spec *root_ops_mount(const struct root_plan *plan, const char *path);

/* Add the directories down to and including `path`; existing ones are left alone. */
void root_ops_dirs(struct root_plan *plan, const char *path);

/*
 * Bind what is at dir_fd/name. As root, the tree is cloned now.
 * @host_path  the same place as an absolute path, for an unprivileged child.
 */
int root_ops_bind(struct root_plan *plan, const struct idmap *map, int dir_fd, const char *name,
		  const char *host_path, const char *target, uint64_t attributes, struct err *e);

/* Close and free all of it. Safe if zeroed. */
void root_ops_fini(struct root_plan *plan);

#endif
