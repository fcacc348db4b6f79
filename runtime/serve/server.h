/*
 * server - what all routes share.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_SERVER_H
#define GLOVEBOX_SERVE_SERVER_H

#include "client/hub.h"
#include "client/supplier.h"
#include "serve/account.h"
#include "serve/admission.h"
#include "serve/audit.h"
#include "serve/ceiling.h"
#include "serve/file_store.h"
#include "serve/flight.h"
#include "serve/http.h"
#include "serve/keys.h"
#include "serve/log.h"
#include "serve/metrics.h"
#include "serve/origin.h"
#include "serve/sessions.h"
#include "serve/settler.h"
#include "spec/serve_settings.h"
#include "spec/spec.h"

struct mcp_clients;
struct mcp_exchange;
struct removal;

struct server {
	struct hub *hub;
	struct serve_options options;
	char *image;               /* canonical */
	struct list packages;      /* of it (client/image_packages.h) */
	struct buf installed;      /* the same, in words */
	struct sandbox_spec terms; /* of a run that asks for nothing */
	struct ceiling shipped;    /* policy/ceiling.json */
	struct ceiling ceiling;    /* of this server, below it */
	struct keys keys;
	struct key *local; /* owned; whose requests are that need no key */
	struct origin_rules origin;
	struct file_store *files;
	struct settler settler; /* of these */
	struct sessions sessions;
	struct supplier supplier;
	struct admission admission; /* of runs, calls and new sessions */
	struct admission upkeep;    /* of all else that is done to a session */
	struct flight_pool flights;
	struct metrics metrics;
	struct log log;
	struct audit *audit;      /* NULL: nobody asked for one */
	struct account *accounts; /* of what runs or waits; the newest first */
	unsigned executions;      /* serve/execute.h: that are not let go of yet */
	struct http *http;
	struct mcp_exchange *exchanges; /* of MCP (serve/mcp_http.h) */
	struct mcp_clients *clients;    /* NULL: none has had an id (serve/mcp_client.h) */
	struct removal *removals;       /* of keys (serve/removal.h) */
	bool is_draining;
};

extern const struct route routes[]; /* routes.c; end with a null method */

#endif
