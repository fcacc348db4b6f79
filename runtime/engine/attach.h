/*
 * attach - the routes whose reply is a stream: attach, logs, export, events.
 *
 * Runs: engine. Needs: nothing.
 */
#ifndef GLOVEBOX_ENGINE_ATTACH_H
#define GLOVEBOX_ENGINE_ATTACH_H

#include "web/http.h"

/*
 * attach_mark_once - the input of a container ends with the client that is attached first
 * (StdinOnce): a file of its record.
 */
void attach_mark_once(const char *id);

void attach_attach(struct request *r);
void attach_logs(struct request *r);
void attach_resize(struct request *r);
void attach_export(struct request *r);
void attach_events(struct request *r);

#endif
