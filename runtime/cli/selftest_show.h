/*
 * selftest_show - what a selftest found, for people and for programs.
 *
 * Runs: `glovebox selftest`. Needs: nothing; writes to standard output.
 */
#ifndef GLOVEBOX_CLI_SELFTEST_SHOW_H
#define GLOVEBOX_CLI_SELFTEST_SHOW_H

#include <stdbool.h>

#include "base/buf.h"
#include "selftest/selftest.h"

/* A row of the table, with every check or with those that did not hold. */
void selftest_show_layer(const struct selftest *t, const struct layer *l, bool verbose);

/* All of it as docs/json.md has it. */
void selftest_show_put(const struct selftest *t, struct buf *out);

#endif
