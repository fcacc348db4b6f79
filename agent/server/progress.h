/*
 * progress - how far a long job of the server is: a bar at a terminal, plain lines elsewhere.
 */
#ifndef GLOVEBOX_AGENT_PROGRESS_H
#define GLOVEBOX_AGENT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Begin with zeros but for the first two. */
struct progress {
	FILE *out;
	bool terminal;
	char status[80]; /* that is shown now; "" */
	int shown;       /* percent; -1: the step has no size */
};

/* `context` is a struct progress; made for struct ollama_progress. */
void progress_step(void *context, const char *status, uint64_t completed, uint64_t total);

/* End the line that is open. */
void progress_end(struct progress *p);

#endif
