/*
 * capacity - replies to requests that get no place or no cell.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_REQUEST_CAPACITY_H
#define GLOVEBOX_REQUEST_CAPACITY_H

#include "base/err.h"
#include "web/http.h"

/* Reply 429: no place among the runs. capacity_refuse(): reply that no cell can be had. */
void capacity_refuse_place(struct request *r, uint64_t seconds);
void capacity_refuse(struct request *r, const struct err *e);

/* Replace the cause why no cell can be had by a text for clients. */
void capacity_explain(struct err *e);

/* capacity_told - log an error, and return what a client may know of it. */
struct err capacity_told(struct server *server, const struct err *e);

#endif
