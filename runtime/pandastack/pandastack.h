/*
 * pandastack - the API of PandaStack's clients: sandboxes, commands, code contexts and files.
 *
 * A sandbox is a session of the server, and its id is the session's name. Commands are further
 * programs of it (session/further.h), code runs in contexts of its interpreter, and files lie
 * anywhere in it.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_PANDASTACK_PANDASTACK_H
#define GLOVEBOX_PANDASTACK_PANDASTACK_H

#include "web/http.h"

extern const struct route pandastack_routes[]; /* end with a null method */

/* {"error": text} */
void pandastack_explain(unsigned status, const char *text, size_t length, struct buf *body);

#endif
