/*
 * filters - the filters of a query, {"name": {"x": true}} or {"name": ["x"]}, as words of a
 * command.
 *
 * No side effects. Runs: engine. Needs: nothing.
 */
#ifndef GLOVEBOX_ENGINE_FILTERS_H
#define GLOVEBOX_ENGINE_FILTERS_H

#include "base/err.h"
#include "base/list.h"

/* Append --filter=KEY=VALUE for each. Errors: ERR_INPUT: they are no such JSON. */
int filters_words(const char *query, struct list *out, struct err *e);

#endif
