/*
 * reach - the way from a directory to what a clean path names, through no link, and through a mount
 * from "/" alone.
 *
 * Touches the OS. Runs: mover. Needs: the right to search the directories.
 */
#ifndef GLOVEBOX_MOVER_REACH_H
#define GLOVEBOX_MOVER_REACH_H

#include <stdbool.h>
#include <sys/stat.h>

struct reach {
	int dir;    /* O_PATH: the directory of `rest` */
	char *rest; /* the last name; "." for the directory itself */
	bool wants_directory;
	bool crosses; /* from "/" mounts are crossed: the path names what it names to a program */
};

/*
 * reach_begin - open the directory. @path: changed; it may end with a slash, for a directory.
 * Returns 0, or a negative errno.
 */
long reach_begin(struct reach *r, const char *root, char *path);

/*
 * reach_walk - go to the directory of the last name.
 *
 * @make  make what is missing, mode 0755. Without it -ENOENT leaves `dir` and `rest` at the first
 *        name that is missing.
 * Returns 0, or a negative errno: -ELOOP at a link, -EXDEV at a mount.
 */
long reach_walk(struct reach *r, bool make);

/* reach_look - reach_begin() and reach_walk(), and look at the last name: -EXDEV at a mount. */
long reach_look(struct reach *r, const char *root, char *path, struct stat *st);

#endif
