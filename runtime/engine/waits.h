/*
 * waits - POST /containers/X/wait: its headers come at once, and its body when the container has
 * ended.
 *
 * One reader of the events of all sandboxes serves all that wait. The end of one whose monitor was
 * killed has no event: that is looked for once a second.
 *
 * Runs: engine. Needs: nothing.
 */
#ifndef GLOVEBOX_ENGINE_WAITS_H
#define GLOVEBOX_ENGINE_WAITS_H

#include "engine/server.h"

void waits_run(struct request *r);

/* Begin to read events. Errors: ERR_SYSTEM. */
int waits_open(struct server *s, struct err *e);
void waits_close(struct server *s);

#endif
