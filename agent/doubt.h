/*
 * doubt - what of an answer comes from nowhere: numbers that nothing showed, files that nobody
 * made.
 *
 * Touches the OS: looks whether a file of /output is there.
 */
#ifndef GLOVEBOX_AGENT_DOUBT_H
#define GLOVEBOX_AGENT_DOUBT_H

#include "agent/data/event.h"
#include "agent/reply/numbers.h"
#include "base/list.h"

/* Numbers that an execution shows are known. */
void doubt_learn(struct numbers *known, const struct execution *x);

struct doubt {
	struct unknown_numbers numbers;
	struct list files; /* relative to /output */
};

/*
 * Find it, with the numbers that the model could know, and let the result name it: the result
 * borrows from *out until doubt_fini().
 */
void doubt_find(const struct numbers *known, int output_fd, const char *answer, struct doubt *out,
		struct task_result *result);
void doubt_fini(struct doubt *d);

#endif
