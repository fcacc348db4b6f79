/*
 * make_dirs - directories on the host that a user named and that do not exist yet.
 */
#include "host/make_dirs.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int make_one(const char *path, const char *parent, struct err *e)
{
	struct stat st;

	if (mkdir(path, 0755))
		return errno == EEXIST ? 0 : err_sys(e, "make the missing directory %.300s", path);
	if (geteuid() == 0 && !stat(parent, &st) && lchown(path, st.st_uid, st.st_gid))
		return err_sys(e, "hand over the new directory %.300s", path);
	return 0;
}

int make_dirs(const char *path, struct err *e)
{
	char partial[PATH_MAX];
	char parent[PATH_MAX] = "/";

	for (const char *p = path + 1;; p++) {
		if (*p && *p != '/')
			continue;
		snprintf(partial, sizeof(partial), "%.*s", (int)(p - path), path);
		if (access(partial, F_OK) && make_one(partial, parent, e))
			return -1;
		memcpy(parent, partial, sizeof(parent));
		if (!*p)
			return 0;
	}
}
