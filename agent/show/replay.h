/*
 * replay - a model that says what it said in a transcript.
 *
 * Replies come in their recorded order with their statistics, as pieces where the request
 * asks for a stream. A conversation has several tasks. Nothing is checked by force: a file that was
 * changed, is cut off, or belongs to another conversation is played as far as it goes, with a
 * warning.
 *
 * The file is hostile in the same way as a server: bounded, and every text of it is one of
 * a model. Touches the OS: reads one file when it is opened.
 */
#ifndef GLOVEBOX_AGENT_REPLAY_H
#define GLOVEBOX_AGENT_REPLAY_H

#include <stdbool.h>

#include "agent/data/model.h"

#define REPLAY_BYTES (256u << 20) /* most of one transcript */

struct replay_options {
	/* A line of ours for the user; may be NULL. */
	void (*warn)(void *context, const char *text);
	void *context;
	bool paced; /* pieces come at the recorded speed, at most 30 s a reply */
};

/* Owned by the caller: model->free(). NULL: cannot be read, or holds no reply at all. */
struct model *replay_open(const char *path, const struct replay_options *options, struct err *e);

/* The model that was recorded; NULL: not in the file. Borrowed from m. */
const char *replay_model_name(const struct model *m);

/*
 * replay_begin_task - go to the replies of one task, and stay with them.
 *
 * @number  from 0; a task to which no reply came is not counted.
 * Returns what the task was, borrowed from m; NULL: there are no more. Without it, all
 * replies of the file belong to what is asked.
 */
const char *replay_begin_task(struct model *m, size_t number);

#endif
