/*
 * replay - a model that repeats what it said in a transcript.
 *
 * Replies come in their recorded order with their statistics, as pieces if the request asks for a
 * stream. A conversation has several tasks. Nothing is enforced: a file that was changed, is cut
 * off, or belongs to another conversation is played as far as it goes, with a warning.
 *
 * The file is as hostile as a server: it is bounded, and every text in it counts as a model's.
 * Touches the OS: reads one file when it is opened.
 */
#ifndef GLOVEBOX_AGENT_REPLAY_H
#define GLOVEBOX_AGENT_REPLAY_H

#include <stdbool.h>

#include "agent/data/model.h"

#define REPLAY_BYTES (256u << 20) /* largest transcript */

struct replay_options {
	/* A line of ours for the user; may be NULL. */
	void (*warn)(void *context, const char *text);
	void *context;
	bool paced; /* pieces come at the recorded speed, at most 30 s per reply */
};

/* Owned by the caller: model->free(). NULL: it cannot be read, or has no reply at all. */
struct model *replay_open(const char *path, const struct replay_options *options, struct err *e);

/* The name of the recorded model; NULL: not in the file. Borrowed from m. */
const char *replay_model_name(const struct model *m);

/*
 * replay_begin_task - go to the replies of one task, and play only those.
 *
 * @number  from 0; a task without any reply is not counted.
 * Returns the text of the task, borrowed from m; NULL: there are no more. If it is never called,
 * all replies of the file are played in order.
 */
const char *replay_begin_task(struct model *m, size_t number);

#endif
