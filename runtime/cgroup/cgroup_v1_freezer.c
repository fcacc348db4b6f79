/*
 * cgroup_v1_freezer - freezer directories for groups of cgroup v1.
 */
#include "cgroup/cgroup_v1_freezer.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fd_path.h"
#include "base/io.h"
#include "base/own.h"
#include "cgroup/cgroup_given.h"
#include "host/system_program.h"

/*
 * The hierarchies that can freeze, the better one first: SIGKILL ends processes that cgroup2 has
 * frozen. But moving a process there needs rights over the common ancestor (cgroups(7), "delegation
 * containment"), so only root can.
 */
static const struct cgroup_freezer freezers[] = {
	{"/sys/fs/cgroup/unified", "cgroup.freeze", "1",      "0",      "cgroup.events", "frozen 1"},
	{"/sys/fs/cgroup/freezer", "freezer.state", "FROZEN", "THAWED", "freezer.state", "FROZEN"  },
};
#define FREEZERS (sizeof(freezers) / sizeof(freezers[0]))

/* The kernel appends this to the path of a removed directory (proc_pid_fd(5)). */
static void cgroup_v1_freezer_cut_mark(char *path)
{
	static const char mark[] = " (deleted)";
	size_t length = strlen(path);

	if (length > strlen(mark) && !strcmp(path + length - strlen(mark), mark))
		path[length - strlen(mark)] = '\0';
}

/* "glovebox/sandbox-1": the group's path in every hierarchy, whichever process made it. */
static int cgroup_v1_freezer_path(const struct cgroup *c, char *out, size_t size, struct err *e)
{
	static const char mount[] = "/sys/fs/cgroup/memory/";
	char path[PATH_MAX];

	if (fd_path_read(c->ref.dirs[0], path) || strncmp(path, mount, strlen(mount)) != 0)
		return err_set(e, ERR_SYSTEM, "cgroup %s is not below %s", c->ref.name, mount);
	cgroup_v1_freezer_cut_mark(path);
	snprintf(out, size, "%.*s", (int)size - 1, path + strlen(mount));
	return 0;
}

/* The hierarchy's root; -1 if it is not mounted: a plain directory may still be there. */
static int cgroup_v1_freezer_open_mount(const struct cgroup_freezer *how)
{
	auto_fd int root = open(how->mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;

	if (root < 0 || fstatfs(root, &fs) ||
	    (fs.f_type != CGROUP_SUPER_MAGIC && fs.f_type != CGROUP2_SUPER_MAGIC))
		return -1;
	return take_fd(&root);
}

/* Make the directory and its parents. @path: changed on the way, and restored. */
static int cgroup_v1_freezer_make(int root, char *path)
{
	for (char *slash = path; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		mkdirat(root, path, 0755);
	}
	return mkdirat(root, path, 0755) && errno != EEXIST ? -1 : 0;
}

static int cgroup_v1_freezer_refuse(struct err *e)
{
	char setup[SYSTEM_PROGRAM_SETUP_SIZE];

	if (geteuid() == 0)
		return err_set(e, ERR_UNSUPPORTED,
			       "freezing needs a cgroup freezer; once, as root: mkdir -p %s && "
			       "mount -t cgroup2 none %s",
			       freezers[0].mount, freezers[0].mount);
	return err_set(e, ERR_UNSUPPORTED,
		       "freezing needs a control group of your own in %s: \"%s\" "
		       "gives you that for good",
		       freezers[1].mount, system_program_setup(setup));
}

int cgroup_v1_open_freezer(const struct cgroup *c, bool make, const struct cgroup_freezer **how,
			   struct err *e)
{
	char path[512];

	if (cgroup_v1_freezer_path(c, path, sizeof(path), e))
		return -1;
	for (unsigned i = geteuid() == 0 ? 0 : 1; i < FREEZERS; i++) {
		auto_fd int root = cgroup_v1_freezer_open_mount(&freezers[i]);
		auto_fd int fd = -1;

		if (root < 0 || (make && cgroup_v1_freezer_make(root, path)))
			continue;
		fd = openat(root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		*how = &freezers[i];
		if (fd >= 0)
			return take_fd(&fd);
	}
	return make ? cgroup_v1_freezer_refuse(e) : -1;
}

/* Thaw it first: if a client was killed while the processes were frozen, they die now. */
static bool cgroup_v1_freezer_remove(const struct cgroup_freezer *how, const char *path)
{
	char full[1024];
	auto_fd int dir = -1;

	snprintf(full, sizeof(full), "%s/%s", how->mount, path);
	dir = open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return true;
	io_put(dir, how->file, how->thaw);
	return !rmdir(full) || errno != EBUSY;
}

bool cgroup_v1_remove_freezers_at(const char *path)
{
	bool empty = true;

	for (unsigned i = 0; i < FREEZERS; i++)
		empty &= cgroup_v1_freezer_remove(&freezers[i], path);
	return empty;
}

bool cgroup_v1_remove_freezers(const struct cgroup *c)
{
	char path[512];
	struct err ignored;

	return cgroup_v1_freezer_path(c, path, sizeof(path), &ignored) ||
	       cgroup_v1_remove_freezers_at(path);
}

int cgroup_v1_open_freezers(unsigned i)
{
	char parent[256];
	char path[512];

	if (i >= FREEZERS)
		return -1;
	cgroup_given_parent(CGROUP_MEMORY, parent, sizeof(parent));
	snprintf(path, sizeof(path), "%s/%s", freezers[i].mount, parent);
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}
