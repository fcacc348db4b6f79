/*
 * dialogue - a program whose calls of tools its client answers, between two of its requests.
 *
 * It holds what the program needs to begin anew: its request, and the calls that have been
 * answered. The key's oldest one goes where the key has too many, and each when nobody has gone on
 * with it for ten minutes: a client that gives up says nothing.
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
	struct buf waiting; /* calls that wait for an answer: a JSON list of {id, key} */
	unsigned waits;     /* how many these are */
	unsigned calls;     /* all that it has made, and those that wait: the number of the last */
	bool is_running;
	bool is_told;     /* the client knows its token */
	uint64_t used_us; /* monotonic */
};

/* The dialogue of a token; NULL: there is none. */
struct dialogue *dialogue_find(const struct server *s, const char *token);

/* A new one. Errors: ERR_LIMIT: it is too large, or the key has too many that run. */
struct dialogue *dialogue_begin(struct server *s, const struct key *key, const struct json *body,
				struct err *e);

/*
 * dialogue_ask - the program waits for answers: put its calls with their ids, as a JSON list.
 * @calls  a list of {name, input, key}; a key is the guest's (tool_calls.py), of 64 characters.
 * Errors: ERR_INPUT: it is none, or there are too many; ERR_LIMIT: they are too large.
 */
int dialogue_ask(struct dialogue *d, const struct json *calls, struct buf *out, struct err *e);

/*
 * dialogue_answer - take a client's results: a list of {call_id, result, is_error, error_message},
 * one for each call that waits. One of calls that are answered already changes nothing: a client
 * may repeat itself.
 * Errors: ERR_INPUT: it is none; ERR_LIMIT.
 */
int dialogue_answer(struct dialogue *d, const struct json *results, struct err *e);

void dialogue_end(struct dialogue *d);
void dialogue_end_of(const struct server *s, const struct key *key); /* but those that run */
void dialogue_end_all(struct server *s);

#endif
