/*
 * capacity - the replies when there is no place for a run, or no cell.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_CAPACITY_H
#define GLOVEBOX_SERVE_CAPACITY_H

#include "serve/admission.h"
#include "serve/http.h"

/*
 * capacity_ask - ask for a place for a key: of those for runs, or of as many for what is done to
 * sessions beside them (files, checkpoints, freezes), which must not wait for programs. Of each a
 * key has its "concurrency" at most, and where that is not named, half.
 *
 * @key  held until admission_leave().
 */
void capacity_ask(struct server *server, struct key *key, bool is_run, struct ticket *t);

/* The replies when there is no place among those that run (429), and when no cell can be had. */
void capacity_refuse_place(struct request *r, uint64_t seconds);
void capacity_refuse(struct request *r, const struct err *e);

/* The latter, as far as a stranger may know why. */
void capacity_explain(struct err *e);

/* capacity_told - write an error to the log, and return what a stranger may know of it. */
struct err capacity_told(struct server *server, const struct err *e);

#endif
