/*
 * kept - orders to the monitor of a sandbox that stays.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_CONTAINER_KEPT_H
#define GLOVEBOX_CONTAINER_KEPT_H

#include "base/err.h"
#include "record/record.h"

/* Make a request without words (monitor/messages.h), such as "unpause", and wait until it is done.
 */
int kept_order(const struct record *r, const char *op, struct err *e);

#endif
