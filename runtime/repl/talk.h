/*
 * talk - lines are read, run in the session, and what comes of them is shown.
 *
 * As python(1) at a terminal: a block goes on until an empty line, the value of an expression is
 * shown, Ctrl-C at the prompt drops what was typed, exit() and Ctrl-D leave.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_REPL_TALK_H
#define GLOVEBOX_REPL_TALK_H

#include "base/err.h"
#include "repl/place.h"

struct talk {
	struct place *place; /* borrowed, as the rest */
	int signal_fd;
	int figures_fd;      /* directory for figures; -1: they stay open */
	uint64_t timeout_ms; /* of a block; SPEC_UNLIMITED: none */
	const char *formats; /* of figures: members of a request */
};

/*
 * talk_run - until somebody leaves, or a kept session is lost.
 * Returns the exit status.
 * Errors: -1: the terminal cannot be used.
 */
int talk_run(const struct talk *t, struct err *e);

#endif
