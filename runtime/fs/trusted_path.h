/*
 * trusted_path - open a user's path, unless another user may have redirected it.
 *
 * All paths that our programs write or make are walked here (tools/check-layers refuses other
 * ways). The walk goes name by name, by descriptor, and expands links itself, so it judges every
 * link on the way, also those that a link leads over.
 *
 *   LINKS_OF_CALLER  Follow a link where only the caller and root can put one: in a directory of
 *                    theirs where other users cannot write. With the sticky bit (/tmp) follow a
 * link that belongs to the caller or root, as the kernel does (fs.protected_symlinks). For flags of
 * a command line. LINKS_OF_SYSTEM  Of these follow only links that a program in a sandbox cannot
 * have made: such a program can have the caller's rights in a directory that was mounted for it,
 *                    and leave a link for the next run. So the caller's own directories do not
 *                    count, nor does one that the caller may write to; for root only "/", /dev and
 *                    procfs remain. For inputs of a model's programs: agent, repl, keys.
 *
 * "/", /dev and procfs are the system's for both. The rules hold for an ordinary user, too: another
 * user's link could lead to a file of the caller (~/.ssh) as well as to one of root. The one
 * difference: a directory that is writable for its group counts as shared only for root. An
 * ordinary user usually is the only member of that group (fs/make_dir.h).
 *
 * We trust the kernel about the owner of a directory. A FUSE mount of a user can report any owner,
 * but other users see it only if the administrator permits allow_other (fuse.conf).
 *
 * Touches the OS. Runs: anywhere outside. Needs: what open(2) needs.
 * Errors of all: ERR_INPUT for a link, whose text names it and the remedy; else ERR_SYSTEM.
 */
#ifndef GLOVEBOX_FS_TRUSTED_PATH_H
#define GLOVEBOX_FS_TRUSTED_PATH_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

enum trusted_links { LINKS_OF_CALLER, LINKS_OF_SYSTEM };

/*
 * A host path that we write or make: a type of its own, so that a setting that names one is a row
 * of that kind (SETTING_WRITTEN), and other functions cannot open it.
 */
struct written_path {
	const char *text; /* borrowed; NULL: not given */
};

/* For paths that are not settings. */
static inline struct written_path written_path(const char *text)
{
	return (struct written_path){text};
}

/*
 * trusted_path_find - open an existing file or directory of any type. Returns an owned O_PATH
 * descriptor, or -1.
 */
int trusted_path_find(const char *path, enum trusted_links links, struct err *e);

/*
 * trusted_path_make - the same for a directory; makes missing ones with mode 0755, where other
 * users cannot exchange names (make_dir.h).
 */
int trusted_path_make(struct written_path path, enum trusted_links links, struct err *e);

/* Open an existing directory. Returns an owned descriptor for reading, or -1. */
int trusted_path_directory(const char *path, enum trusted_links links, struct err *e);

/* Open the parent directory; *name becomes the last name (borrowed). An owned O_PATH descriptor. */
int trusted_path_parent(struct written_path path, enum trusted_links links, const char **name,
			struct err *e);

/*
 * trusted_path_read - open a regular file for reading, or the target of /dev and procfs (a pipe of
 * the shell). It refuses a FIFO elsewhere at once, without waiting. LINKS_OF_SYSTEM holds.
 */
int trusted_path_read(const char *path, struct err *e);

/*
 * trusted_path_write - open a file for writing; made if missing.
 *
 * @more  O_TRUNC (after all checks), O_EXCL (no link is followed as the last name; e->number is
 *        EEXIST), O_APPEND, O_NONBLOCK (stays on).
 * @mode  of a new file.
 *
 * It opens a regular file, or a terminal or pipe behind /dev and procfs. With LINKS_OF_CALLER also
 * a device or a FIFO elsewhere, which other users cannot have put there: it waits for the reader of
 * the caller's own, like a shell, unless O_NONBLOCK is given. Where other users can make names, a
 * file must have only one name, and with the sticky bit belong to the caller or the directory's
 * owner (as with fs.protected_regular). Another user's lease is an error (EAGAIN).
 */
int trusted_path_write(struct written_path path, enum trusted_links links, int more, mode_t mode,
		       struct err *e);

#endif
