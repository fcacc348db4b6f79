/*
 * verb_child - the process of a command, and our ends of its streams (service/verb.h).
 *
 * Runs: engine. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVICE_VERB_CHILD_H
#define GLOVEBOX_SERVICE_VERB_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/list.h"

struct verb_command {
	const struct list *words; /* behind the name docker */
	/* Its standard input, taken over; -1: none, or with `feeds` what goes into the end `feed`.
	 */
	int in;
	bool feeds;
	/* Its standard input is a terminal, of this size; what the terminal prints is dropped. */
	bool terminal;
	uint16_t rows;
	uint16_t columns;
};

/* Standard output, standard errors, and what the command tells (base/told.h). */
enum { VERB_OUT, VERB_ERRORS, VERB_TOLD, VERB_STREAMS };

/* All owned, non-blocking. */
struct verb_child {
	pid_t pid; /* in a process group of its own */
	int streams[VERB_STREAMS];
	int feed; /* a pipe's end, or the master of a terminal; -1: it has no input of ours */
};

static inline struct verb_child verb_child_none(void)
{
	return (struct verb_child){
		.streams = {-1, -1, -1},
                  .feed = -1
        };
}

/* verb_child_start - start it; command->in is closed. On error nothing is left. */
int verb_child_start(const struct verb_command *command, struct verb_child *out, struct err *e);

#endif
