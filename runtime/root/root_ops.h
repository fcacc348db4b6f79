/*
 * root_ops - append operations to the plan of a root.
 *
 * root_plan.c and its parts append them; pid 1 performs them (inside/root.c).
 *
 * Runs: monitor, client, supervisor. Needs: read access to the sources.
 */
#ifndef GLOVEBOX_ROOT_ROOT_OPS_H
#define GLOVEBOX_ROOT_ROOT_OPS_H

#include "base/err.h"
#include "inside/plan.h"
#include "namespace/idmap.h"
#include "spec/spec.h"

struct root_plan {
	struct root_op *ops;
	size_t count;
	size_t capacity;
	struct mount_spec
		*mounts; /* the spec's and HOME, their targets resolved by the image's links */
	size_t mount_count;
	const struct sandbox_spec *spec; /* borrowed; its arena owns the strings */
	bool look;                       /* in: only explain it, and change nothing */
	bool is_cell;                    /* in: may share what its nursery has */
	const char *text_place; /* directory in which texts are made before they are bound */
	bool has_hosts;         /* /etc/hosts is our own */
	int *volume_locks;      /* owned, and each: no volume that it mounts is removed */
	size_t volume_count;
};

/* Append an operation; `path` is absolute. The row is valid until the next call. */
struct root_op *root_ops_add(struct root_plan *plan, enum root_op_kind kind, const char *path);

/* Append a directory that is filled while the root is built, and then becomes read-only. */
void root_ops_tmpfs(struct root_plan *plan, const char *path);

/* The mount on exactly this path; NULL: none. */
const struct mount_spec *root_ops_mount(const struct root_plan *plan, const char *path);

/*
 * Whether a mount is a plain directory of the root, because what is written there must last. One
 * that can be none, such as below a directory of the host, is read-only then.
 */
bool root_ops_leaves_out(const struct root_plan *plan, const struct mount_spec *m);

/* Append the directories down to and including `path`; existing ones are left alone. */
void root_ops_dirs(struct root_plan *plan, const char *path);

/*
 * Bind dir_fd/name. As root, clone the tree now.
 * @host_path  the same file as an absolute path, for an unprivileged child.
 */
int root_ops_bind(struct root_plan *plan, const struct idmap *map, int dir_fd, const char *name,
		  const char *host_path, const char *target, uint64_t attributes, struct err *e);

/* Close and free the plan. Safe if zeroed. */
void root_ops_fini(struct root_plan *plan);

#endif
