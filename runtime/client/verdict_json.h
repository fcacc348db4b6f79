/*
 * verdict_json - write a verdict as one line of JSON.
 *
 * No side effects. Runs: monitor, client. Needs: nothing.
 */
#ifndef GLOVEBOX_CLIENT_VERDICT_JSON_H
#define GLOVEBOX_CLIENT_VERDICT_JSON_H

#include "base/buf.h"
#include "spec/spec.h"
#include "spec/verdict.h"

/*
 * verdict_json - append the result.
 *
 * @id      of the sandbox.
 * @labels  KEY=VALUE each.
 * @out     gets the line, with its newline.
 */
void verdict_json(const char *id, const struct verdict *v, const struct string_list *labels,
		  struct buf *out);

/* Append the member `full`: paths of directories in memory that were full at the end. */
void verdict_json_full(const struct verdict *v, struct buf *out);

#endif
