/*
 * capacity - the replies when there is no place for a run, or no cell.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_CAPACITY_H
#define GLOVEBOX_SERVE_CAPACITY_H

#include "serve/http.h"

/* The replies when there is no place among those that run (429), and when no cell can be had. */
void capacity_refuse_place(struct request *r, uint64_t seconds);
void capacity_refuse(struct request *r, const struct err *e);

/* The latter, as far as a stranger may know why. */
void capacity_explain(struct err *e);

#endif
