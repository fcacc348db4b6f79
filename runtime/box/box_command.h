/*
 * box_command - one command in a box for a request: a further program of its session
 * (session/further.h), beside its interpreter and all other commands.
 *
 *   box_command_open    the request runs something
 *   box_command_begin   all is read: ask for a place, then start it
 *   box_command_close   instead of box_command_begin(): the request has been refused
 *
 * A client that leaves ends its command.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_BOX_BOX_COMMAND_H
#define GLOVEBOX_BOX_BOX_COMMAND_H

#include "base/list.h"
#include "box/box.h"
#include "request/execute_stream.h"
#include "request/permit.h"
#include "session/further.h"

struct box_command;

/* The part that differs between faces. */
struct box_command_face {
	const struct box_face *box;     /* NULL: it has none */
	const struct stream_form *form; /* of those that stream; NULL: none does */
	/* It has ended: answer, or end the stream. */
	void (*reply)(struct box_command *c);
	/* It could not start, or nobody knows how it ended. NULL: 500. */
	void (*fail)(struct box_command *c, const struct err *e);
	/* Texts of refusals. */
	const char *late;   /* 504: its time was over; NULL: that is an end as any */
	const char *paused; /* 409 */
	const char *gone;
	unsigned gone_status;
};

struct box_command {
	const struct box_command_face *face;
	struct request *request; /* NULL: the client is gone */
	struct server *server;
	/* filled in by the face before box_command_begin() */
	struct list words;   /* at least one */
	struct list env;     /* KEY=VALUE, over the session's */
	const char *workdir; /* borrowed; NULL: the session's */
	char *code;          /* owned; that the audit records */
	bool streams;
	struct sandbox_spec terms; /* read; its wall time, and the bytes of each stream */
	/* for `reply` */
	struct further_result result;
	struct buf out[2]; /* standard output and error, unless it streams; their ends are marked */
	bool is_cut[2];
	struct execute_stream stream;
	uint64_t began_us; /* 0: not begun */
	/* private to box_command.c */
	char name[HANDLE_BYTES]; /* of the session */
	struct permit permit;
	struct further *further;
	uint64_t taken[2]; /* bytes */
};

/* Owned by the request from now on. @name  of the session, which the key may reach. */
struct box_command *box_command_open(struct request *r, const struct box_command_face *face,
				     const char *name);
void box_command_begin(struct box_command *c);
void box_command_close(struct box_command *c);

/* Its exit status, or 128 and the number of a signal. */
int box_command_status(const struct box_command *c);

#endif
