/*
 * root_plan - plan the operations that build a sandbox's root.
 */
#include "root/root_plan.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own.h"
#include "host/device.h"
#include "host/omit.h"
#include "root/root_ca.h"
#include "root/root_hosts.h"
#include "root/root_limits.h"
#include "root/root_overlay.h"
#include "spec/mount_flags.h"

#define HOME_BYTES  (64ull << 20)
#define CODE_TARGET "/code/script.py"

static void root_plan_add_link(struct root_plan *plan, const char *path, const char *target)
{
	root_ops_add(plan, ROOT_LINK, path)->source = target;
}

static int root_plan_add_device(struct root_plan *plan, const struct idmap *map,
				const struct device *device, struct err *e)
{
	const char *path = device->path;

	root_ops_add(plan, ROOT_FILE, path)->mode = 0666;
	/*
	 * Devices are the only mounts without nodev. Read-only keeps the host's inode as it is (its
	 * mode and times), and a device is written to all the same (fs/namespace.c,
	 * special_file()).
	 */
	if (device_check(device, e) ||
	    root_ops_bind(plan, map, AT_FDCWD, path, path, path,
			  MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC | MOUNT_ATTR_RDONLY, e))
		return -1;
	plan->ops[plan->count - 1].in_image = true;
	return 0;
}

/*
 * A new devpts instance has no terminals of other processes. With -t the first one is the program's
 * own.
 */
static void root_plan_add_terminals(struct root_plan *plan)
{
	struct root_op *op;

	op = root_ops_add(plan, ROOT_DEVPTS, "/dev/pts");
	op->source = "newinstance,ptmxmode=0666,mode=620,max=64";
	op->attributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC;
}

/*
 * A cell shares its nursery's /dev, but for the terminals, which are covered, and /dev/shm, on
 * which every plan has a mount. It is read-only, so texts are made in a tmpfs of ours, after the
 * network's.
 */
static bool root_plan_share_dev(struct root_plan *plan)
{
	if (!plan->is_cell || !root_plan_tmp_is_ours(plan) || plan->has_hosts ||
	    plan->spec->egress.has_list || host_omits("few-devices"))
		return false;
	plan->text_place = "tmp/.text";
	root_ops_add(plan, ROOT_DIR, "/dev");
	root_ops_add(plan, ROOT_OWN, "/dev")->source = "/dev";
	root_plan_add_terminals(plan);
	return true;
}

static int root_plan_add_dev(struct root_plan *plan, const struct idmap *map, struct err *e)
{
	plan->text_place = "dev/.text";
	if (root_plan_share_dev(plan))
		return 0;
	root_ops_tmpfs(plan, "/dev");
	for (size_t i = 0; devices[i].path; i++) {
		if (root_plan_add_device(plan, map, &devices[i], e))
			return -1;
	}
	if (host_omits("few-devices"))
		root_ops_add(plan, ROOT_FILE, "/dev/other");
	root_plan_add_link(plan, "/dev/fd", "/proc/self/fd");
	root_plan_add_link(plan, "/dev/stdin", "/proc/self/fd/0");
	root_plan_add_link(plan, "/dev/stdout", "/proc/self/fd/1");
	root_plan_add_link(plan, "/dev/stderr", "/proc/self/fd/2");
	root_ops_add(plan, ROOT_DIR, "/dev/pts");
	root_plan_add_link(plan, "/dev/ptmx", "pts/ptmx");
	root_plan_add_terminals(plan);
	return 0;
}

/* Landlock closes /proc to writing, unless the root can be written to (root/root_overlay.c). */
static uint64_t root_plan_proc(const struct root_plan *plan)
{
	return MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC |
	       (plan->spec->writable ? MOUNT_ATTR_RDONLY : 0);
}

static int root_plan_add_base(struct root_plan *plan, const struct idmap *map, struct err *e)
{
	root_limits_add_sys(plan);
	if (host_omits("few-sys"))
		root_ops_add(plan, ROOT_FILE, "/sys/other");
	root_ops_add(plan, ROOT_DIR, "/proc");
	root_ops_add(plan, ROOT_PROC, "/proc")->attributes = root_plan_proc(plan);
	return root_plan_add_dev(plan, map, e);
}

static void root_plan_add_text(struct root_plan *plan, const char *path, const char *text)
{
	char *parent = spec_strndup(plan->spec, path, (size_t)(strrchr(path, '/') - path));
	struct root_op *op;

	/* A mount of the spec replaces our file: a mount cannot cover a file without a name. */
	if (root_ops_mount(plan, path))
		return;
	if (*parent)
		root_ops_dirs(plan, parent);
	root_ops_add(plan, ROOT_FILE, path); /* a mount point */
	op = root_ops_add(plan, ROOT_TEXT, path);
	op->source = plan->text_place;
	op->bytes = text;
	op->length = strlen(text);
	op->attributes = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
}

static void root_plan_add_network(struct root_plan *plan, const struct image *image)
{
	const struct sandbox_spec *s = plan->spec;

	if (s->egress.has_list && !image->is_host)
		root_plan_add_text(plan, root_plan_resolve(s, image, "/etc/resolv.conf"),
				   ROOT_PLAN_RESOLVER);
	if (plan->has_hosts)
		root_plan_add_text(plan, root_plan_resolve(s, image, "/etc/hosts"),
				   root_hosts_text(s));
}

/* Add a mount of ours; a mount of the user's at the same path wins. */
static void root_plan_take_own(struct root_plan *plan, const struct mount_spec *own)
{
	if (!root_ops_mount(plan, own->target))
		plan->mounts[plan->mount_count++] = *own;
}

/* Add the spec's mounts, HOME, which is a tmpfs like /tmp, and the file of --ca. */
static int root_plan_take_mounts(struct root_plan *plan, const struct image *image,
				 const struct program *program, struct err *e)
{
	const struct sandbox_spec *s = plan->spec;
	const struct mount_spec home = {.kind = MOUNT_TMPFS,
					.target = spec_strdup(s, program->home),
					.source_fd = -1,
					.size_bytes = HOME_BYTES,
					.inodes = 16384,
					.mode = 0755,
					.uid = -1,
					.gid = -1};
	struct mount_spec more;

	plan->mounts = own_zeroed(s->mount_count + 3, sizeof(*plan->mounts));
	plan->mount_count = s->mount_count;
	memcpy(plan->mounts, s->mounts, s->mount_count * sizeof(*s->mounts));
	root_plan_take_own(plan, &home);
	if (root_plan_new_workdir(plan, image, program, &more))
		root_plan_take_own(plan, &more);
	if (!s->ca)
		return 0;
	if (root_ca(s, image, &more, e))
		return -1;
	root_plan_take_own(plan, &more);
	return 0;
}

static void root_plan_add_seeds(struct root_plan *plan, const struct image *image,
				const struct program *program)
{
	for (size_t i = 0; i < image->config.seed_count; i++) {
		const struct image_seed *seed = &image->config.seeds[i];
		char *path = spec_printf(plan->spec, "%s/%s", program->home, seed->path);
		char *dir = spec_strndup(plan->spec, path, (size_t)(strrchr(path, '/') - path));

		root_ops_dirs(plan, dir);
		root_plan_add_link(plan, path, seed->target);
	}
}

static void root_plan_add_code(struct root_plan *plan, const struct buf *code)
{
	struct root_op *op;

	root_ops_dirs(plan, "/code");
	op = root_ops_add(plan, ROOT_FILE, CODE_TARGET);
	op->mode = 0444;
	op->bytes = code->data;
	op->length = code->length;
}

/* Make opened directories read-only once everything is in place. */
static void root_plan_add_seals(struct root_plan *plan)
{
	for (size_t i = 0, count = plan->count; i < count; i++) {
		if (plan->ops[i].seal)
			root_ops_add(plan, ROOT_SEAL, plan->ops[i].path - 1);
	}
}

/* All paths that must exist even if the image lacks them. */
static const char **root_plan_collect_targets(const struct root_plan *plan,
					      const struct image *image, const char *workdir,
					      const struct buf *code, size_t *count)
{
	const char **targets = own_zeroed(plan->mount_count + 7, sizeof(*targets));

	*count = 0;
	for (size_t i = 0; i < plan->mount_count; i++)
		targets[(*count)++] = plan->mounts[i].target;
	/* Not covered by a mount: the program sees the image's directory. */
	if (image->is_host || !root_image_has(image, workdir))
		targets[(*count)++] = workdir;
	targets[(*count)++] = "/proc";
	targets[(*count)++] = "/sys";
	targets[(*count)++] = "/dev";
	if (code)
		targets[(*count)++] = CODE_TARGET;
	if (plan->spec->egress.has_list && !image->is_host)
		targets[(*count)++] = root_plan_resolve(plan->spec, image, "/etc/resolv.conf");
	if (plan->has_hosts)
		targets[(*count)++] = root_plan_resolve(plan->spec, image, "/etc/hosts");
	return targets;
}

/*
 * A link of the image must not lead a mount to a forbidden place. Sort parents before children:
 * mounted later, a parent would cover them.
 */
static int root_plan_resolve_targets(struct root_plan *plan, const struct image *image,
				     struct err *e)
{
	for (size_t i = 0; i < plan->mount_count; i++) {
		char **target = &plan->mounts[i].target;
		char *resolved = root_plan_resolve(plan->spec, image, *target);

		if (mount_target(plan->spec, resolved, target, e))
			return err_prefix(e, "%s in the image", *target);
	}
	spec_sort_mounts(plan->mounts, plan->mount_count);
	return 0;
}

static int root_plan_fill(const struct image *image, const struct program *program,
			  const struct buf *code, struct idmap *map, struct root_plan *out,
			  struct err *e)
{
	const char *workdir = root_plan_resolve(out->spec, image, program->workdir);
	auto_free const char **targets = NULL;
	size_t count;

	out->has_hosts = root_hosts_are_needed(out->spec, image);
	if (root_plan_take_mounts(out, image, program, e))
		return -1;
	if (root_plan_resolve_targets(out, image, e))
		return -1;
	targets = root_plan_collect_targets(out, image, workdir, code, &count);
	if (out->spec->writable ? root_overlay(out, image, map, e)
	    : image->is_host    ? root_plan_host(out, program, map, targets, count, e)
				: root_plan_image(out, image, map, targets, count, e))
		return -1;
	if (root_plan_add_base(out, map, e))
		return -1;
	root_plan_add_network(out, image);
	for (size_t i = 0; i < out->mount_count; i++) {
		if (root_plan_mount(out, &out->mounts[i], map, e))
			return -1;
		if (!out->spec->shows && !strcmp(out->mounts[i].target, program->home))
			root_plan_add_seeds(out, image, program);
	}
	root_limits_add_proc(out);
	root_ops_add(out, ROOT_PROC_CLOSE, "/proc")->attributes = root_plan_proc(out);
	if (strcmp(workdir, "/"))
		root_ops_dirs(out, workdir);
	root_plan_add_tmp_names(out, image, workdir);
	if (code)
		root_plan_add_code(out, code);
	root_plan_add_seals(out);
	return 0;
}

int root_plan_build(const struct sandbox_spec *s, const struct image *image,
		    const struct program *program, const struct buf *code, struct idmap *map,
		    struct root_plan *out, struct err *e)
{
	const struct root_plan asked = *out;

	for (;;) {
		bool owner_taken = map->owner_taken;

		*out = (struct root_plan){.spec = s, .look = asked.look, .is_cell = asked.is_cell};
		if (root_plan_fill(image, program, code, map, out, e)) {
			root_ops_fini(out);
			return -1;
		}
		/*
		 * The ids have changed, so the mounts made before are mapped to the wrong ones:
		 * plan again.
		 */
		if (owner_taken == map->owner_taken)
			return 0;
		root_ops_fini(out);
	}
}
