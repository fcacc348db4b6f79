/*
 * requests - serve each request to the warm supervisor.
 *
 * Runs: supervisor. Needs: nothing.
 */
#ifndef GLOVEBOX_WARM_REQUESTS_H
#define GLOVEBOX_WARM_REQUESTS_H

#include "warm/clients.h"

enum outcome {
	OUTCOME_DONE,  /* answered: drop the connection */
	OUTCOME_STAYS, /* answered: the connection stays, with its loan */
	OUTCOME_WAITS, /* try again later */
};

/* Try to serve a client's request; refuse it when its time to wait is over. */
enum outcome request_serve(struct supervisor *s, struct client *c, uint64_t now_us);

/* Answer with an error, without waiting for its arrival. */
void request_refuse(int fd, const struct err *e);

#endif
