/*
 * replay_file - the model's side of a transcript, read.
 *
 * What does not matter for a replay (executions, notices) is skipped. A line that is not JSON
 * causes a warning and is skipped; a line whose hash does not follow the one before it causes a
 * warning and is used.
 *
 * Touches the OS: reads one file.
 */
#ifndef GLOVEBOX_AGENT_REPLAY_FILE_H
#define GLOVEBOX_AGENT_REPLAY_FILE_H

#include <stdbool.h>

#include "agent/data/chat.h"
#include "base/encode.h"
#include "base/err.h"

/* A message, as far as it is compared. */
struct heard {
	enum chat_role role;
	char hash[DIGEST_HEX]; /* of its content */
};

struct recorded_reply {
	struct chat_reply reply;
	struct heard *heard; /* what had been sent, without system texts */
	size_t heard_count;
	bool asked; /* a request came before it */
};

struct recorded_task {
	char *text;
	size_t first; /* reply */
};

struct recording {
	struct recorded_reply *replies;
	size_t reply_count;
	char *model;                 /* of the first request; NULL */
	struct recorded_task *tasks; /* each with a reply */
	size_t task_count;
	bool tools; /* a reply came to a request that offered them */
	bool thinking;
};

/* Make and compare the recorded form of a message that is sent now. */
struct heard recording_hear(const struct chat_message *m);
bool recording_is_same(const struct heard *a, const struct heard *b);

/*
 * recording_read - read a transcript as far as it goes.
 *
 * @warn  gets a line about each defect of the file.
 * Errors: ERR_SYSTEM, ERR_INPUT when there is no reply in it. Owned: recording_fini(), even after
 * an error.
 */
int recording_read(const char *path, struct recording *out,
		   void (*warn)(void *context, const char *text), void *context, struct err *e);

/* The same from its text. */
int recording_parse(const char *text, size_t length, struct recording *out,
		    void (*warn)(void *context, const char *text), void *context, struct err *e);

void recording_fini(struct recording *r);

#endif
