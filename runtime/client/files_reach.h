/*
 * files_reach - resolve one path, with a time limit: shared by put, get, list and delete.
 *
 * Runs: the child of client/files_child.h. Needs: nothing; it runs as the sandbox's user.
 */
#ifndef GLOVEBOX_CLIENT_FILES_REACH_H
#define GLOVEBOX_CLIENT_FILES_REACH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/resolve.h"
#include "client/files.h"
#include "client/files_path.h"

/* The state of one call. */
struct files_reach {
	int root_fd; /* borrowed */
	const struct files_rules *rules;
	struct files_path path;
	uint64_t deadline_ms;
};

/* files_reach_begin - check the path, start the clock. Owns nothing. */
int files_reach_begin(struct files_reach *r, int root_fd, const char *path,
		      const struct files_rules *rules, struct err *e);

/* -1 with ERR_INPUT if the path is /workspace itself. */
int files_reach_named(const struct files_reach *r, struct err *e);

/* -1 with ERR_INPUT if the path cannot be a file's. */
int files_reach_names_file(const struct files_reach *r, struct err *e);

/* The error for errno at `path`; causes that users know have a sentence. Returns -1. */
int files_reach_error(const char *path, struct err *e);

/* Whether the time limit has passed. The second also sets *e. */
bool files_reach_late(const struct files_reach *r);
int files_reach_check(const struct files_reach *r, struct err *e);

/*
 * files_reach_copy - copy at most `most` bytes, in pieces, until the end of `from`. The error names
 * the side that failed. Both borrowed; *done counts bytes written.
 */
int files_reach_copy(const struct files_reach *r, int from, const char *from_name, int to,
		     const char *to_name, uint64_t most, uint64_t *done, struct err *e);

/* files_reach_write - write all of it to a borrowed descriptor; `name` is for the error. */
int files_reach_write(int to, const char *name, const char *bytes, size_t length, struct err *e);

/* "file", "directory", ... */
const char *files_reach_type(mode_t mode);

/* An unpredictable temporary name: ".glovebox-0123456789abcdef". */
struct files_name {
	char text[32];
};
struct files_name files_reach_name(void);

#endif
