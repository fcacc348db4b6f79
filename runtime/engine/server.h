/*
 * server - what the routes of the Engine's socket share.
 *
 * The server keeps nothing that another one could not read as well: sandboxes, images and volumes
 * are the user's, on the disk, and execs lie in the records of their sandboxes.
 *
 * Runs: engine. Needs: nothing.
 */
#ifndef GLOVEBOX_ENGINE_SERVER_H
#define GLOVEBOX_ENGINE_SERVER_H

#include <sys/queue.h>

#include "base/list.h"
#include "client/hub.h"
#include "web/http.h"

/* The newest version that is spoken, and the oldest. */
#define ENGINE_MINOR       51
#define ENGINE_MINOR_LEAST 24
#define ENGINE_API         "1.51"
#define ENGINE_API_LEAST   "1.24"

struct server {
	struct hub *hub;
	struct http *http;
	LIST_HEAD(, reply) replies;
	LIST_HEAD(, streaming) streams;
	struct watcher *watcher; /* owned */
	struct site site;
	struct route *routes; /* owned: the site's */
	struct list network;  /* flags of each container, unless it wants no network */
};

/* The version before a path: 41 of /v1.41/...; without one the newest. */
unsigned server_minor(const struct request *r);

#endif
