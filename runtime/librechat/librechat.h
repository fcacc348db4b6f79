/*
 * librechat - the API of LibreChat's code interpreter: executions in fresh cells, and the files
 * that they are given and leave, in storage sessions.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_LIBRECHAT_LIBRECHAT_H
#define GLOVEBOX_LIBRECHAT_LIBRECHAT_H

#include "web/http.h"

/* gate_admit(), of clients that want executions as they are here. */
bool librechat_admit(struct request *r);

extern const struct route librechat_routes[]; /* end with a null method */

/* {"error": text} */
void librechat_explain(unsigned status, const char *text, size_t length, struct buf *body);

#endif
