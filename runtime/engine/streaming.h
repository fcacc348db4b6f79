/*
 * streaming - a command whose output goes to the client as it comes, and whose input comes from it.
 *
 * The two streams of a program without a terminal are told apart by frames: a byte 1 or 2, three
 * zeroes, the length (4 bytes, the highest first). A client that does not read holds its command
 * up, and no other. A client that has sent all it will has ended its half only: output goes on.
 *
 * Runs: engine. Needs: nothing beyond what the command needs.
 */
#ifndef GLOVEBOX_ENGINE_STREAMING_H
#define GLOVEBOX_ENGINE_STREAMING_H

#include "base/list.h"
#include "engine/server.h"
#include "service/verb.h"

enum streaming_begin {
	BEGIN_MORE,
	BEGIN_STREAM,
	BEGIN_ANSWERED,
};

struct streaming_wish {
	bool framed;   /* else bytes as they are, of both streams */
	bool out;      /* the client wants standard output */
	bool errors;   /* the same of its errors */
	bool input;    /* the client's bytes go to the command; else they are dropped */
	bool upgrades; /* the reply may become 101 */
	bool waits;    /* the reply begins when the command says that it is ready */
	/*
	 * Judge the first bytes of the output, before the reply: BEGIN_MORE is asked again with
	 * more; BEGIN_ANSWERED: the route has answered, and the command is ended. NULL.
	 */
	enum streaming_begin (*begin)(struct request *r, const struct buf *first, void *context);
	bool terminal; /* the command's standard input is a terminal, with a size */
	uint16_t rows;
	uint16_t columns;
	int in;           /* the command's standard input, taken over; 0: none */
	char key[65];     /* of the container or the exec, for streaming_resize() */
	const char *type; /* of the reply; NULL: by `framed` */
	/*
	 * Output, 1, and errors, 2, are turned into what is sent: append it. The reply begins with
	 * the first of it. At its end there is more to append, or *e to set: with a reply that has
	 * not begun that is its status. Both or NULL.
	 */
	void (*filter)(void *context, int stream, const char *bytes, size_t length,
		       struct buf *out);
	void (*filter_end)(void *context, const struct verb_result *result, struct buf *out,
			   struct err *e);
	/*
	 * The command has ended: more may be sent, before the stream ends. NULL: a client that
	 * leaves takes its command along; else that goes on, and @r is NULL here.
	 */
	void (*ended)(struct request *r, const struct verb_result *result, void *context);
	void (*drop)(void *context); /* frees the context; NULL */
	void *context;
};

/*
 * streaming_run - answer a request by it.
 * @words  taken over.
 */
void streaming_run(struct request *r, struct list *words, const struct streaming_wish *wish);

/* A `begin`: the reply begins with the first output; a command that fails before has a status. */
enum streaming_begin streaming_at_output(struct request *r, const struct buf *first, void *context);

/* Forget all: the server ends. */
void streaming_end_all(struct server *s);

/* Answer ?h= and ?w=: the size of the terminals with that key that are streamed here. */
void streaming_resize(struct request *r, const char *key);

/* Send some bytes of a stream, 1 or 2, as its client wants them. */
void streaming_send(struct request *r, bool framed, int stream, const char *bytes, size_t length);

#endif
