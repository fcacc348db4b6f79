/*
 * exit_status - the exit statuses of `glovebox agent`; options_text.c explains them to people.
 */
#ifndef GLOVEBOX_AGENT_EXIT_STATUS_H
#define GLOVEBOX_AGENT_EXIT_STATUS_H

enum exit_status {
	EXIT_ANSWERED = 0,
	EXIT_UNANSWERED = 3, /* the cap of rounds, or the deadline */
	EXIT_MODEL = 4,      /* the model or its server failed */
	EXIT_OURS =
		125, /* nothing was begun, no sandbox could be made, or nobody reads our output */
	EXIT_CANCELLED = 130, /* Ctrl-C */
};

#endif
