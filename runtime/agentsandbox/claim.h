/*
 * claim - the sandbox that a request of agent-sandbox's API means, begun if it is not there.
 *
 * Its name is that of a session, derived from the headers X-Sandbox-ID and X-Sandbox-Namespace and
 * from the key: nothing is stored, keys are apart, and a server that begins anew finds it again. A
 * sandbox that has ended begins anew, empty.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_AGENTSANDBOX_CLAIM_H
#define GLOVEBOX_AGENTSANDBOX_CLAIM_H

#include "request/session_work.h"

#define CLAIM_HOME "/app"

/* The name of its session. Returns -1: a header is malformed; nothing has been answered. */
int claim_name(const struct request *r, char out[HANDLE_BYTES]);

/*
 * claim_run - the second half of a route: called when the sandbox is there, with the body and the
 * work that the request has. Otherwise the request is refused, and its work freed.
 */
void claim_run(struct request *r, void (*go)(struct request *r, const char *name));

/* The same for the path of a request, which may lead out: then it is refused, and none begins. */
void claim_run_path(struct request *r, const char *leads_out,
		    void (*go)(struct request *r, const char *name));

/* The same for an upload (box/box_upload.h): one that is wrong is refused, and none begins. */
void claim_run_upload(struct request *r);

/* The `refuse` of work on its files and itself: the session has ended meanwhile, or cannot. */
void claim_refuse(struct session_work *w, const struct err *e);

/* The path of a request, as its client says it. */
const char *claim_said(const struct request *r);

/* An absolute path in it; dots lead nowhere else. Owned; NULL: it leads out of CLAIM_HOME. */
char *claim_path(const char *text);

#endif
