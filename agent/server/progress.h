/*
 * progress - show a long job of the server: a bar at a terminal, plain lines elsewhere.
 */
#ifndef GLOVEBOX_AGENT_PROGRESS_H
#define GLOVEBOX_AGENT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Set the first two members, and the rest to zero. */
struct progress {
	FILE *out;
	bool terminal;
	char status[80]; /* shown now; "" */
	int shown;       /* percent; -1: the step has no size */
};

/* Show the current step. @total  0: the step has no size. */
void progress_step(struct progress *p, const char *status, uint64_t completed, uint64_t total);

/* End the line. */
void progress_end(struct progress *p);

#endif
