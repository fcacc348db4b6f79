/*
 * ps_filter - which rows `ps --filter` shows, in docker's words.
 *
 * A filter is KEY=VALUE: name (a part of it), id (its beginning), ancestor (the image), status,
 * exited (the exit code) or label (KEY or KEY=VALUE). Of one key any must hold, of labels and of
 * several keys all.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_CONTAINER_PS_FILTER_H
#define GLOVEBOX_CONTAINER_PS_FILTER_H

#include "base/list.h"
#include "container/ps_docker.h"

/* Errors: ERR_INPUT: a key that is not known. */
int ps_filter_check(const struct list *filters, struct err *e);

/* Whether they ask for what has ended, which --all does otherwise. */
bool ps_filter_wants_ended(const struct list *filters);

bool ps_filter_passes(const struct list *filters, const struct ps_row *r);

#endif
