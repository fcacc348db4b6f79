/*
 * root_plan - the list of operations that builds a sandbox's root.
 *
 * If every mount point exists in the image, the root is the image, bound read-only. A target that
 * does not exist there (-v x:/opt/new) opens up the deepest directory above it: that becomes a
 * tmpfs with the image's entries bound one by one, and room for the target. When that directory is
 * the top, the whole root is such a tmpfs.
 *
 * As root we also make the bind mounts here, as detached trees, because only we may read every
 * source and map ids; the child just attaches them. Otherwise the child makes them: it knows the
 * path and which inode to expect there, and clones without what is mounted below. tree_clone()
 * clones sources that have mounts below, and all sources of a warm start.
 *
 * Runs: monitor, client, supervisor. Needs: read access to the sources. With -v, a missing source
 * directory is made.
 */
#ifndef GLOVEBOX_HOST_ROOT_PLAN_H
#define GLOVEBOX_HOST_ROOT_PLAN_H

#include "base/buf.h"
#include "base/err.h"
#include "host/idmap.h"
#include "host/image.h"
#include "host/program.h"
#include "inside/plan.h"
#include "spec/spec.h"

/*
 * What /etc/resolv.conf says in a sandbox with a list of hosts. Every address there is local
 * (host/egress.h), so any would do.
 */
#define ROOT_PLAN_RESOLVER "nameserver 198.18.0.1\n"

struct root_plan {
	struct root_op *ops;
	size_t count;
	size_t capacity;
	struct mount_spec
		*mounts; /* the spec's and HOME, their targets as the image's links lead */
	size_t mount_count;
	const struct sandbox_spec *spec; /* borrowed; the strings live in its arena */
	bool look;                       /* in: it will only be explained, and changes nothing */
	bool has_hosts;                  /* /etc/hosts is ours */
};

/*
 * root_plan_build
 *
 * @s        finished; outlives the plan.
 * @map      may be changed: where a file system has no id-mapped mounts, the
 *           sandbox takes on the ids of the directory that it writes to.
 * @code     content for /code/script.py, or NULL.
 * @out      owns descriptors; end with root_plan_fini() (the child has its own copies).
 *
 * Errors: ERR_INPUT naming the mount; nothing is left mounted.
 */
int root_plan_build(const struct sandbox_spec *s, const struct image *image,
		    const struct program *program, const struct buf *code, struct idmap *map,
		    struct root_plan *out, struct err *e);
void root_plan_fini(struct root_plan *plan);

/* --- between root_plan.c, root_image.c and root_mounts.c ---------------- */

/* Append an operation; `path` is absolute. The row is valid until the next call. */
struct root_op *root_plan_add(struct root_plan *plan, enum root_op_kind kind, const char *path);

/* Add a directory that is filled while the root is built, and read-only afterwards. */
void root_plan_tmpfs(struct root_plan *plan, const char *path);

/* Whether something is mounted on exactly this path. */
bool root_plan_has_mount(const struct root_plan *plan, const char *path);

/* Add the directories down to and including `path`; existing ones are left alone. */
void root_plan_dirs(struct root_plan *plan, const char *path);

/*
 * Bind what is at dir_fd/name. As root, the tree is cloned now.
 * @host_path  the same place as an absolute path, for an unprivileged child.
 */
int root_plan_bind(struct root_plan *plan, const struct idmap *map, int dir_fd, const char *name,
		   const char *host_path, const char *target, uint64_t attributes, struct err *e);

/*
 * Add the image's part of the skeleton.
 * @targets  `count` absolute paths that will be mounted on or made.
 */
int root_plan_image(struct root_plan *plan, const struct image *image, const struct idmap *map,
		    const char *const *targets, size_t count, struct err *e);

/*
 * Resolve a path inside by the image's own links ("/var/run/x" is "/run/x"), as the program would
 * see it. What does not exist yet is kept as it is.
 */
char *root_plan_resolve(const struct sandbox_spec *s, const struct image *image, const char *path);

/* The image "host": the machine's /usr and a synthesized /etc without secrets. */
int root_plan_host(struct root_plan *plan, const struct program *program, const struct idmap *map,
		   const char *const *targets, size_t count, struct err *e);

/* One mount. */
int root_plan_mount(struct root_plan *plan, const struct mount_spec *m, struct idmap *map,
		    struct err *e);

#endif
