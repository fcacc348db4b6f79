/*
 * root_image - the image's part of the skeleton: bound whole where possible,
 * taken apart where a mount point must be made inside it.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "base/path.h"
#include "base/resolve.h"
#include "host/root_plan.h"

#define IMAGE_ATTRIBUTES (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)

struct walk {
	struct root_plan *plan;
	const struct image *image;
	const struct idmap *map;
	const char *const *targets;
	size_t count;
};

/* O_PATH on a path of the image, as the sandbox would resolve it but without following links. */
static int open_inside(const struct image *image, const char *path)
{
	return resolve_open(image->root_fd, path, O_PATH | O_NOFOLLOW,
			    RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
}

/* There, and not a link, which would lead away. */
static bool exists_inside(const struct image *image, const char *path)
{
	auto_fd int fd = open_inside(image, path);
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) && !S_ISLNK(st.st_mode);
}

/* The skeleton makes these itself. */
static bool is_ours(const char *path)
{
	return !strcmp(path, "/proc") || !strcmp(path, "/sys") || !strcmp(path, "/dev");
}

static bool is_target(const struct walk *w, const char *path)
{
	for (size_t i = 0; i < w->count; i++) {
		if (!strcmp(w->targets[i], path))
			return true;
	}
	return false;
}

/* Targets are resolved: a link that still stands in the way leads nowhere, and gives way. */
static bool leads_to_target(const struct walk *w, const char *path)
{
	for (size_t i = 0; i < w->count; i++) {
		if (path_is_at_or_below(w->targets[i], path))
			return true;
	}
	return false;
}

/* A directory of the image in which, or below which, a mount point is missing. */
static bool must_open_up(const struct walk *w, const char *path)
{
	for (size_t i = 0; i < w->count; i++) {
		if (path_is_below(w->targets[i], path) && !exists_inside(w->image, w->targets[i]))
			return true;
	}
	return false;
}

static bool is_empty(int dir_fd, const char *name)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	int entries = 0;

	if (!dir)
		return false;
	while (entries <= 2 && readdir(dir))
		entries++;
	closedir(dir);
	return entries <= 2;
}

static int add_children(const struct walk *w, const char *path, struct err *e);

static int add_link(const struct walk *w, int dir_fd, const char *name, const char *path,
		    struct err *e)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(dir_fd, name, target, sizeof(target) - 1);

	if (n < 0)
		return err_sys(e, "read link %.200s of the image", path);
	target[n] = '\0';
	root_plan_add(w->plan, ROOT_LINK, path)->source = spec_strdup(w->plan->arena, target);
	return 0;
}

static int add_entry(const struct walk *w, int dir_fd, const char *name, const char *path,
		     struct err *e)
{
	struct stat st;
	char *host_path;

	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW))
		return err_sys(e, "stat %.200s of the image", path);
	if (S_ISLNK(st.st_mode) && !leads_to_target(w, path))
		return add_link(w, dir_fd, name, path, e);
	if (S_ISLNK(st.st_mode)) {
		root_plan_add(w->plan, ROOT_DIR, path);
		return 0;
	}
	if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
		return 0;
	root_plan_add(w->plan, S_ISDIR(st.st_mode) ? ROOT_DIR : ROOT_FILE, path);
	if (is_target(w, path))
		return 0;
	if (S_ISDIR(st.st_mode) && must_open_up(w, path))
		return add_children(w, path, e);
	if (S_ISDIR(st.st_mode) && is_empty(dir_fd, name))
		return 0;
	host_path = spec_printf(w->plan->arena, "%s%s", w->image->root_path, path);
	return root_plan_bind(w->plan, w->map, dir_fd, name, host_path, path, IMAGE_ATTRIBUTES, e);
}

static int add_children(const struct walk *w, const char *path, struct err *e)
{
	const char *relative = path[1] ? path + 1 : ".";
	int fd = openat(w->image->root_fd, relative,
			O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int bad = 0;

	if (!dir)
		return err_sys(e, "open %s of image %s", path, w->image->reference);
	while (!bad && (entry = readdir(dir))) {
		char *child;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		child = spec_printf(w->plan->arena, "%s/%s", path[1] ? path : "", entry->d_name);
		if (!is_ours(child))
			bad = add_entry(w, dirfd(dir), entry->d_name, child, e);
	}
	closedir(dir);
	return bad;
}

/* The deepest directory of the image above `path`; "/" at the latest. */
static char *deepest_above(const struct walk *w, const char *path)
{
	char *above = spec_strdup(w->plan->arena, path);

	for (;;) {
		char *slash = strrchr(above, '/');

		slash[slash == above] = '\0';
		if (slash == above || exists_inside(w->image, above))
			return above;
	}
}

/* The directories that must be opened up; *count of them. The result is freed by the caller. */
static const char **find_openings(const struct walk *w, size_t *count)
{
	const char **openings = calloc(w->count + 1, sizeof(*openings));

	if (!openings)
		abort();
	*count = 0;
	for (size_t i = 0; i < w->count; i++) {
		/* /dev is a tmpfs of its own in every sandbox, and "/" always there. */
		if (strcmp(w->targets[i], "/") && !path_is_below(w->targets[i], "/dev") &&
		    !exists_inside(w->image, w->targets[i]))
			openings[(*count)++] = deepest_above(w, w->targets[i]);
	}
	return openings;
}

/* Opened by itself, not within another opening or for the second time. */
static bool opens_here(const char **openings, size_t count, size_t i)
{
	for (size_t j = 0; j < count; j++) {
		if (path_is_below(openings[i], openings[j]) ||
		    (j < i && !strcmp(openings[i], openings[j])))
			return false;
	}
	return true;
}

/* The root is the image itself, except for what must be opened up. */
static int add_base(const struct walk *w, const char **openings, size_t count, struct err *e)
{
	if (root_plan_bind(w->plan, w->map, w->image->root_fd, "", w->image->root_path, "/.",
			   IMAGE_ATTRIBUTES, e))
		return -1;
	w->plan->ops[w->plan->count - 1].kind = ROOT_BASE;
	for (size_t i = 0; i < count; i++) {
		if (!opens_here(openings, count, i))
			continue;
		root_plan_tmpfs(w->plan, openings[i]);
		if (add_children(w, openings[i], e))
			return -1;
	}
	return 0;
}

int root_plan_image(struct root_plan *plan, const struct image *image, const struct idmap *map,
		    const char *const *targets, size_t count, struct err *e)
{
	const struct walk w = {plan, image, map, targets, count};
	auto_free const char **openings = NULL;
	size_t opening_count;

	openings = find_openings(&w, &opening_count);
	for (size_t i = 0; i < opening_count; i++) {
		if (!strcmp(openings[i], "/"))
			return add_children(&w, "/", e);
	}
	return add_base(&w, openings, opening_count, e);
}

/* "<prefix>" as the image's links lead, as a path inside; NULL when it does not exist there. */
static char *resolve_prefix(struct sandbox_spec *s, const struct image *image, const char *prefix)
{
	auto_fd int fd = resolve_open(image->root_fd, prefix, O_PATH,
				      RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
	char name[64];
	char root[PATH_MAX];
	char real[PATH_MAX];
	ssize_t root_length;
	ssize_t length;

	if (fd < 0)
		return NULL;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", image->root_fd);
	root_length = readlink(name, root, sizeof(root));
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	length = readlink(name, real, sizeof(real));
	if (root_length < 0 || length < root_length || length == (ssize_t)sizeof(real))
		return NULL;
	return spec_strndup(s, real + root_length, (size_t)(length - root_length));
}

/* Is any existing component of the path a link? Usually none is, and this is all it takes. */
static bool has_link(const struct image *image, const char *path)
{
	auto_fd int fd =
		resolve_open(image->root_fd, path, O_PATH, RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS);

	return fd < 0 && errno != ENOENT;
}

char *root_plan_resolve(struct sandbox_spec *s, const struct image *image, const char *path)
{
	char *prefix = spec_strdup(s, path);
	char *cut = prefix + strlen(prefix);

	if (image->root_fd < 0 || !has_link(image, path))
		return prefix;
	while (cut > prefix) {
		char *resolved;

		*cut = '\0';
		resolved = resolve_prefix(s, image, prefix);
		if (resolved && (*resolved || path[cut - prefix]))
			return spec_printf(s, "%s%s", resolved, path + (cut - prefix));
		cut = strrchr(prefix, '/');
	}
	return spec_strdup(s, path); /* nothing of it exists, or it is "/" */
}
