/*
 * trusted_path - open a path of the user's, unless somebody else may have redirected it.
 *
 * The only walk by which our programs reach what they write or make (tools/check-layers refuses
 * others). It goes name by name, by descriptor, and expands links itself, so every link on the way
 * is judged, those that a link leads over as well.
 *
 *   LINKS_OF_CALLER  A link is followed where nobody but the caller and root can put one: in a
 *                    directory of theirs where others cannot write. In one with the sticky bit
 *                    (/tmp) a link that belongs to the caller or root is followed, as the kernel
 *                    does (fs.protected_symlinks). For flags of a command line.
 *   LINKS_OF_SYSTEM  Of these only links that no program in a sandbox can have made: such a program
 *                    can have the caller's rights in a directory that was mounted for it, and leave
 *                    a link for the next run. So the caller's own directories do not count, nor
 *                    does any that the caller may write to; for root only "/", /dev and procfs
 *                    remain. For what a model's programs are given: agent, repl, keys.
 *
 * "/", /dev and procfs are the system's for both. The rules hold for an ordinary user, too: another
 * user's link could lead to a file of the caller's (~/.ssh) as well as to one of root's. The one
 * difference: a directory that is writable for its group is shared with others only for root. An
 * ordinary user mostly is the only member of that group (base/make_dir.h).
 *
 * The kernel's word is believed for who owns a directory. A FUSE mount of a user's can say what it
 * likes, but shows itself to others only where the administrator permits allow_other (fuse.conf).
 *
 * Touches the OS. Runs: anywhere outside. Needs: what open(2) needs.
 * Errors of all: ERR_INPUT for a link, whose text names it and the remedy; else ERR_SYSTEM.
 */
#ifndef GLOVEBOX_BASE_TRUSTED_PATH_H
#define GLOVEBOX_BASE_TRUSTED_PATH_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

enum trusted_links { LINKS_OF_CALLER, LINKS_OF_SYSTEM };

/*
 * A path of the host that is written or made: a type of its own, so that a setting that names one
 * is a row of that kind (SETTING_WRITTEN), and nothing else opens it.
 */
struct written_path {
	const char *text; /* borrowed; NULL: none was given */
};

/* For paths that are not settings. */
static inline struct written_path written_path(const char *text)
{
	return (struct written_path){text};
}

/*
 * trusted_path_find - what is there: a directory, a file, or anything else.
 * Returns an owned O_PATH descriptor, or -1.
 */
int trusted_path_find(const char *path, enum trusted_links links, struct err *e);

/*
 * trusted_path_make - the same for a directory; what is missing is made with mode 0755, where no
 * other user can exchange names (make_dir.h).
 */
int trusted_path_make(struct written_path path, enum trusted_links links, struct err *e);

/* An existing directory. Returns an owned descriptor for reading, or -1. */
int trusted_path_directory(const char *path, enum trusted_links links, struct err *e);

/* The directory around the last name, which *name becomes (borrowed). An owned O_PATH descriptor.
 */
int trusted_path_parent(struct written_path path, enum trusted_links links, const char **name,
			struct err *e);

/*
 * trusted_path_read - open a regular file for reading, or what /dev and procfs lead to (a pipe of
 * the shell). A FIFO elsewhere is refused at once, without waiting. LINKS_OF_SYSTEM holds.
 */
int trusted_path_read(const char *path, struct err *e);

/*
 * trusted_path_write - open a file for writing; made if missing.
 *
 * @more  O_TRUNC (after all checks), O_EXCL (no link is followed as the last name; e->number is
 *        EEXIST), O_APPEND, O_NONBLOCK (stays on).
 * @mode  of a new file.
 *
 * A regular file, a terminal or a pipe behind /dev and procfs. By LINKS_OF_CALLER a device and a
 * FIFO elsewhere, too, which no other user can have put there: the caller's own is waited for, as
 * in a shell, unless O_NONBLOCK is given. Where other users can make names, a file must have one
 * name only, and with the sticky bit belong to the caller or the directory's owner (as by
 * fs.protected_regular). Another user's lease is an error (EAGAIN).
 */
int trusted_path_write(struct written_path path, enum trusted_links links, int more, mode_t mode,
		       struct err *e);

#endif
