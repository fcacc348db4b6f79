/*
 * groups - the control groups of sandboxes, as everybody sees them below /sys/fs/cgroup.
 */
#include "selftest/groups.h"

#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "selftest/waiting.h"

#define MOUNT "/sys/fs/cgroup"
#define DEPTH 16 /* of directories that are open at a time */

void groups_name_of(pid_t pid, char out[128])
{
	static const char *const beginnings[] = {"/sandbox-", "/cell-"};
	auto_buf struct buf groups = {0};

	*out = '\0';
	waiting_read(pid, "cgroup", &groups);
	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]) && !*out; i++) {
		const char *at = strstr(buf_string(&groups), beginnings[i]);

		if (at)
			snprintf(out, 128, "%.*s", (int)strcspn(at + 1, "/\n"), at + 1);
	}
}

/* What the walk looks for and has found: nftw(3) passes nothing on. */
static struct {
	const char *name;
	const char *file;
	char *found;
} groups_wanted;

static int groups_look(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	char file[PATH_MAX];

	(void)st;
	if (kind != FTW_D || !strstr(path + at->base, groups_wanted.name))
		return 0;
	snprintf(file, sizeof(file), "%s/%s", path, groups_wanted.file ? groups_wanted.file : "");
	if (access(file, F_OK))
		return 0;
	snprintf(groups_wanted.found, PATH_MAX, "%s", path);
	return 1;
}

bool groups_find(const char *name, const char *file, char out[PATH_MAX])
{
	bool found;

	groups_wanted.name = name;
	groups_wanted.file = file;
	groups_wanted.found = out;
	found = nftw(MOUNT, groups_look, DEPTH, FTW_PHYS) == 1;
	groups_wanted.name = groups_wanted.file = groups_wanted.found = NULL;
	return found;
}
