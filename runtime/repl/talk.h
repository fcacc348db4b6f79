/*
 * talk - read lines, run them in the session, and show the results.
 *
 * It behaves like python(1) at a terminal: an empty line ends a block, the value of an expression
 * is shown, Ctrl-C at the prompt discards typed text, exit() and Ctrl-D leave.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_REPL_TALK_H
#define GLOVEBOX_REPL_TALK_H

#include "base/err.h"
#include "service/place.h"

struct talk {
	struct place *place; /* borrowed, like the rest */
	int signal_fd;
	int figures_fd;      /* directory for figures; -1: do not save them */
	uint64_t timeout_ms; /* of a block; SPEC_UNLIMITED: none */
	const char *formats; /* of figures: members of a request */
};

/*
 * talk_run - run until the user leaves, or a kept session is lost. Returns the exit status.
 * Errors: -1: the terminal cannot be used.
 */
int talk_run(const struct talk *t, struct err *e);

#endif
