/*
 * kernel - a Jupyter kernel whose cells run in a sandboxed session: what its parts share.
 *
 *   client -- ZeroMQ -- glovebox kernel -- session (a warm cell)
 *
 * Requests on the shell socket are taken one after the other: the next one is read when the last
 * has been answered. Control, replies to input() and the heartbeat never wait for it. The key of
 * the messages stays in this process; code in the session cannot make a message.
 *
 * Runs: kernel. Needs: what asking a supervisor for a cell needs.
 */
#ifndef GLOVEBOX_KERNEL_KERNEL_H
#define GLOVEBOX_KERNEL_KERNEL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "client/hub.h"
#include "kernel/history.h"
#include "kernel/message.h"
#include "kernel/sockets.h"
#include "service/notebook.h"
#include "service/place.h"

/* A message of the shell socket that was received before its turn. */
struct aside {
	STAILQ_ENTRY(aside) link;
	struct frames parts;
};

struct told; /* kernel/told.h */
struct work; /* kernel/work.h */

struct kernel {
	struct hub *hub;
	struct sockets *sockets;
	struct signer signer;
	struct place place; /* the session */
	const char *image;
	char *version;       /* of its Python; owned; NULL: not known */
	uint64_t timeout_ms; /* of one cell */
	struct history history;
	unsigned execution_count;

	struct message request;     /* of the shell socket, that is being done */
	bool is_busy;               /* it is */
	STAILQ_HEAD(, aside) aside; /* waited when a cell failed: those to execute are not */
	bool is_aborting;           /* `request` is one of these */
	struct work *work;          /* what is under way in the session; NULL: nothing */
	struct told *asked;         /* what waits for a reply to input(); NULL: nothing */
	char question[33];          /* the id of that message */
	bool is_over;
};

/* -- what is sent (publish.c) ---------------------------------------------------------------- */

/* Publish something about a request. @content: a JSON object. */
void kernel_publish(struct kernel *k, const struct message *parent, const char *type,
		    const struct buf *content);

/* Publish a text of a stream: "stdout", "stderr". */
void kernel_publish_stream(struct kernel *k, const char *name, const char *text, size_t length);

/* Publish an error, whose traceback is a list of texts as JSON. */
void kernel_publish_error(struct kernel *k, const char *name, const char *value,
			  const char *traceback);

/* Begin and end a request: the status that clients show. */
void kernel_publish_status(struct kernel *k, const struct message *parent, const char *state);

/* Reply to a request; its type is the request's, with _reply. */
void kernel_reply(struct kernel *k, enum kernel_socket socket, const struct message *request,
		  const struct buf *content);

/* -- what is done ---------------------------------------------------------------------------- */

/* Act on messages that have come and need not wait (shell.c). Returns whether more may be there. */
bool kernel_receive(struct kernel *k);

/*
 * A cell has failed: cells that wait are not executed. Called before its reply: a client that sends
 * one more when it has that means it.
 */
void kernel_abort_waiting(struct kernel *k);
void kernel_forget_waiting(struct kernel *k);

/* The request of the shell socket has been answered: the next may come. */
void kernel_is_done(struct kernel *k);

/* Interrupt what runs in the session. */
void kernel_interrupt(struct kernel *k);

#endif
