/*
 * listener - requests that are answered by what a program prints, until that ends.
 *
 * A client that does not read holds the program up: `hold` is called for it.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_E2B_LISTENER_H
#define GLOVEBOX_E2B_LISTENER_H

#include <sys/queue.h>

#include "client/hub.h"
#include "e2b/connect.h"

/* Those of one program; embed it with hub, hold and context filled in. */
struct audience {
	struct hub *hub;
	void (*hold)(void *context, bool held);
	void *context;
	uint32_t number; /* of the program; 0: it has not been executed */
	LIST_HEAD(, listener) listeners;
};

/* The request listens from now on; its stream begins when the program has been executed. */
void listener_add(struct audience *a, struct request *r);

/* The program has been executed: begin the streams, each with its number. */
void listener_open_all(struct audience *a, uint32_t number);

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
