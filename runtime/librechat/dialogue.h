/*
 * dialogue - a program whose calls of tools its client answers, between two of its requests.
 *
 * It holds what the program needs to begin anew: its request, and the calls that have been
 * answered. The key's oldest one goes where there are too many, and each when nobody has asked for
 * it for ten minutes: a client that gives up says nothing.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_LIBRECHAT_DIALOGUE_H
#define GLOVEBOX_LIBRECHAT_DIALOGUE_H

#include <sys/queue.h>

#include "base/buf.h"
#include "base/json.h"
#include "librechat/stored_id.h"
#include "request/server.h"

#define DIALOGUE_CALLS 200 /* of one program */

struct dialogue {
	LIST_ENTRY(dialogue) link; /* of server->dialogues, newest first */
	char token[STORED_ID_SIZE];
	char owner[DIGEST_HEX];
	struct buf body;    /* the request: a JSON object */
	struct buf history; /* answered calls: JSON objects and commas */
	unsigned answered;
	struct buf waiting; /* calls that wait for an answer: a JSON list of {name, input} */
	bool is_running;
	uint64_t used_us; /* monotonic */
};

/* The dialogue of a token; NULL: the key has none of it. */
struct dialogue *dialogue_find(const struct server *s, const struct key *key, const char *token);

/* A new one. Errors: ERR_LIMIT: the server holds too much already. */
struct dialogue *dialogue_begin(struct server *s, const struct key *key, const struct json *body,
				struct err *e);

/*
 * dialogue_answer - take a client's results: a list of {call_id, result, is_error, error_message}.
 * Those of calls that are answered already change nothing: a client may repeat itself.
 * Errors: ERR_INPUT: it is none, or names a call that there is not; ERR_LIMIT.
 */
int dialogue_answer(struct dialogue *d, const struct server *s, const struct json *results,
		    struct err *e);

/* The name of the call at an index of those that wait, as the client knows it. */
void dialogue_call_id(const struct dialogue *d, size_t index, char out[16]);

void dialogue_end(struct dialogue *d);
void dialogue_end_all(struct server *s);

#endif
