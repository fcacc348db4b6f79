/*
 * root_plan - the list of operations that builds a sandbox's root.
 */
#include "host/root_plan.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own.h"
#include "spec/mount_flags.h"

#define HOME_BYTES  (64ull << 20)
#define CODE_TARGET "/code/script.py"

struct root_op *root_plan_add(struct root_plan *plan, enum root_op_kind kind, const char *path)
{
	struct root_op *op;

	if (plan->count == plan->capacity) {
		plan->capacity = plan->capacity ? plan->capacity * 2 : 64;
		plan->ops = realloc(plan->ops, plan->capacity * sizeof(*plan->ops));
		if (!plan->ops)
			abort();
	}
	op = &plan->ops[plan->count++];
	/* The slash stays in front of `path`: landlock opens by it, the rest is relative. */
	*op = (struct root_op){.kind = kind,
			       .path = spec_strdup(plan->arena, path) + 1,
			       .tree_fd = -1,
			       .mode = 0755};
	return op;
}

void root_plan_tmpfs(struct root_plan *plan, const char *path)
{
	struct root_op *op;

	root_plan_add(plan, ROOT_DIR, path);
	op = root_plan_add(plan, ROOT_TMPFS, path);
	op->source = "mode=755,size=128m,nr_inodes=8k";
	op->attributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
	op->seal = true;
}

void root_plan_dirs(struct root_plan *plan, const char *path)
{
	char *partial = spec_strdup(plan->arena, path);

	for (char *p = partial + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		root_plan_add(plan, ROOT_DIR, partial);
		*p = '/';
	}
	root_plan_add(plan, ROOT_DIR, path);
}

int root_plan_bind(struct root_plan *plan, const struct idmap *map, int dir_fd, const char *name,
		   const char *host_path, const char *target, uint64_t attributes, struct err *e)
{
	unsigned flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | AT_SYMLINK_NOFOLLOW |
			 AT_NO_AUTOMOUNT | (*name ? 0 : AT_EMPTY_PATH);
	struct root_op *op;
	struct stat st;

	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW | (*name ? 0 : AT_EMPTY_PATH)))
		return err_sys(e, "stat %.200s", host_path);
	op = root_plan_add(plan, ROOT_BIND, target);
	op->source = spec_strdup(plan->arena, host_path);
	op->attributes = attributes;
	op->device = st.st_dev;
	op->inode = st.st_ino;
	if (!map->privileged)
		return 0;
	op->tree_fd = (int)syscall(SYS_open_tree, dir_fd, name, flags);
	if (op->tree_fd < 0)
		return err_sys(e, "clone the mount of %.200s", host_path);
	return 0;
}

static void add_link(struct root_plan *plan, const char *path, const char *target)
{
	root_plan_add(plan, ROOT_LINK, path)->source = target;
}

static int add_device(struct root_plan *plan, const struct idmap *map, const char *path,
		      struct err *e)
{
	root_plan_add(plan, ROOT_FILE, path)->mode = 0666;
	/* The only mounts without nodev: harmless character devices, by name. */
	if (root_plan_bind(plan, map, AT_FDCWD, path, path, path,
			   MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, e))
		return -1;
	plan->ops[plan->count - 1].in_image = true;
	return 0;
}

static int add_dev(struct root_plan *plan, const struct sandbox_spec *s, const struct idmap *map,
		   struct err *e)
{
	static const char *const devices[] = {"/dev/null",   "/dev/zero",    "/dev/full",
					      "/dev/random", "/dev/urandom", "/dev/tty"};
	struct root_op *op;

	root_plan_tmpfs(plan, "/dev");
	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
		if (add_device(plan, map, devices[i], e))
			return -1;
	}
	add_link(plan, "/dev/fd", "/proc/self/fd");
	add_link(plan, "/dev/stdin", "/proc/self/fd/0");
	add_link(plan, "/dev/stdout", "/proc/self/fd/1");
	add_link(plan, "/dev/stderr", "/proc/self/fd/2");
	if (!s->tty)
		return 0;
	root_plan_add(plan, ROOT_DIR, "/dev/pts");
	op = root_plan_add(plan, ROOT_DEVPTS, "/dev/pts");
	op->source = "newinstance,ptmxmode=0666,mode=620,max=64";
	op->attributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC;
	add_link(plan, "/dev/ptmx", "pts/ptmx");
	return 0;
}

static int add_base(struct root_plan *plan, const struct sandbox_spec *s, const struct idmap *map,
		    struct err *e)
{
	struct root_op *op;

	root_plan_add(plan, ROOT_DIR, "/sys");
	root_plan_add(plan, ROOT_DIR, "/proc");
	op = root_plan_add(plan, ROOT_PROC, "/proc");
	op->attributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC;
	return add_dev(plan, s, map, e);
}

/* HOME is a tmpfs like /tmp; the image's seeds (a font cache) are linked into it. */
static void add_home_mount(struct sandbox_spec *s, const struct program *program)
{
	struct mount_spec *m;

	for (size_t i = 0; i < s->mount_count; i++) {
		if (!strcmp(s->mounts[i].target, program->home))
			return;
	}
	m = spec_add_mount(s, MOUNT_TMPFS, program->home);
	m->size_bytes = HOME_BYTES;
	m->inodes = 16384;
	m->mode = 0755;
	/* Keep the order by path: what lies below the home is mounted after it. */
	for (size_t i = s->mount_count - 1; i > 0; i--) {
		struct mount_spec swap = s->mounts[i];

		if (strcmp(s->mounts[i - 1].target, swap.target) < 0)
			break;
		s->mounts[i] = s->mounts[i - 1];
		s->mounts[i - 1] = swap;
	}
}

static void add_seeds(struct root_plan *plan, const struct image *image,
		      const struct program *program)
{
	for (size_t i = 0; i < image->config.seed_count; i++) {
		const struct image_seed *seed = &image->config.seeds[i];
		char *path = spec_printf(plan->arena, "%s/%s", program->home, seed->path);
		char *dir = spec_strndup(plan->arena, path, (size_t)(strrchr(path, '/') - path));

		root_plan_dirs(plan, dir);
		add_link(plan, path, seed->target);
	}
}

static void add_code(struct root_plan *plan, const struct buf *code)
{
	struct root_op *op;

	root_plan_dirs(plan, "/code");
	op = root_plan_add(plan, ROOT_FILE, CODE_TARGET);
	op->mode = 0444;
	op->bytes = code->data;
	op->length = code->length;
}

/* What was opened up to be filled becomes read-only, when everything is in its place. */
static void add_seals(struct root_plan *plan)
{
	for (size_t i = 0, count = plan->count; i < count; i++) {
		if (plan->ops[i].seal)
			root_plan_add(plan, ROOT_SEAL, plan->ops[i].path - 1);
	}
}

/* Everything that must be able to exist although the image does not have it. */
static const char **collect_targets(const struct sandbox_spec *s, const char *workdir,
				    const struct buf *code, size_t *count)
{
	const char **targets = calloc(s->mount_count + 5, sizeof(*targets));

	if (!targets)
		abort();
	*count = 0;
	for (size_t i = 0; i < s->mount_count; i++)
		targets[(*count)++] = s->mounts[i].target;
	targets[(*count)++] = workdir;
	targets[(*count)++] = "/proc";
	targets[(*count)++] = "/sys";
	targets[(*count)++] = "/dev";
	if (code)
		targets[(*count)++] = CODE_TARGET;
	return targets;
}

/* A link of the image must not lead a mount to where none may be. */
static int resolve_targets(struct sandbox_spec *s, const struct image *image, struct err *e)
{
	for (size_t i = 0; i < s->mount_count; i++) {
		char *resolved = root_plan_resolve(s, image, s->mounts[i].target);

		if (mount_target(s, resolved, &s->mounts[i].target, e))
			return err_prefix(e, "%s in the image", s->mounts[i].target);
	}
	return 0;
}

static int build(struct sandbox_spec *s, const struct image *image, const struct program *program,
		 const struct buf *code, struct idmap *map, struct root_plan *out, struct err *e)
{
	const char *workdir = root_plan_resolve(s, image, program->workdir);
	auto_free const char **targets = NULL;
	size_t count;

	add_home_mount(s, program);
	if (resolve_targets(s, image, e))
		return -1;
	targets = collect_targets(s, workdir, code, &count);
	if (image->is_host ? root_plan_host(out, program, map, targets, count, e)
			   : root_plan_image(out, image, map, targets, count, e))
		return -1;
	if (add_base(out, s, map, e))
		return -1;
	for (size_t i = 0; i < s->mount_count; i++) {
		if (root_plan_mount(out, &s->mounts[i], map, e))
			return -1;
		if (!strcmp(s->mounts[i].target, program->home))
			add_seeds(out, image, program);
	}
	if (strcmp(workdir, "/"))
		root_plan_dirs(out, workdir);
	if (code)
		add_code(out, code);
	add_seals(out);
	return 0;
}

int root_plan_build(struct sandbox_spec *s, const struct image *image,
		    const struct program *program, const struct buf *code, struct idmap *map,
		    struct root_plan *out, struct err *e)
{
	for (;;) {
		bool owner_taken = map->owner_taken;

		*out = (struct root_plan){.arena = s};
		if (build(s, image, program, code, map, out, e)) {
			root_plan_fini(out);
			return -1;
		}
		/* Mounts made before the ids changed are mapped to the wrong ones: once more. */
		if (owner_taken == map->owner_taken)
			return 0;
		root_plan_fini(out);
	}
}

void root_plan_fini(struct root_plan *plan)
{
	for (size_t i = 0; i < plan->count; i++)
		own_close(&plan->ops[i].tree_fd);
	free(plan->ops);
	*plan = (struct root_plan){0};
}
