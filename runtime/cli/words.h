/*
 * words - the words of a command: its flags at any place, and names.
 *
 * Runs: every command of `glovebox`. Needs: nothing.
 */
#ifndef GLOVEBOX_CLI_WORDS_H
#define GLOVEBOX_CLI_WORDS_H

#include "base/err.h"
#include "spec/setting.h"

#define WORDS_ANY (-1)

/*
 * words_read - read the flags of a command.
 *
 * @argv   argv[0] is its name, for messages; rearranged: the names come last.
 * @rows   its flags; NULL: it has none. @flags: the struct that they fill.
 * @least, @most  how many names it takes; WORDS_ANY: no matter how many.
 * Returns the index of the first name, or -1 with *e.
 */
int words_read(int argc, char **argv, const struct setting *rows, void *flags, int least, int most,
	       struct err *e);

/*
 * words_each - do something to each name from argv[at] on.
 *
 * @one  returns 0: print the name; -1 with *e: print that, and go on with the next; 1: it has
 * printed what there is to say.
 * Returns the exit status.
 */
int words_each(int argc, char *const *argv, int at,
	       int (*one)(void *context, const char *word, struct err *e), void *context);

#endif
