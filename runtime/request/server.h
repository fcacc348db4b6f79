/*
 * server - the state that all routes share.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_REQUEST_SERVER_H
#define GLOVEBOX_REQUEST_SERVER_H

#include <sys/queue.h>

#include "client/hub.h"
#include "client/supplier.h"
#include "flags/serve_settings.h"
#include "request/account.h"
#include "request/sessions.h"
#include "spec/spec.h"
#include "store/file_store.h"
#include "store/settler.h"
#include "tenant/admission.h"
#include "tenant/audit.h"
#include "tenant/ceiling.h"
#include "tenant/keys.h"
#include "tenant/log.h"
#include "tenant/metrics.h"
#include "web/flight.h"
#include "web/http.h"
#include "web/origin.h"

struct box;
struct dialogue;
struct mcp_clients;
struct mcp_exchange;
struct removal;

struct server {
	struct hub *hub;
	struct serve_options options;
	char *image;               /* canonical */
	struct list faces;         /* "NAME=ADDRESS", of each --face */
	struct list packages;      /* of the image (image/image_packages.h) */
	struct buf installed;      /* `packages` as text */
	struct sandbox_spec terms; /* defaults of a run */
	struct ceiling shipped;    /* policy/ceiling.json, compiled in */
	struct ceiling ceiling;    /* of this server, within `shipped` */
	struct keys keys;
	struct key *local; /* owned; the key of requests that need none */
	struct origin_rules origin;
	struct file_store *files;
	struct settler settler; /* syncs `files` */
	struct sessions sessions;
	struct supplier supplier;
	struct admission admission; /* of runs, calls and new sessions */
	struct admission upkeep;    /* of all other work on sessions */
	struct flight_pool flights;
	struct metrics metrics;
	struct log log;
	struct audit *audit;           /* NULL: off */
	LIST_HEAD(, account) accounts; /* running and waiting, newest first */
	unsigned executions;           /* serve/execute.c: not yet released */
	struct http *http;
	LIST_HEAD(, mcp_exchange) exchanges; /* MCP messages (serve/mcp_http.h) */
	struct mcp_clients *clients;         /* NULL: no client yet (serve/mcp_client.h) */
	LIST_HEAD(, box) boxes;              /* sandboxes of other makers' APIs (box/box.h) */
	LIST_HEAD(, dialogue) dialogues;     /* of LibreChat's (librechat/dialogue.h) */
	LIST_HEAD(, removal) removals;       /* running (serve/removal.h) */
	bool is_draining;
};

/* routes.c */
extern const struct route routes[]; /* end with a null method */
extern const struct site routes_site;

#endif
