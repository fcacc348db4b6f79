/*
 * walk - everything in and below a directory, by descriptor.
 *
 *     auto_walk struct walk w = {.room = 1000};
 *
 *     if (walk_begin(&w, dir_fd, -1, ""))
 *             return err_sys(e, "read %s", path);
 *     while (walk_next(&w) > 0) {
 *             look at w.name in w.dir_fd;
 *             if it is a directory, and not too deep: walk_enter(&w, walk_open(&w), -1);
 *     }
 *
 * The caller decides which directory is entered, when, and by which descriptor; no link is followed
 * unless the caller does so. A directory that is entered holds one descriptor until everything
 * below it was seen; one that is put off holds none. No function calls itself, however deep the
 * tree is.
 *
 * Touches the OS. Runs: anywhere outside. Needs: the right to read the directories.
 */
#ifndef GLOVEBOX_BASE_WALK_H
#define GLOVEBOX_BASE_WALK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct walk_level;
struct walk_put_off;

struct walk {
	/* Set by the caller. */
	size_t room;           /* names that may be read in all directories together */
	bool directories_last; /* in each directory */

	bool cut; /* there were more names */

	/* The current entry of walk_next(); borrowed until the next call. */
	int dir_fd;
	int beside_fd; /* given with that directory, or -1 */
	const char *name;
	const char *path; /* the prefix, then the names on the way, separated by slashes */
	unsigned depth;   /* 1: in the first directory */

	/* Only for walk.c. */
	bool begun;
	int root_fd;
	size_t prefix_length;
	struct buf text;
	struct walk_level *levels;
	size_t level_count;
	struct walk_put_off *put_off;
	size_t put_off_next;
	size_t put_off_count;
};

/*
 * walk_begin - begin in a directory.
 *
 * @dir_fd, @beside_fd  borrowed, and not needed afterwards. The second, or -1, goes with the first:
 *          the directory to which this one is copied, for example.
 * @prefix              the beginning of every path; "" for paths below the directory.
 * Returns 0, or -1 with errno. End with walk_fini(), or auto_walk, even after an error.
 */
int walk_begin(struct walk *w, int dir_fd, int beside_fd, const char *prefix);

/*
 * walk_next - go to the next entry, sorted by bytes.
 *
 * Returns 1; 0 at the end; -1 with errno if a directory that was put off can no longer be read:
 * w->path is its path, and the walk can continue.
 */
int walk_next(struct walk *w);

/* Open the entry, a directory, for reading. Owned by the caller; -1 with errno, also for a link. */
int walk_open(const struct walk *w);

/*
 * walk_enter - continue in the entry, before its neighbours.
 * @dir_fd, @beside_fd  taken over, even on errors. -1 for the first is passed on as an error.
 * Returns 0, or -1 with errno; the walk can continue.
 */
int walk_enter(struct walk *w, int dir_fd, int beside_fd);

/*
 * walk_put_off - continue in the entry when everything found before is done, nearest first. It is
 * opened again by its path below the first directory; no link or mount is accepted on that way.
 */
void walk_put_off(struct walk *w);

void walk_fini(struct walk *w);
#define auto_walk __attribute__((cleanup(walk_fini)))

#endif
