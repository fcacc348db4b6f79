/*
 * watcher - a directory of a sandbox of E2B's API that is watched, for one client: as a stream, or
 * polled.
 *
 * A client that does not read holds its watcher up; when the kernel has no more room for what
 * changes meanwhile, the watcher ends with an error.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_E2B_WATCHER_H
#define GLOVEBOX_E2B_WATCHER_H

#include <stdbool.h>

#include "base/json.h"
#include "e2b/e2b_box.h"
#include "web/http.h"

#define WATCHER_MOST 16 /* of one sandbox */

/*
 * watcher_start - watch what a message asks for; it answers the request when it watches.
 * @is_polled  with an id for the functions below; else with a stream.
 */
void watcher_start(struct request *r, struct e2b_box *b, const struct json *wish, bool is_polled);

/* Answer with what has changed since the last time, or end it. @wish: has its id. */
void watcher_poll(struct request *r, const struct e2b_box *b, const struct json *wish);
void watcher_remove(struct request *r, const struct e2b_box *b, const struct json *wish);

/* The sandbox has ended. */
void watcher_free_all(struct e2b_box *b);

#endif
