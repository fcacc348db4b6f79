/*
 * replaced_file - a file that a user named, replaced as a whole or not at all.
 *
 * What is written goes into a new file beside the old one, which takes its place, and its mode, in
 * the end: a full disk costs nothing. In place, as before, are written: what is no regular file, a
 * link, a file with several names, another user's file, and a directory that takes no new file.
 *
 * Touches the OS. Runs: anywhere outside. A process that is killed leaves ".glovebox-*" there.
 */
#ifndef GLOVEBOX_BASE_REPLACED_FILE_H
#define GLOVEBOX_BASE_REPLACED_FILE_H

#include <stdbool.h>

#include "base/trusted_path.h"

struct replaced_file {
	int fd; /* to write to; owned */
	int parent;
	char *name;
	char beside[40]; /* "": it is written in place */
	bool durable;
};

/*
 * @path, @links  as for trusted_path_write().
 * @mode          of a new file; 0: 0644 less the umask.
 * On success end it with replaced_file_end().
 */
int replaced_file_open(struct replaced_file *f, struct written_path path, enum trusted_links links,
		       mode_t mode, struct err *e);

/*
 * The same for what must not be lost: it is refused instead of written in place, and it is on the
 * disk when replaced_file_end() has succeeded. The group stays as well: a server of another user
 * may read it by that. LINKS_OF_SYSTEM holds, and a new file is for its owner alone.
 */
int replaced_file_open_durable(struct replaced_file *f, struct written_path path, struct err *e);

/*
 * replaced_file_end - put it into its place, or forget what was written.
 * @whole  everything has been written.
 * Returns 0, or -1 with errno.
 */
int replaced_file_end(struct replaced_file *f, bool whole);

#endif
