/*
 * idempotency - Idempotency-Key: who did not get a reply asks again, and nothing runs twice.
 *
 * The same key with the same body gets the same reply, with the header Idempotent-Replayed. Kept
 * are results only (serve/idempotency_store.h): what was refused, or ended because whoever asked
 * had left, has left nothing behind, and runs anew.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_IDEMPOTENCY_H
#define GLOVEBOX_SERVE_IDEMPOTENCY_H

#include "serve/http.h"
#include "serve/idempotency_store.h"

/*
 * idempotency_enter - whether a request whose body is there may run; false: it has been answered.
 *
 * @streams  its reply would be a stream, which is not kept: refused with a key.
 * @out      end it with idempotency_keep() or idempotency_drop(); NULL: it has no key.
 */
bool idempotency_enter(struct request *r, bool streams, struct idempotency_entry **out);

#endif
