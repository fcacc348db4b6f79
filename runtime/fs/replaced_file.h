/*
 * replaced_file - replace a user's file completely or not at all.
 *
 * We write to a new file beside the old one, which in the end takes its place and mode: a full disk
 * does no harm. We write in place if the name is not a regular file, is a link, has several names,
 * belongs to another user, or lies in a directory that accepts no new file.
 *
 * Touches the OS. Runs: anywhere outside. A process that is killed leaves ".glovebox-*" there.
 */
#ifndef GLOVEBOX_FS_REPLACED_FILE_H
#define GLOVEBOX_FS_REPLACED_FILE_H

#include <stdbool.h>

#include "fs/trusted_path.h"

struct replaced_file {
	int fd; /* to write to; owned */
	int parent;
	char *name;
	char beside[40]; /* "": write in place */
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
 * The same for a file that must not be lost: it refuses to write in place, and the file is on the
 * disk when replaced_file_end() has succeeded. The group stays as well: a server of another user
 * may read the file by it. LINKS_OF_SYSTEM holds, and only the owner may read a new file.
 */
int replaced_file_open_durable(struct replaced_file *f, struct written_path path, struct err *e);

/*
 * replaced_file_end - put the new file in place, or discard it.
 * @whole  everything has been written.
 * Returns 0, or -1 with errno.
 */
int replaced_file_end(struct replaced_file *f, bool whole);

#endif
