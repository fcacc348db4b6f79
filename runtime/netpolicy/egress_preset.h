/*
 * egress_preset - named lists of hosts, in files.
 *
 * A preset NAME is the file NAME in the first of these directories that has one:
 *
 *   ~/.config/glovebox/egress.d    or below XDG_CONFIG_HOME
 *   /etc/glovebox/egress.d
 *   the lists shipped with glovebox  (netpolicy/egress_shipped.h)
 *
 * In the first two, directory and file must belong to root or to us, and nobody else may write to
 * them.
 *
 * Touches the OS: reads these files. Runs: faces.  Needs: nothing.
 */
#ifndef GLOVEBOX_NETPOLICY_EGRESS_PRESET_H
#define GLOVEBOX_NETPOLICY_EGRESS_PRESET_H

#include <limits.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/list.h"

#define EGRESS_PRESET_NAME  64     /* bytes at most */
#define EGRESS_PRESET_BYTES 65536u /* of a file, at most */

/* A list, and the directory that had it. */
struct egress_preset {
	unsigned place; /* index of the directory, in the order above */
	char path[PATH_MAX];
	struct buf text; /* owned: buf_fini() */
};

/*
 * egress_preset_word - the name of the preset that an entry of a list means, in lower case.
 *
 * Returns an owned string; NULL for an entry that is a host: a preset is a word without dots,
 * colons and the like.
 */
char *egress_preset_word(const char *text);

/* Whether the text names a preset that we can read. */
bool egress_preset_is_there(const char *text);

/*
 * egress_preset_read - the text of a preset: at most 64 KiB without a NUL.
 *
 * @from  the first directory to look in: a file that names itself means the next directory's.
 * Errors: ERR_INPUT, naming the file, or the directories and their lists if none has it;
 * ERR_SYSTEM. *out is empty then.
 */
int egress_preset_read(const char *name, unsigned from, struct egress_preset *out, struct err *e);

/*
 * egress_preset_read_own - a file of that name in the first two directories; its content is not
 * checked.
 *
 * Returns 0; 1 if neither has one; or -1 as above. *out is empty unless it is 0.
 */
int egress_preset_read_own(const char *name, struct egress_preset *out, struct err *e);

/*
 * egress_preset_line - the next entry of a preset's text, without its comment and the blanks around
 * it.
 *
 * @text    in and out: the remaining text; cut in place
 * @number  in and out: the number of its line, from 1; 0 at first
 * Returns NULL at the end.
 */
char *egress_preset_line(char **text, unsigned *number);

/* Append the names of a directory's files, for messages: their owners are not checked. */
void egress_preset_names(const char *directory, struct list *out);

#endif
