/*
 * selftest_show - print the findings of a selftest, for people and for programs.
 *
 * Runs: `glovebox selftest`. Needs: nothing; writes to standard output.
 */
#ifndef GLOVEBOX_CLI_SELFTEST_SHOW_H
#define GLOVEBOX_CLI_SELFTEST_SHOW_H

#include <stdbool.h>

#include "base/buf.h"
#include "selftest/selftest.h"

/* Print a row of the table, with all checks or only the failed ones. */
void selftest_show_layer(const struct selftest *t, const struct layer *l, bool verbose);

/* Append all findings in the form of docs/json.md. */
void selftest_show_put(const struct selftest *t, struct buf *out);

#endif
