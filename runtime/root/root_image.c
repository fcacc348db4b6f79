/*
 * root_image - the image's part of the root: bound as a whole where possible, opened up where a
 * mount point must be made in it.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd_path.h"
#include "base/own.h"
#include "base/path.h"
#include "fs/names.h"
#include "fs/resolve.h"
#include "root/root_plan.h"

#define IMAGE_ATTRIBUTES (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)

struct walk {
	struct root_plan *plan;
	const struct image *image;
	const struct idmap *map;
	const char *const *targets;
	size_t count;
};

/*
 * Open a path of the image with O_PATH, resolved as in the sandbox, without following a final link.
 */
static int root_image_open_inside(const struct image *image, const char *path)
{
	return resolve_open(image->root_fd, path, O_PATH | O_NOFOLLOW,
			    RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
}

/* Whether it exists and is not a link, which could lead elsewhere. */
bool root_image_has(const struct image *image, const char *path)
{
	auto_fd int fd = root_image_open_inside(image, path);
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) && !S_ISLNK(st.st_mode);
}

/* Whether the plan makes this path itself. */
static bool root_image_is_ours(const char *path)
{
	return !strcmp(path, "/proc") || !strcmp(path, "/sys") || !strcmp(path, "/dev");
}

static bool root_image_is_target(const struct walk *w, const char *path)
{
	for (size_t i = 0; i < w->count; i++) {
		if (!strcmp(w->targets[i], path))
			return true;
	}
	return false;
}

/* Targets are resolved, so a link still in the way leads nowhere: leave it out. */
static bool root_image_leads_to_target(const struct walk *w, const char *path)
{
	for (size_t i = 0; i < w->count; i++) {
		if (path_is_at_or_below(w->targets[i], path))
			return true;
	}
	return false;
}

/* Whether a mount point is missing in or below this directory of the image. */
static bool root_image_must_open_up(const struct walk *w, const char *path)
{
	for (size_t i = 0; i < w->count; i++) {
		if (path_is_below(w->targets[i], path) && !root_image_has(w->image, w->targets[i]))
			return true;
	}
	return false;
}

static bool root_image_is_empty(int dir_fd, const char *name)
{
	auto_fd int fd = openat(dir_fd, name, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	auto_list struct list none = {0};

	return fd >= 0 && !names_read(fd, 0, &none);
}

static int root_image_add_children(const struct walk *w, const char *path, struct err *e);

static int root_image_add_link(const struct walk *w, int dir_fd, const char *name, const char *path,
			       struct err *e)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(dir_fd, name, target, sizeof(target) - 1);

	if (n < 0)
		return err_sys(e, "read link %.200s of the image", path);
	target[n] = '\0';
	root_ops_add(w->plan, ROOT_LINK, path)->source = spec_strdup(w->plan->spec, target);
	return 0;
}

static int root_image_add_entry(const struct walk *w, int dir_fd, const char *name,
				const char *path, struct err *e)
{
	struct stat st;
	char *host_path;

	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW))
		return err_sys(e, "stat %.200s of the image", path);
	if (S_ISLNK(st.st_mode) && !root_image_leads_to_target(w, path))
		return root_image_add_link(w, dir_fd, name, path, e);
	if (S_ISLNK(st.st_mode)) {
		/* A mount makes its own mount point, which may be a file. */
		if (!root_image_is_target(w, path))
			root_ops_add(w->plan, ROOT_DIR, path);
		return 0;
	}
	if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
		return 0;
	root_ops_add(w->plan, S_ISDIR(st.st_mode) ? ROOT_DIR : ROOT_FILE, path);
	if (root_image_is_target(w, path))
		return 0;
	if (S_ISDIR(st.st_mode) && root_image_must_open_up(w, path))
		return root_image_add_children(w, path, e);
	if (S_ISDIR(st.st_mode) && root_image_is_empty(dir_fd, name))
		return 0;
	host_path = spec_printf(w->plan->spec, "%s%s", w->image->root_path, path);
	return root_ops_bind(w->plan, w->map, dir_fd, name, host_path, path, IMAGE_ATTRIBUTES, e);
}

static int root_image_add_children(const struct walk *w, const char *path, struct err *e)
{
	const char *relative = path[1] ? path + 1 : ".";
	auto_fd int fd = openat(w->image->root_fd, relative,
				O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	auto_list struct list names = {0};

	if (fd < 0 || names_read(fd, SIZE_MAX, &names) < 0)
		return err_sys(e, "open %s of image %s", path, w->image->reference);
	for (size_t i = 0; i < names.count; i++) {
		char *child =
			spec_printf(w->plan->spec, "%s/%s", path[1] ? path : "", names.items[i]);

		if (!root_image_is_ours(child) &&
		    root_image_add_entry(w, fd, names.items[i], child, e))
			return -1;
	}
	return 0;
}

/* The deepest directory of the image above `path`; "/" if the image has none. */
static char *root_image_deepest_above(const struct walk *w, const char *path)
{
	char *above = spec_strdup(w->plan->spec, path);

	for (;;) {
		char *slash = strrchr(above, '/');

		slash[slash == above] = '\0';
		if (slash == above || root_image_has(w->image, above))
			return above;
	}
}

/* The directories to open up; *count of them. The caller frees the result. */
static const char **root_image_find_openings(const struct walk *w, size_t *count)
{
	const char **openings = own_zeroed(w->count + 1, sizeof(*openings));

	*count = 0;
	for (size_t i = 0; i < w->count; i++) {
		/* /dev is a tmpfs of its own in every sandbox, and "/" always exists. */
		if (strcmp(w->targets[i], "/") && !path_is_below(w->targets[i], "/dev") &&
		    !root_image_has(w->image, w->targets[i]))
			openings[(*count)++] = root_image_deepest_above(w, w->targets[i]);
	}
	return openings;
}

/* Whether this opening stands alone: not inside another one, and not a duplicate. */
static bool root_image_opens_here(const char **openings, size_t count, size_t i)
{
	for (size_t j = 0; j < count; j++) {
		if (path_is_below(openings[i], openings[j]) ||
		    (j < i && !strcmp(openings[i], openings[j])))
			return false;
	}
	return true;
}

/* The root is the image itself, but for the openings. */
static int root_image_add_base(const struct walk *w, const char **openings, size_t count,
			       struct err *e)
{
	if (root_ops_bind(w->plan, w->map, w->image->root_fd, "", w->image->root_path, "/.",
			  IMAGE_ATTRIBUTES, e))
		return -1;
	w->plan->ops[w->plan->count - 1].kind = ROOT_BASE;
	for (size_t i = 0; i < count; i++) {
		if (!root_image_opens_here(openings, count, i))
			continue;
		root_ops_tmpfs(w->plan, openings[i]);
		if (root_image_add_children(w, openings[i], e))
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

	openings = root_image_find_openings(&w, &opening_count);
	for (size_t i = 0; i < opening_count; i++) {
		if (!strcmp(openings[i], "/"))
			return root_image_add_children(&w, "/", e);
	}
	return root_image_add_base(&w, openings, opening_count, e);
}

/*
 * "<prefix>" resolved by the image's links, as a path inside; NULL if the image does not have it.
 */
static char *root_image_resolve_prefix(const struct sandbox_spec *s, const struct image *image,
				       const char *prefix)
{
	auto_fd int fd = resolve_open(image->root_fd, prefix, O_PATH,
				      RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
	char path[PATH_MAX];

	return fd < 0 || fd_path_below(image->root_fd, fd, path) ? NULL : spec_strdup(s, path);
}

/* Whether a component of the path is a link. Usually none is, and nothing is left to resolve. */
static bool root_image_has_link(const struct image *image, const char *path)
{
	auto_fd int fd =
		resolve_open(image->root_fd, path, O_PATH, RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS);

	return fd < 0 && errno != ENOENT;
}

char *root_plan_resolve(const struct sandbox_spec *s, const struct image *image, const char *path)
{
	char *prefix = spec_strdup(s, path);
	char *cut = prefix + strlen(prefix);

	if (image->root_fd < 0 || !root_image_has_link(image, path))
		return prefix;
	while (cut > prefix) {
		char *resolved;

		*cut = '\0';
		resolved = root_image_resolve_prefix(s, image, prefix);
		if (resolved && (*resolved || path[cut - prefix]))
			return spec_printf(s, "%s%s", resolved, path + (cut - prefix));
		cut = strrchr(prefix, '/');
	}
	return spec_strdup(s, path); /* the image has no part of it, or it is "/" */
}
