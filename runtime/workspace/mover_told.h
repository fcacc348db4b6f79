/*
 * mover_told - what `mover watch` tells of a directory (base/files_said.h), one change after the
 * other.
 *
 * To us it is what a stranger tells: a path is relative, without "..", and anything else is an
 * error.
 *
 * No side effects. Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_WORKSPACE_MOVER_TOLD_H
#define GLOVEBOX_WORKSPACE_MOVER_TOLD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/files_said.h"
#include "workspace/files_path.h"

#define MOVER_SAID_BYTES (sizeof(struct files_said) + 1) /* one more shows that more follows */

struct change {
	enum files_change_kind kind;
	bool is_directory;
	char path[FILES_PATH_BYTES_MAX + 1]; /* from the directory; "": itself. Any bytes but NUL */
};

/* The bytes that have come of them. Zeroed: none. */
struct mover_told {
	struct buf bytes;
	size_t taken; /* of them */
	bool has_begun;
	bool is_bad; /* something else was among them: nothing counts any more */
};

/* mover_told_add - more has come; mover_told_fini() - free it. */
void mover_told_add(struct mover_told *t, const char *bytes, size_t length);
void mover_told_fini(struct mover_told *t);

/*
 * mover_told_take - take the next change. The first is FILES_WATCHED, and no other.
 * Returns 1; 0: more must come; -1: it is none, as is all that follows.
 */
int mover_told_take(struct mover_told *t, struct change *out);

/* "created", "written", "removed", "moved" (away), "changed" (mode, owner, times, links). */
const char *mover_told_word(enum files_change_kind kind);

/*
 * mover_told_judge - why the watching has ended.
 * @said  what mover has said on its standard error, MOVER_SAID_BYTES at most. @path  absolute.
 * Errors, always one: as those of files_end(), and ERR_LIMIT: changes were lost, or there are more
 * directories than can be watched.
 */
void mover_told_judge(const struct buf *said, const char *path, struct err *e);

/* How much the files below a path take (`mover usage`), without what is mounted there. */
struct files_usage {
	uint64_t bytes;     /* of the contents, with holes */
	uint64_t allocated; /* of the file system */
	uint32_t entries; /* the path itself is one; a file of several names counts once in bytes */
	uint32_t unread;  /* directories that could not be read */
};

/* @most: as mover was told. Errors: as mover_told_judge(). */
int mover_told_usage(const struct buf *said, const char *path, uint32_t most,
		     struct files_usage *out, struct err *e);

#endif
