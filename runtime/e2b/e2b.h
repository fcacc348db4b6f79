/*
 * e2b - the API of E2B: sandboxes (control), what goes into them (envd) and code (the code
 * interpreter), all on one listener.
 *
 * A sandbox is a session of the server; its programs and files are reached through its door, and
 * its code runs in its interpreter. So `glovebox ps` lists it, its key's ceiling bounds it, and the
 * audit has what runs in it.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_E2B_E2B_H
#define GLOVEBOX_E2B_E2B_H

#include "web/http.h"

extern const struct route e2b_routes[]; /* end with a null method */

/* {"code", "message"} */
void e2b_explain(unsigned status, const char *text, size_t length, struct buf *body);

#endif
