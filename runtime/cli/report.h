/*
 * report - a verdict as JSON for programs and as one line for people.
 * Writes to what it is given.
 */
#ifndef GLOVEBOX_CLI_REPORT_H
#define GLOVEBOX_CLI_REPORT_H

#include "base/buf.h"
#include "host/sandbox.h"
#include "host/verdict.h"

/* One JSON object and a newline, pure ASCII. */
void report_json(const struct sandbox *s, const struct verdict *v, struct buf *out);

/* Lines on stderr: which limit ended the run, what was cut, which files were refused. */
void report_messages(const struct sandbox *s, const struct verdict *v);

#endif
