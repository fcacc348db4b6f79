/*
 * cgroup_v2_parents - find the group of the unified hierarchy in which sandboxes' groups are made.
 */
#include "cgroup/cgroup_v2_parents.h"

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "cgroup/cgroup_empty.h"
#include "cgroup/cgroup_try.h"

#define MOUNT "/sys/fs/cgroup"

static bool cgroup_v2_parents_has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *p = list; (p = strstr(p, word)); p += length) {
		if ((p == list || p[-1] == ' ') && (!p[length] || p[length] == ' '))
			return true;
	}
	return false;
}

/* The controllers, a bit each, that `limits` needs and `list` lacks. */
static unsigned cgroup_v2_parents_lacking(const char *list, const struct limits *l)
{
	unsigned lacking = 0;

	for (enum cgroup_controller i = CGROUP_MEMORY; i < CGROUP_CONTROLLERS; i++)
		/* Every group of v2 counts CPU time. */
		if (i != CGROUP_CPUACCT && cgroup_needs(l, i) &&
		    !cgroup_v2_parents_has_word(list, cgroup_controllers[i]))
			lacking |= 1u << i;
	return lacking;
}

static bool cgroup_v2_parents_is_ready(int fd, const struct limits *l)
{
	char list[256];

	return !io_peek(fd, "cgroup.subtree_control", list, sizeof(list)) &&
	       !cgroup_v2_parents_lacking(list, l);
}

/* Enable the controllers for children of `fd`. */
static int cgroup_v2_parents_enable(int fd, const struct limits *l, struct err *e)
{
	char available[256];
	unsigned lacking;

	if (cgroup_v2_parents_is_ready(fd, l))
		return 0;
	if (io_peek(fd, "cgroup.controllers", available, sizeof(available)))
		return err_sys(e, "read cgroup.controllers");
	lacking = cgroup_v2_parents_lacking(available, l);
	if (lacking)
		return cgroup_not_given(lacking, e);
	for (enum cgroup_controller i = CGROUP_MEMORY; i < CGROUP_CONTROLLERS; i++) {
		char word[16];

		snprintf(word, sizeof(word), "+%s", cgroup_controllers[i]);
		if (i != CGROUP_CPUACCT && cgroup_needs(l, i) &&
		    io_put(fd, "cgroup.subtree_control", word))
			return err_sys(e, "enable controllers in cgroup.subtree_control");
	}
	return 0;
}

static int cgroup_v2_parents_open_dir(int at, const char *path)
{
	return openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int cgroup_v2_parents_not_delegated(const struct limits *l, struct err *e)
{
	return cgroup_not_given(cgroup_v2_parents_lacking("", l), e);
}

/* Our own group from /proc/self/cgroup ("0::/user.slice/..."), as a path below the mount. */
static int cgroup_v2_parents_own_group(char *out, size_t size, struct err *e)
{
	char text[4096];
	const char *path;

	if (io_peek(AT_FDCWD, "/proc/self/cgroup", text, sizeof(text)))
		return err_sys(e, "read /proc/self/cgroup");
	path = strstr(text, "0::/");
	if (!path)
		return err_set(e, ERR_UNSUPPORTED, "this process is in no group of cgroup v2");
	path += 4;
	snprintf(out, size, "%.*s", (int)strcspn(path, "\n"), path);
	return 0;
}

/*
 * Whether we have already moved out of the delegated group, for an earlier sandbox: it is the one
 * above.
 */
static bool cgroup_v2_parents_is_leaf(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && !strcmp(slash + 1, CGROUP_V2_LEAF);
}

/*
 * Whether the group lies directly in a slice of systemd: delegation of the slice does not include
 * it.
 */
static bool cgroup_v2_parents_is_in_slice(const char *path)
{
	static const char ending[] = ".slice";
	const char *slash = strrchr(path, '/');
	size_t length = slash ? (size_t)(slash - path) : 0;

	return length > strlen(ending) && !strncmp(slash - strlen(ending), ending, strlen(ending));
}

/* systemd marks delegated groups (since 251; systemd.resource-control(5), Delegate=). */
static bool cgroup_v2_parents_is_marked(int fd)
{
	char value[2] = "";

	return fgetxattr(fd, "user.delegate", value, sizeof(value)) > 0 && *value == '1';
}

bool cgroup_v2_is_given(void)
{
	char own[4096] = "";
	struct err ignored;
	auto_fd int root = cgroup_v2_parents_open_dir(AT_FDCWD, MOUNT);
	auto_fd int fd = -1;

	if (root < 0 || cgroup_v2_parents_own_group(own, sizeof(own), &ignored))
		return false;
	fd = cgroup_v2_parents_open_dir(root, *own ? own : ".");
	return fd >= 0 && !faccessat(fd, "cgroup.procs", W_OK, 0) &&
	       (!cgroup_v2_parents_is_in_slice(own) || cgroup_v2_parents_is_marked(fd));
}

/* The machine's root group may hold processes and children; a container's root group may not. */
static int cgroup_v2_parents_enable_at_top(int root, const struct limits *l, struct err *e)
{
	if (!cgroup_v2_parents_enable(root, l, e))
		return 0;
	return e->number != EBUSY || cgroup_empty(root, e) || cgroup_v2_parents_enable(root, l, e)
		       ? -1
		       : 0;
}

static int cgroup_v2_parents_make_parent(const char *name, const struct limits *l, struct cgroup *c,
					 struct err *e)
{
	auto_fd int root = cgroup_v2_parents_open_dir(AT_FDCWD, MOUNT);
	auto_fd int fd = cgroup_v2_parents_open_dir(root, name);

	if (fd >= 0 && cgroup_v2_parents_is_ready(fd, l)) {
		c->parents[c->ref.count++] = take_fd(&fd);
		return 0;
	}
	if (root < 0)
		return err_sys(e, "open " MOUNT);
	if (cgroup_is_read_only(CGROUP_MEMORY))
		return cgroup_v2_parents_not_delegated(l, e);
	if (cgroup_v2_parents_enable_at_top(root, l, e))
		return -1;
	if (fd < 0 && mkdirat(root, name, 0711) && errno != EEXIST)
		return err_sys(e, "create cgroup %s", name);
	if (fd < 0)
		fd = cgroup_v2_parents_open_dir(root, name);
	if (fd < 0)
		return err_sys(e, "open cgroup %s", name);
	if (cgroup_v2_parents_enable(fd, l, e))
		return -1;
	c->parents[c->ref.count++] = take_fd(&fd);
	return 0;
}

/*
 * Rootless: the kernel allows a move only below a common ancestor that is ours (cgroups(7),
 * "delegation containment"). Use the group above our own if it already enables controllers; else
 * our own, which we leave first. Do not use a slice of the user's systemd, which may disable its
 * controllers again.
 */
static int cgroup_v2_parents_find_delegated(const struct limits *l, struct cgroup *c, struct err *e)
{
	char own[4096] = "";
	auto_fd int root = cgroup_v2_parents_open_dir(AT_FDCWD, MOUNT);
	auto_fd int fd = -1;
	auto_fd int above = -1;

	if (root < 0)
		return err_sys(e, "open " MOUNT);
	if (cgroup_v2_parents_own_group(own, sizeof(own), e))
		return -1;
	fd = cgroup_v2_parents_open_dir(root, *own ? own : ".");
	if (fd < 0)
		return err_sys(e, "open cgroup %s", own);
	above = *own && !cgroup_v2_parents_is_in_slice(own) ? cgroup_v2_parents_open_dir(fd, "..")
							    : -1;
	if (above >= 0 && !faccessat(above, "cgroup.procs", W_OK, 0) &&
	    (cgroup_v2_parents_is_leaf(own) || cgroup_v2_parents_is_ready(above, l))) {
		if (cgroup_v2_parents_enable(above, l, e))
			return -1;
		c->parents[c->ref.count++] = take_fd(&above);
		return 0;
	}
	if (faccessat(fd, "cgroup.procs", W_OK, 0) ||
	    faccessat(fd, "cgroup.subtree_control", W_OK, 0))
		return cgroup_v2_parents_not_delegated(l, e);
	if (cgroup_empty(fd, e))
		return -1;
	if (cgroup_v2_parents_enable(fd, l, e))
		return e->number == EBUSY ? cgroup_v2_parents_not_delegated(l, e) : -1;
	c->parents[c->ref.count++] = take_fd(&fd);
	return 0;
}

int cgroup_v2_parents_find(const struct limits *limits, struct cgroup *c, struct err *e)
{
	const char *named = getenv("GLOVEBOX_CGROUP");

	if (named && *named)
		return cgroup_v2_parents_make_parent(named[0] == '/' ? named + 1 : named, limits, c,
						     e);
	if (geteuid() == 0)
		return cgroup_v2_parents_make_parent("glovebox", limits, c, e);
	return cgroup_v2_parents_find_delegated(limits, c, e);
}
