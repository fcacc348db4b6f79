/*
 * debian - run mmdebstrap as a child that writes the new root as a tar stream.
 */
#ifndef GLOVEBOX_ROOTFS_DEBIAN_H
#define GLOVEBOX_ROOTFS_DEBIAN_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "list.h"
#include "recipe.h"

struct debian_request {
	const struct recipe *recipe;
	const char *suite;
	const char *share;          /* directory with hooks/ */
	const struct list *mirrors; /* "deb URI SUITE main" lines or URLs */
	bool allow_sdist;
};

struct debian {
	pid_t pid;
	int fd;        /* the tar stream */
	char *scratch; /* directory in whose place the child sees a file system in memory; or NULL
			*/
};

/* What the build needs of this machine, before anything is made: ERR_UNSUPPORTED with remedy. */
int debian_check(struct err *e);

/* Starts it; *out owned, end with debian_finish(). Its messages go to stderr. */
int debian_start(const struct debian_request *q, struct debian *out, struct err *e);

/*
 * debian_finish - wait for it, and say whether it did its work.
 * @abandon  end it (SIGTERM: it cleans up after itself); the result is then no matter.
 */
int debian_finish(struct debian *d, bool abandon, struct err *e);

#endif
