/*
 * walk - go through a tree, name by name, without following a link.
 *
 * The caller opens each directory and enters it; the directories on the way stay open.
 *
 * Touches the OS. Runs: mover. Needs: the right to read the directories.
 */
#ifndef GLOVEBOX_MOVER_WALK_H
#define GLOVEBOX_MOVER_WALK_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>

#define WALK_DEPTH 256 /* directories that are open at once */

/* How the caller opens one. */
#define WALK_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)

struct walk_level {
	int fd;        /* owned */
	int beside;    /* owned; the same directory of another tree, for the caller; -1 */
	size_t length; /* of the directory's name, for the caller */
	bool is_told;  /* for the caller */
	long at;       /* in what was read */
	long end;
};

/* The deepest directory; NULL: none. */
struct walk_level *walk_top(void);

/* The directories on the way, from 0; NULL: there are not so many. */
struct walk_level *walk_at(unsigned depth);

/* @fd: owned from now on. Not when walk_is_full(). */
struct walk_level *walk_enter(int fd, size_t length);
bool walk_is_full(void);
void walk_leave(void);

/*
 * walk_next - the next name of the deepest directory, "." and ".." left out.
 *
 * @type   of getdents64; DT_UNKNOWN where the file system does not say.
 * @error  0, or a negative errno: the directory cannot be read on.
 * Returns NULL at its end.
 */
const char *walk_next(unsigned char *type, long *error);

/* Append "/name" to a path of TAR_NAME_MOST bytes at most. The new length; 0: it does not fit. */
size_t walk_append(char *path, size_t length, const char *name);

#endif
