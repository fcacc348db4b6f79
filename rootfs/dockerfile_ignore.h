/*
 * dockerfile_ignore - the patterns of .dockerignore, and those of paths in COPY.
 *
 *   *  ?  [a-z]  [^a-z]  \c   as Go's filepath.Match has them: no slash
 *   **                         alone between slashes: any number of directories
 *   !pattern                   of .dockerignore: what it matches is not left out after all
 *
 * The last pattern of a file that matches a path, or a directory above it, decides.
 *
 * The patterns are a stranger's, and so are the names. No side effects.
 */
#ifndef GLOVEBOX_ROOTFS_DOCKERFILE_IGNORE_H
#define GLOVEBOX_ROOTFS_DOCKERFILE_IGNORE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/list.h"

#define DOCKERFILE_IGNORE_MAX   (256u << 10) /* bytes of .dockerignore */
#define DOCKERFILE_PATTERNS_MAX 1000
#define DOCKERFILE_PATTERN_MAX  4096 /* bytes of one: as long as a path */

struct dockerfile_ignore {
	struct list patterns; /* clean, without slashes at their ends; "!" stays in front */
};

/* Errors: ERR_INPUT with the line. End with dockerfile_ignore_fini(), also then. */
int dockerfile_ignore_parse(const char *text, size_t length, struct dockerfile_ignore *out,
			    struct err *e);
void dockerfile_ignore_fini(struct dockerfile_ignore *i);

/* @path  clean and relative: "a/b". */
bool dockerfile_ignore_has(const struct dockerfile_ignore *i, const char *path);

/* Whether a path as a whole matches. A pattern of a damaged form matches nothing. */
bool dockerfile_match(const char *pattern, const char *path);

/* Whether it has a character that a pattern reads as one. */
bool dockerfile_is_pattern(const char *text);

/*
 * "a/b" of "/./a//b/". Owned.
 * @is_root  where it begins there is nothing above: ".." stays there. Otherwise NULL then.
 */
char *dockerfile_clean(const char *path, bool is_root);

#endif
