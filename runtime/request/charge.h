/*
 * charge - the bytes of files for which a request charges its key until its reply is sent.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_REQUEST_CHARGE_H
#define GLOVEBOX_REQUEST_CHARGE_H

#include "store/file_store.h"
#include "web/http.h"

/* The charge of a request; none at first. */
struct file_store_hold *charge_of(struct request *r);

/* Release it. */
void charge_release(struct request *r);

#endif
