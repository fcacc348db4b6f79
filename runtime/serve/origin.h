/*
 * origin - whether a request comes from where it may: web pages are clients, too.
 *
 * A page of any site can make its reader's browser send requests to this machine. The browser says
 * truthfully to whom it believes to speak (Host) and which page is behind it (Origin). So:
 *
 *  - On loopback Host must be a name of this machine, or one that --allow-host gave. Another is a
 *    site whose own name has just begun to lead here (DNS rebinding); to the browser we are it.
 *  - A page of another origin changes nothing, wherever we listen: only GET, HEAD and OPTIONS
 *    pass. Its own origin is "http" or "https", and what Host says. "null" is foreign.
 *  - What --cors gave is as good as our own, and its pages may read the answers: for nobody else
 *    there are any headers of CORS.
 *
 * Programs send no Origin, and old ones (HTTP/1.0) no Host; browsers always do. Behind a proxy of
 * web pages Host must be passed on, or the origin given.
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_ORIGIN_H
#define GLOVEBOX_SERVE_ORIGIN_H

#include <stdbool.h>

#include "base/err.h"
#include "base/list.h"

enum origin_listen {
	LISTEN_LOOPBACK,
	LISTEN_UNIX,
	LISTEN_PUBLIC,
};

struct origin_rules {
	enum origin_listen listen;
	bool is_tls;       /* ours: no page of http:// is from here */
	struct list hosts; /* --allow-host: from origin_add_host() */
	struct list cors;  /* --cors: from origin_add_cors() */
};

/* A header that is there twice is refused before (400). */
struct origin_request {
	const char *method;
	const char *host;   /* NULL: there is none */
	const char *origin; /* NULL: there is none */
};

/* origin_rules_fini - free what was given. */
void origin_rules_fini(struct origin_rules *rules);

/*
 * origin_add_host, origin_add_cors - one more of a flag; a name without a port, and
 * scheme://host[:port] without a path. Errors: ERR_INPUT, without the flag's name.
 */
int origin_add_host(struct origin_rules *rules, const char *name, struct err *e);
int origin_add_cors(struct origin_rules *rules, const char *origin, struct err *e);

/*
 * origin_check - the judgement on one request, before its body is read.
 *
 * @cors  out: the value of Access-Control-Allow-Origin, borrowed from the rules; then "Vary:
 *        Origin" belongs there, too, and an OPTIONS is answered with what is allowed. NULL: none.
 * Errors: ERR_DENIED (403), or ERR_INPUT (400) for a Host that is none; the text says why, and
 * quotes nothing of the request.
 */
int origin_check(const struct origin_rules *rules, const struct origin_request *request,
		 const char **cors, struct err *e);

#endif
