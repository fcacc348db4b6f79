/*
 * progress - a command whose lines go to the client as JSON, one object per line, as they come.
 *
 * The reply begins with the first of them: what fails before has a status, and what fails later is
 * a line {"error": ..., "errorDetail": ...}, as with Docker. A client that leaves ends the command.
 *
 * Runs: engine. Needs: nothing beyond what the command needs.
 */
#ifndef GLOVEBOX_ENGINE_PROGRESS_H
#define GLOVEBOX_ENGINE_PROGRESS_H

#include "base/list.h"
#include "engine/server.h"

struct progress_wish {
	const char *key; /* of each line: "status", "stream" */
	bool has_ends;   /* a line keeps its end, as "stream" has it */
	bool is_quiet;   /* lines of standard error are dropped */
	char *lost;      /* what a failure means, said before the cause; NULL; taken over */
};

/*
 * progress_run - run it, and answer the request.
 * @words  taken over.
 * @in     its standard input, taken over; -1: none.
 */
void progress_run(struct request *r, struct list *words, int in, const struct progress_wish *wish);

#endif
