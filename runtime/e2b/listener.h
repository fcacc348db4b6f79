/*
 * listener - requests that are answered by what a program prints, or a directory's watcher tells,
 * until that ends.
 *
 * A client that does not read holds the program up: `hold` is called for it, and when one has left.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_E2B_LISTENER_H
#define GLOVEBOX_E2B_LISTENER_H

#include <sys/queue.h>

#include "client/hub.h"
#include "e2b/connect.h"

/* Those of one program; embed it with hub, hold, context and beat filled in. */
struct audience {
	struct hub *hub;
	void (*hold)(void *context, bool held);
	void *context;
	const char *beat; /* JSON: it goes on, and has nothing to tell */
	struct buf start; /* owned by what embeds it; JSON that comes first; empty: not yet */
	LIST_HEAD(, listener) listeners;
};

/* The request listens from now on; its stream begins when `start` is there. */
void listener_add(struct audience *a, struct request *r);

/* `start` is there: begin the streams with it. */
void listener_open_all(struct audience *a);

/* Send a message to all. */
void listener_tell_all(struct audience *a, const struct buf *json);

/* End all streams; @message  NULL: without an error. */
void listener_end_all(struct audience *a, enum connect_code code, const char *message);

/*
 * The sandbox is gone: end the streams that have begun.
 * @refuse  of the other requests.
 */
void listener_refuse_all(struct audience *a, void (*refuse)(struct request *r));

#endif
