/*
 * told - what the code of a cell tells while it runs, and the replies to what it asks.
 *
 * rootfs/guest/live.py describes the events. Each comes as a frame through a pipe; a mark in
 * standard output tells when it is due, so that displays and text keep their order. At most one
 * event is held: the code waits to tell the next one. Every byte is hostile: a frame that is too
 * large or no strict JSON ends the channel, and the rest is not read.
 *
 * Runs: kernel. Needs: nothing.
 */
#ifndef GLOVEBOX_KERNEL_TOLD_H
#define GLOVEBOX_KERNEL_TOLD_H

#include <stdbool.h>

#include "base/json.h"
#include "client/hub.h"
#include "session/exchange.h"
#include "wire/frame.h"

struct told {
	struct hub *hub;
	void (*take)(void *context, const struct json *event);
	void *context;

	struct hub_watch watch;
	int events;         /* owned */
	int replies;        /* owned; -1: nothing can be asked */
	struct frame frame; /* of the event that comes */
	struct json *event; /* that has come, in the frame's memory; NULL: none */
};

/*
 * told_open - make the pipes.
 *
 * @t       zeroed but for hub, take and context.
 * @asks    the client can be asked.
 * @theirs  out: descriptors for the request; owned by the caller. @count: of them.
 * Errors: ERR_SYSTEM. End with told_close() in any case.
 */
int told_open(struct told *t, bool asks, int theirs[EXCHANGE_HANDED], unsigned *count,
	      struct err *e);

/* A mark has come: take the event that belongs to it, if it is there. Returns whether it was. */
bool told_take(struct told *t);

/* Reply to what was asked. @text: NULL: the reply cannot be sent. */
void told_reply(struct told *t, const char *text);

void told_close(struct told *t);

#endif
