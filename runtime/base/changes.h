/*
 * changes - which files below a directory appeared or changed during a run.
 *
 * For -v DIR:/output with --json: the program writes to the host directory directly, so the list is
 * the difference between two looks at it. Only directories are opened, and no link is followed.
 *
 * Runs: monitor, agent, before and after a run. Needs: read access to the directories.
 */
#ifndef GLOVEBOX_BASE_CHANGES_H
#define GLOVEBOX_BASE_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/output_files.h"

struct file_mark {
	char *path;
	uint64_t size_bytes;
	uint64_t inode;
	int64_t changed_ns; /* ctime: unlike mtime, a program cannot set it back */
};

struct file_marks {
	struct file_mark *items; /* sorted by path */
	size_t count;
	bool truncated; /* there may be more: beyond the number of entries, or too deep */
};

#define CHANGES_ENTRIES_MAX 100000

/*
 * changes_look - note at most @most entries of any kind, down to 64 levels. What is beyond that
 * counts as dropped from the list, changed or not. Unreadable parts are left out.
 */
void changes_look(int dir_fd, size_t most, struct file_marks *out);
void changes_list(const struct file_marks *before, const struct file_marks *after,
		  struct output_files *out);
void changes_fini(struct file_marks *m);

#endif
