/*
 * gate - authenticate a request, and check where it comes from, by its headers, before its body is
 * read.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_REQUEST_GATE_H
#define GLOVEBOX_REQUEST_GATE_H

#include "web/http.h"

/*
 * gate_admit - find the key of a request: r->key, held until gate_forget().
 * Returns false if the request has been refused and answered.
 */
bool gate_admit(struct request *r);

/*
 * gate_admit_as - the same of a request that says by other means whose it is.
 * @key  NULL: refused with 401 and @why.
 */
bool gate_admit_as(struct request *r, struct key *key, const char *why);
void gate_forget(struct request *r);

/* Reply 429: the key's requests hold too much already. */
void gate_turn_away(struct request *r);

/* Shutdown: reply 503 to requests that still wait. */
#define GATE_ENDING "this server is ending"
void gate_dismiss(struct request *r);

/* {"detail": text} */
void gate_explain(unsigned status, const char *text, size_t length, struct buf *body);

/* Set Retry-After for a refusal. */
void gate_advise(struct request *r, uint64_t seconds);

#endif
