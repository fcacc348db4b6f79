/*
 * collect - what a program has left in its /workspace, copied out by a child: an operation
 * (loop/loop.h).
 *
 * The file system is a stranger's (root/stage.h): a child of ours reads it, copies what it takes to
 * a directory, and reports each file. It is killed when it is late.
 *
 * Runs: serve, mcp. Needs: as root/stage.h.
 */
#ifndef GLOVEBOX_WORKSPACE_COLLECT_H
#define GLOVEBOX_WORKSPACE_COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "loop/loop.h"
#include "root/stage.h"
#include "sandbox/endings.h"

#define COLLECT_ENTRIES_MAX 256 /* files and directories of one run */

/* A file for /workspace, relative, of directories and a name, without "..". */
struct staged_file {
	const char *path;
	int fd;              /* borrowed; read from its beginning, whatever its offset */
	uint64_t size_bytes; /* of the content: the file may be longer */
};

struct collected_file {
	char *path; /* relative; any bytes but NUL */
	uint64_t size_bytes;
};

struct collected {
	struct collected_file *files;
	size_t count;
	size_t refused; /* entries refused; all beyond the limit count as one */
};

struct collect;

/*
 * collect_has_files - whether a stage contains anything but `except`. Reads the names of its root,
 * if that is a tmpfs: other file systems count as empty.
 * @fd  borrowed.
 */
bool collect_has_files(int fd, const char *except);

/*
 * collect_start - begin.
 * @stage_fd, @target_fd  borrowed for this call only, as is
 * @users_fd  of the sandbox (namespace/mapped_ids.h); -1.
 * @except  a name in the root that is left out.
 * @staged  files that are left out where they are as they were: borrowed for this call.
 * Errors: ERR_SYSTEM: no process.
 */
int collect_start(int stage_fd, int users_fd, int target_fd, const char *except,
		  const struct staged_file *staged, size_t staged_count,
		  const struct stage_limits *limits, struct collect **out, struct err *e);

/* Wait for it with loop_wait(), or by loop_fd(); do what is due, true: it is over. */
struct loop *collect_loop(struct collect *c);
bool collect_step(struct collect *c);

/*
 * collect_end - take the result; before it is over, kill the child.
 * @endings  receives a child that has not ended yet; NULL: wait for it.
 * @out  owned by the caller: collected_fini().
 */
int collect_end(struct collect *c, struct endings *endings, struct collected *out, struct err *e);

/* collected_fini - free the result of collect_end(). */
void collected_fini(struct collected *c);

#endif
