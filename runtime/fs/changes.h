/*
 * changes - list the files below a directory that appeared or changed during a run.
 *
 * For -v DIR:/output with --json: the program writes to the host directory directly, so the list is
 * the difference of two scans. A scan opens only directories, and follows no links.
 *
 * Runs: monitor, agent, before and after a run. Needs: read access to the directories.
 */
#ifndef GLOVEBOX_FS_CHANGES_H
#define GLOVEBOX_FS_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fs/output_files.h"

struct file_mark {
	char *path;
	uint64_t size_bytes;
	uint64_t inode;
	int64_t changed_ns; /* ctime: unlike mtime, a program cannot set it back */
};

struct file_marks {
	struct file_mark *items; /* sorted by path */
	size_t count;
	bool truncated; /* incomplete: too many entries, or too deep */
};

#define CHANGES_ENTRIES_MAX 100000

/*
 * changes_look - record at most @most entries of any kind, down to 64 levels. Entries beyond count
 * as dropped from the list, changed or not. Unreadable parts are skipped.
 */
void changes_look(int dir_fd, size_t most, struct file_marks *out);
void changes_list(const struct file_marks *before, const struct file_marks *after,
		  struct output_files *out);
void changes_fini(struct file_marks *m);

#endif
