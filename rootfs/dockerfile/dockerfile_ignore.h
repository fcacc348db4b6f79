/*
 * dockerfile_ignore - match the patterns of .dockerignore, and of paths in COPY.
 *
 *   *  ?  [a-z]  [^a-z]  \c   as in Go's filepath.Match: no slash
 *   **                         alone between slashes: any number of directories
 *   !pattern                   of .dockerignore: do not ignore matching paths after all
 *
 * The last pattern of a file that matches a path, or a directory above it, decides. Patterns and
 * names are not trusted. No side effects.
 */
#ifndef GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_IGNORE_H
#define GLOVEBOX_ROOTFS_DOCKERFILE_DOCKERFILE_IGNORE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/list.h"

#define DOCKERFILE_IGNORE_MAX   (256u << 10) /* bytes of .dockerignore */
#define DOCKERFILE_PATTERNS_MAX 1000
#define DOCKERFILE_PATTERN_MAX  4096 /* bytes of one: the length of a path */

struct dockerfile_ignore {
	struct list patterns; /* clean, without slashes at their ends; "!" stays in front */
};

/* Errors: ERR_INPUT with the line. End with dockerfile_ignore_fini(), also on errors. */
int dockerfile_ignore_parse(const char *text, size_t length, struct dockerfile_ignore *out,
			    struct err *e);
void dockerfile_ignore_fini(struct dockerfile_ignore *i);

/* @path  clean and relative: "a/b". */
bool dockerfile_ignore_has(const struct dockerfile_ignore *i, const char *path);

/* Whether a pattern matches a whole path. A malformed pattern matches nothing. */
bool dockerfile_match(const char *pattern, const char *path);

/* Whether the text contains a special character of patterns. */
bool dockerfile_is_pattern(const char *text);

/*
 * Clean a path: "/./a//b/" becomes "a/b". Owned.
 * @is_root  ".." at the top stays there. Otherwise that returns NULL.
 */
char *dockerfile_clean(const char *path, bool is_root);

#endif
