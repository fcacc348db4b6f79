/*
 * origin - whether a request may come from its web page and to its Host.
 *
 * A page of any site can make its reader's browser send requests to this machine. The browser
 * reports the host that it believes to talk to (Host) and the page's site (Origin), and does not
 * lie. So:
 *
 *  - On loopback Host must be a name of this machine, or one of --allow-host. Any other name is a
 *    site whose DNS was made to point here (DNS rebinding): the browser takes us for that site.
 *  - A page of another origin may only read, wherever we listen: GET, HEAD and OPTIONS. Our own
 *    origin is "http" or "https" with the value of Host. "null" is foreign.
 *  - An origin of --cors counts as our own, and its pages may read replies; others get no headers
 *    of CORS.
 *
 * Programs send no Origin, and HTTP/1.0 clients no Host; browsers always do. A proxy in front of
 * web pages must pass Host on, or its origin must be given.
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_WEB_ORIGIN_H
#define GLOVEBOX_WEB_ORIGIN_H

#include <stdbool.h>

#include "base/err.h"
#include "base/list.h"

enum origin_listen {
	LISTEN_LOOPBACK,
	LISTEN_UNIX,
	LISTEN_PUBLIC,
};

struct origin_rules {
	bool is_tls;       /* we serve https: pages of http:// are foreign */
	struct list hosts; /* --allow-host: from origin_add_host() */
	struct list cors;  /* --cors: from origin_add_cors() */
};

/* Headers of a request; duplicates were refused before (400). */
struct origin_request {
	enum origin_listen listen; /* where it came in */
	const char *method;
	const char *host;   /* NULL: missing */
	const char *origin; /* NULL: missing */
};

/* origin_rules_fini - free the rules. */
void origin_rules_fini(struct origin_rules *rules);

/*
 * origin_add_host, origin_add_cors - add a value of a flag: a name without a port, with a dot in
 * front for all names below it;
 * scheme://host[:port] without a path. Errors: ERR_INPUT, without the flag's name.
 */
int origin_add_host(struct origin_rules *rules, const char *name, struct err *e);
int origin_add_cors(struct origin_rules *rules, const char *origin, struct err *e);

/*
 * origin_check - judge a request, before its body is read.
 *
 * @cors  out: the value of Access-Control-Allow-Origin, borrowed from the rules; then also send
 *        "Vary: Origin", and answer OPTIONS with what is allowed. NULL: none.
 * Errors: ERR_DENIED (403); ERR_INPUT (400): malformed Host. The text quotes nothing of the
 * request.
 */
int origin_check(const struct origin_rules *rules, const struct origin_request *request,
		 const char **cors, struct err *e);

#endif
