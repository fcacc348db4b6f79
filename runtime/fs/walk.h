/*
 * walk - visit everything in and below a directory, by descriptor.
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
 * The caller decides which directory to enter, when, and by which descriptor; only the caller can
 * follow links. An entered directory holds one descriptor until everything below it was visited; a
 * postponed one holds none. The walk does not recurse, however deep the tree is.
 *
 * Touches the OS. Runs: anywhere outside. Needs: the right to read the directories.
 */
#ifndef GLOVEBOX_FS_WALK_H
#define GLOVEBOX_FS_WALK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct walk_level;
struct walk_put_off;

struct walk {
	/* Set by the caller. */
	size_t room;           /* the most names to read in all directories together */
	bool directories_last; /* in each directory */

	bool cut; /* incomplete: more names than that */

	/* The current entry of walk_next(); borrowed until the next call. */
	int dir_fd;
	int beside_fd; /* passed with that directory, or -1 */
	const char *name;
	const char *path; /* the prefix, then the names on the way, separated by slashes */
	unsigned depth;   /* 1: in the first directory */

	/* Private to walk.c. */
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
 * walk_begin - start in a directory.
 *
 * @dir_fd, @beside_fd  borrowed for this call only. The second, or -1, accompanies the first: the
 *                      directory to which this one is copied, for example.
 * @prefix              the beginning of every path; "" for paths below the directory.
 * Returns 0, or -1 with errno. End with walk_fini(), or auto_walk, even after an error.
 */
int walk_begin(struct walk *w, int dir_fd, int beside_fd, const char *prefix);

/*
 * walk_next - go to the next entry, sorted by bytes.
 *
 * Returns 1; 0 at the end; -1 with errno if a postponed directory can no longer be read: w->path is
 * its path, and the walk can continue.
 */
int walk_next(struct walk *w);

/* Open the entry, a directory, for reading. Owned by the caller; -1 with errno, also for a link. */
int walk_open(const struct walk *w);

/*
 * walk_enter - continue in the entry, before its neighbours.
 * @dir_fd, @beside_fd  owned by the call, also on error. -1 for the first is an error.
 * Returns 0, or -1 with errno; the walk can continue.
 */
int walk_enter(struct walk *w, int dir_fd, int beside_fd);

/*
 * walk_put_off - continue in the entry after everything found before, nearest first. It is reopened
 * by its path below the first directory, without following links or mounts.
 */
void walk_put_off(struct walk *w);

void walk_fini(struct walk *w);
#define auto_walk __attribute__((cleanup(walk_fini)))

#endif
