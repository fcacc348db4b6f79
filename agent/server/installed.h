/*
 * installed - which models a server has.
 */
#ifndef GLOVEBOX_AGENT_INSTALLED_H
#define GLOVEBOX_AGENT_INSTALLED_H

#include <stdbool.h>

#include "agent/server/server.h"

/* As many names as fit, separated by commas; "nothing" or "unknown". For messages; never fails. */
void installed_names(struct server *s, char *out, size_t size);

/* Whether both names mean one model: `x` is `x:latest`, in any case of letters. */
bool installed_same(const char *a, const char *b);

#endif
