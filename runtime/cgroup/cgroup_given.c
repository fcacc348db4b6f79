/*
 * cgroup_given - the cgroup v1 directories that root gives to an ordinary user.
 */
#include "cgroup/cgroup_given.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void cgroup_given_top(enum cgroup_controller controller, uid_t uid, bool in_slice, char *out,
		      size_t size)
{
	if (in_slice && controller != CGROUP_CPUSET)
		snprintf(out, size, "user.slice/user-%u.slice/user@%u.service/glovebox", uid, uid);
	else
		snprintf(out, size, "glovebox-%u", uid);
}

static void cgroup_given_path(enum cgroup_controller controller, const char *below,
			      char out[PATH_MAX])
{
	snprintf(out, PATH_MAX, "/sys/fs/cgroup/%s/%s",
		 controller < CGROUP_CONTROLLERS ? cgroup_controllers[controller] : "freezer",
		 below);
}

/* Check memory's: a user has a directory there whenever another controller has one. */
static bool cgroup_given_is_in_slice(uid_t uid)
{
	char path[PATH_MAX];
	char top[128];

	cgroup_given_top(CGROUP_MEMORY, uid, true, top, sizeof(top));
	cgroup_given_path(CGROUP_MEMORY, top, path);
	return !access(path, F_OK);
}

bool cgroup_given_is_all_ours(enum cgroup_controller controller)
{
	char path[PATH_MAX];

	cgroup_given_path(controller, "", path);
	return !faccessat(AT_FDCWD, path, W_OK, AT_EACCESS);
}

static void cgroup_given_place(enum cgroup_controller controller, char *out, size_t size)
{
	const bool is_all_ours = cgroup_given_is_all_ours(controller);
	const uid_t uid = geteuid();
	char top[128];

	cgroup_given_top(controller, uid, !is_all_ours && cgroup_given_is_in_slice(uid), top,
			 sizeof(top));
	snprintf(out, size, "%s%s", top, is_all_ours ? "" : "/" CGROUP_GIVEN_USER);
}

void cgroup_given_parent(enum cgroup_controller controller, char *out, size_t size)
{
	const char *named = getenv("GLOVEBOX_CGROUP");

	if (named && *named)
		snprintf(out, size, "%s", named[0] == '/' ? named + 1 : named);
	else if (geteuid() == 0)
		snprintf(out, size, "glovebox");
	else
		cgroup_given_place(controller, out, size);
}

bool cgroup_given_is_old(enum cgroup_controller controller, uid_t uid)
{
	char path[PATH_MAX];
	char top[128];
	struct stat st;

	if (cgroup_detect() != &cgroup_v1)
		return false;
	cgroup_given_top(controller, uid, false, top, sizeof(top));
	cgroup_given_path(controller, top, path);
	return !stat(path, &st) && st.st_uid != 0;
}
