/*
 * gate - who asks, and from where: judged from the headers alone, before a body is read.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_GATE_H
#define GLOVEBOX_SERVE_GATE_H

#include "serve/http.h"

/*
 * gate_admit - find whose request this is: r->key, held until gate_forget().
 * Returns false if it may not go on; then it has been answered.
 */
bool gate_admit(struct request *r);
void gate_forget(struct request *r);

/* The key may not hold more than it does now: 429. */
void gate_turn_away(struct request *r);

/* The server ends, and this still waits: 503. */
#define GATE_ENDING "this server is ending"
void gate_dismiss(struct request *r);

/* Retry-After, for a reply that refuses. */
void gate_advise(struct request *r, uint64_t seconds);

#endif
