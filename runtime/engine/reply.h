/*
 * reply - a request that one command of glovebox answers (service/verb.h).
 *
 * A client that leaves does not take the command back, as with Docker: it goes on, and its answer
 * is dropped.
 *
 * Runs: engine. Needs: nothing beyond what the command needs.
 */
#ifndef GLOVEBOX_ENGINE_REPLY_H
#define GLOVEBOX_ENGINE_REPLY_H

#include "base/list.h"
#include "engine/server.h"
#include "service/verb.h"

/*
 * Answer from what the command has printed; it has succeeded.
 * @data  of reply_run().
 */
typedef void reply_shape(struct request *r, const struct verb_result *result, void *data);

/*
 * reply_run - run it, and answer the request.
 *
 * @words  taken over.
 * @in     its standard input, taken over; -1: none.
 * @shape  NULL: 204, without a body.
 * @data   given to @shape, and freed by @drop, in any case; NULL: free(3).
 * A command that fails is answered by the kind of its error.
 */
void reply_run(struct request *r, struct list *words, int in, reply_shape *shape, void *data,
	       void (*drop)(void *data));

/*
 * Answer what the command could not do in another way. Returns false: by the kind of its error.
 */
typedef bool reply_refusal(struct request *r, const struct err *e, void *data);

/* reply_refuses - the command that reply_run() has just started is refused by this. */
void reply_refuses(struct request *r, reply_refusal *refuse);

/* A reply_refusal: the container was there, so its program is not, or cannot be executed: 400. */
bool reply_lacks_program(struct request *r, const struct err *e, void *data);

/* Forget all: the server ends. */
void reply_end_all(struct server *s);

/* Append words: reply_words(&l, "rm", "--force", id). */
#define reply_words(list, ...) reply_add((list), (const char *const[]){__VA_ARGS__, NULL})
void reply_add(struct list *l, const char *const *words);

#endif
