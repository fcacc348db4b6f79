/*
 * egress_preset - lists of hosts that have a name, in files.
 *
 * A preset NAME is the file NAME in the first of these directories that has one:
 *
 *   ~/.config/glovebox/egress.d    or what XDG_CONFIG_HOME says
 *   /etc/glovebox/egress.d
 *   those that come with glovebox  (spec/egress_shipped.h)
 *
 * In the first two, directory and file must belong to root or to us, and nobody else may write to
 * them.
 *
 * Touches the OS: reads these files. Runs: faces.  Needs: nothing.
 */
#ifndef GLOVEBOX_SPEC_EGRESS_PRESET_H
#define GLOVEBOX_SPEC_EGRESS_PRESET_H

#include <limits.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/list.h"

#define EGRESS_PRESET_NAME  64     /* bytes at most */
#define EGRESS_PRESET_BYTES 65536u /* of a file, at most */

/* Where one was found. */
struct egress_preset {
	unsigned place; /* of the directories above, from 0 */
	char path[PATH_MAX];
	struct buf text; /* owned: buf_fini() */
};

/*
 * egress_preset_word - the name of the preset that an entry of a list means, in lower case and
 * owned; NULL if it is none: a preset is a word without a dot, a colon and the like.
 */
char *egress_preset_word(const char *text);

/* Whether a text is the name of a preset that can be read. */
bool egress_preset_is_there(const char *text);

/*
 * egress_preset_read - the text of a preset: at most 64 KiB without a NUL.
 *
 * @from  the first directory to look in: a file that names itself means the one behind it.
 * Errors: ERR_INPUT, naming the file, or the directories if none has it and what they have;
 * ERR_SYSTEM. *out holds nothing then.
 */
int egress_preset_read(const char *name, unsigned from, struct egress_preset *out, struct err *e);

/*
 * egress_preset_read_own - a file of that name in the first two places, whatever it is about.
 *
 * Returns 0; 1 if neither has one; or -1 as above. Unless it is 0 *out holds nothing.
 */
int egress_preset_read_own(const char *name, struct egress_preset *out, struct err *e);

/*
 * egress_preset_line - the next entry of such a text, without its comment and the blanks around it.
 *
 * @text    in and out: what is left; cut in place
 * @number  in and out: the number of its line, from 1; 0 at first
 * NULL: there is none.
 */
char *egress_preset_line(char **text, unsigned *number);

/* Append the names that files of a directory have, whoever may write to it: for people. */
void egress_preset_names(const char *directory, struct list *out);

#endif
