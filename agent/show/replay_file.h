/*
 * replay_file - the model's side of a transcript, read.
 *
 * What does not matter for a replay (executions, notices) is passed over. A line that is
 * no JSON, or does not follow the one before it by its hash, is told and passed over, or
 * told and used.
 *
 * Touches the OS: reads one file.
 */
#ifndef GLOVEBOX_AGENT_REPLAY_FILE_H
#define GLOVEBOX_AGENT_REPLAY_FILE_H

#include <stdbool.h>

#include "agent/data/chat.h"
#include "agent/data/sha256.h"
#include "base/err.h"

/* A message as far as it is compared. */
struct heard {
	enum chat_role role;
	char hash[SHA256_HEX]; /* of its content */
};

struct recorded_reply {
	struct chat_reply reply;
	struct heard *heard; /* what had been sent, without system texts */
	size_t heard_count;
	bool asked; /* there was a request before it */
};

struct recorded_task {
	char *text;
	size_t first; /* reply */
};

struct recording {
	struct recorded_reply *replies;
	size_t reply_count;
	char *model;                 /* of the first request; NULL */
	struct recorded_task *tasks; /* with a reply each */
	size_t task_count;
	bool tools; /* a reply came where they were offered */
	bool thinking;
};

/* What a message that is sent now is compared by. */
struct heard recording_hear(const struct chat_message *m);
bool recording_is_same(const struct heard *a, const struct heard *b);

/*
 * recording_read - read a transcript as far as it goes.
 *
 * @warn  gets a line about what is wrong with the file.
 * Errors: ERR_SYSTEM, ERR_INPUT when there is no reply in it. Owned: recording_fini(), also
 * after an error.
 */
int recording_read(const char *path, struct recording *out,
		   void (*warn)(void *context, const char *text), void *context, struct err *e);

/* The same from its text. */
int recording_parse(const char *text, size_t length, struct recording *out,
		    void (*warn)(void *context, const char *text), void *context, struct err *e);

void recording_fini(struct recording *r);

#endif
