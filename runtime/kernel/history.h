/*
 * history - what was executed in a kernel, for its clients: the newest HISTORY_MAX sources, with
 * the texts of their results. It ends with the kernel.
 *
 * No side effects. Runs: kernel. Needs: nothing.
 */
#ifndef GLOVEBOX_KERNEL_HISTORY_H
#define GLOVEBOX_KERNEL_HISTORY_H

#include <stddef.h>

#include "base/buf.h"
#include "base/json.h"

#define HISTORY_MAX   1000
#define HISTORY_BYTES (1u << 20) /* of one source or result; longer ones are not kept */

struct history_entry {
	unsigned number; /* of the execution */
	char *source;    /* owned */
	char *result;    /* owned; NULL: none */
};

/* Zero-initialise it. */
struct history {
	struct history_entry *entries; /* owned; the oldest first */
	size_t count;
};

void history_add(struct history *h, unsigned number, const char *source);

/* The text of the result of the newest source. */
void history_add_result(struct history *h, const char *text);

/* history_reply - the answer to a history_request. @request: its content. @out: gets the list. */
void history_reply(const struct history *h, const struct json *request, struct buf *out);
void history_fini(struct history *h);

#endif
