/*
 * supplier_dir - the directory in which the warm supervisor of a face listens.
 */
#include "client/supplier_dir.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

#include "base/own.h"
#include "fs/temporary_dir.h"

void supplier_dir_remove(const char *directory)
{
	static const char *const names[] = {"glovebox/warm.sock", "glovebox/lock", "glovebox", ""};
	char path[320];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
		(void)remove(path);
	}
}

/* The watchdog is gone. Its supervisor, which ends with it, may be on its way. */
static void supplier_dir_remove_left(const char *path, int fd, void *context)
{
	auto_fd int served = openat(fd, "glovebox/lock", O_RDWR | O_NOFOLLOW | O_CLOEXEC);

	(void)context;
	if (served < 0 || !flock(served, LOCK_EX | LOCK_NB))
		supplier_dir_remove(path);
}

int supplier_dir_make(char *out, size_t size, struct err *e)
{
	const char *base = getenv("TMPDIR");
	int lock;

	if (!base || base[0] != '/' || strlen(base) > size - 24)
		base = "/tmp";
	snprintf(out, size, "%s/glovebox-agent-XXXXXX", base);
	temporary_dir_find_left(out, supplier_dir_remove_left, NULL);
	lock = temporary_dir_make(out);
	return lock < 0 ? err_sys(e, "make a directory in %s", base) : lock;
}
