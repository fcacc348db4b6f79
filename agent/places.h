/*
 * places - the two directories of the user that the sandbox sees.
 *
 * Paths are resolved once, without following a link that a program may have put there
 * (trusted_path.h). What a program can write must not be on the path of a later mount, so a
 * workspace below the output directory is refused, too.
 *
 * Touches the OS: makes the output directory if it is missing, and removes it if it was made here,
 * is empty and nobody else uses it.
 */
#ifndef GLOVEBOX_AGENT_PLACES_H
#define GLOVEBOX_AGENT_PLACES_H

#include "agent/options.h"
#include "base/err.h"

struct places {
	char *workspace;  /* absolute, resolved, owned; NULL: there is none */
	char *output;     /* absolute, resolved, owned */
	int workspace_fd; /* owned; -1 */
	int output_fd;    /* owned */
	int lock_fd;      /* owned: of the output directory, shared by all who use it; -1 */
	bool output_made; /* here */
};

/* Nothing is open. */
struct places places_none(void);

/*
 * places_open - resolve both, and make the output directory if it is missing.
 *
 * A workspace that does not exist counts as none, unless the user has named it.
 *
 * @out  owned: places_close(). Empty on error.
 * Errors: ERR_SYSTEM, ERR_INPUT; the text begins with the flag. Nothing is left behind.
 */
int places_open(const struct agent_options *o, struct places *out, struct err *e);

/* Safe for places_none(). */
void places_close(struct places *p);

#endif
