/*
 * root_plan - plan the operations that build a sandbox's root.
 *
 * If every mount point exists in the image, the root is the image, bound read-only. A target that
 * does not exist there (-v x:/opt/new) opens up the deepest directory above it: that becomes a
 * tmpfs with the image's entries bound one by one, and room for the target. When that directory is
 * the top, the whole root is such a tmpfs.
 *
 * As root we also make the bind mounts here, as detached trees, because only we may read every
 * source and map ids; the child just attaches them. Otherwise the child makes them: it knows the
 * path and the inode to expect there, and clones without the mounts below. tree_clone() clones
 * sources that have mounts below, and all sources of a warm start.
 *
 * Runs: monitor, client, supervisor. Needs: read access to the sources. With -v, a missing source
 * directory is made.
 */
#ifndef GLOVEBOX_ROOT_ROOT_PLAN_H
#define GLOVEBOX_ROOT_ROOT_PLAN_H

#include "base/buf.h"
#include "image/image.h"
#include "root/program.h"
#include "root/root_ops.h"

/*
 * Our /etc/resolv.conf in a sandbox with a list of hosts. Every address there is local
 * (sandbox/egress.h), so any would do.
 */
#define ROOT_PLAN_RESOLVER "nameserver 198.18.0.1\n"

/*
 * root_plan_build
 *
 * @s        finished; outlives the plan.
 * @map      may change: on a file system without id-mapped mounts the sandbox takes the ids of the
 *           directory that it writes to.
 * @code     content for /code/script.py, or NULL.
 * @out      owns descriptors; end with root_ops_fini() (the child has its own copies).
 *
 * Errors: ERR_INPUT naming the mount; nothing is left mounted.
 */
int root_plan_build(const struct sandbox_spec *s, const struct image *image,
		    const struct program *program, const struct buf *code, struct idmap *map,
		    struct root_plan *out, struct err *e);

/* --- between root_plan.c, root_image.c and root_mounts.c ---------------- */

/*
 * Append the image's part of the root.
 * @targets  `count` absolute paths that will be mounted on or made.
 */
int root_plan_image(struct root_plan *plan, const struct image *image, const struct idmap *map,
		    const char *const *targets, size_t count, struct err *e);

/* Whether the image, unless it is the host, has this path, and not as a link. */
bool root_image_has(const struct image *image, const char *path);

/*
 * Resolve a path by the image's own links ("/var/run/x" is "/run/x"), as the program would see it.
 * Missing components stay as they are.
 */
char *root_plan_resolve(const struct sandbox_spec *s, const struct image *image, const char *path);

/* Append the image "host": the machine's /usr and a synthesized /etc without secrets. */
int root_plan_host(struct root_plan *plan, const struct program *program, const struct idmap *map,
		   const char *const *targets, size_t count, struct err *e);

/* Whether the image "host" shows this path of the host, or makes it. */
bool root_host_has(const char *path);

/* Append which files of the host it shows in /etc: device and inode of each. */
void root_host_files(struct buf *out);

/*
 * Whether "tmp" of the new root will be our writable tmpfs: no link of the image leads there, and
 * no other mount covers it.
 */
bool root_plan_tmp_is_ours(const struct root_plan *plan);

/*
 * Give /tmp the other names under which programs write to it, if the root has them and neither a
 * mount nor the working directory is there or below, which the name would hide.
 */
void root_plan_add_tmp_names(struct root_plan *plan, const struct image *image,
			     const char *workdir);

/*
 * Make a directory that only `-w` names a tmpfs, so that the program can write to it. false: the
 * image or a mount provides it.
 */
bool root_plan_new_workdir(const struct root_plan *plan, const struct image *image,
			   const struct program *program, struct mount_spec *out);

/* Append one mount. */
int root_plan_mount(struct root_plan *plan, const struct mount_spec *m, struct idmap *map,
		    struct err *e);

#endif
