/*
 * files_reach - what put, get, list and delete have in common: one path, the
 * sandbox's ids, and an end in time.
 *
 * Runs: supervisor. See cell/files.h.
 */
#ifndef GLOVEBOX_CELL_FILES_REACH_H
#define GLOVEBOX_CELL_FILES_REACH_H

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/act_as.h"
#include "base/err.h"
#include "base/resolve.h"
#include "cell/files.h"
#include "cell/files_path.h"

#define FILES_BENEATH                                                                              \
	(RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV)

/* One call at work. */
struct files_reach {
	int root_fd; /* borrowed */
	const struct files_rules *rules;
	struct files_path path;
	uint64_t deadline_ms;
	struct act_as ids;
};

/*
 * files_reach_begin - check the path, take the ids, start the clock.
 * On error nothing is held; else end with files_reach_end(), or auto_reach.
 */
int files_reach_begin(struct files_reach *r, int root_fd, const char *path,
		      const struct files_rules *rules, struct err *e);
void files_reach_end(struct files_reach *r);
#define auto_reach __attribute__((cleanup(files_reach_end)))

/* -1 with ERR_INPUT if the path is /workspace itself. */
int files_reach_named(const struct files_reach *r, struct err *e);

/* The error for errno at `path`; what people can cause has a sentence. Value -1. */
int files_reach_error(const char *path, struct err *e);

/* Has the time run out? The second one says so in *e. */
bool files_reach_late(const struct files_reach *r);
int files_reach_check(const struct files_reach *r, struct err *e);

/*
 * files_reach_copy - at most `most` bytes, in pieces, until the end of `from`.
 * Which one failed is said by name. Both borrowed; *done counts what arrived.
 */
int files_reach_copy(const struct files_reach *r, int from, const char *from_name, int to,
		     const char *to_name, uint64_t most, uint64_t *done, struct err *e);

/*
 * Whether a volume is mounted there: what is in it is not ours to list or to change. The kernel
 * lets whoever is in another mount namespace remove its mount point, and the mount with it.
 */
bool files_reach_is_mount(int dir_fd, const char *name);

/* "file", "directory", ... */
const char *files_reach_type(mode_t mode);

/* The way to an open descriptor, for calls that take no O_PATH descriptor. */
struct files_self {
	char path[32];
};
struct files_self files_reach_self(int fd);

/* A name of ours that nobody can foresee: ".glovebox-0123456789abcdef". */
struct files_name {
	char text[32];
};
struct files_name files_reach_name(void);

/* A stream over a directory, from its beginning; dir_fd is borrowed. NULL with errno. */
DIR *files_reach_entries(int dir_fd);

static inline bool files_is_dot(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

static inline void files_close_entries(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}
#define auto_entries __attribute__((cleanup(files_close_entries)))

#endif
