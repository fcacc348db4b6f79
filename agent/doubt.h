/*
 * doubt - find numbers and files in an answer that no execution produced.
 *
 * Touches the OS: checks whether files of /output exist.
 */
#ifndef GLOVEBOX_AGENT_DOUBT_H
#define GLOVEBOX_AGENT_DOUBT_H

#include "agent/data/event.h"
#include "agent/reply/numbers.h"
#include "base/list.h"

/* Add the numbers that an execution shows to the known ones. */
void doubt_learn(struct numbers *known, const struct execution *x);

struct doubt {
	struct unknown_numbers numbers;
	struct list files; /* relative to /output */
};

/*
 * Find the doubtful numbers and files of an answer. The result borrows the lists from *out until
 * doubt_fini().
 */
void doubt_find(const struct numbers *known, int output_fd, const char *answer, struct doubt *out,
		struct task_result *result);
void doubt_fini(struct doubt *d);

#endif
