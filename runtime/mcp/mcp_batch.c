/*
 * mcp_batch - the answers to the messages of one batch, sent together.
 */
#include "mcp/mcp_batch.h"

#include <stdlib.h>

#include "base/json_put.h"
#include "base/own.h"

struct mcp_batch {
	struct mcp_sink sink;
	struct buf answers;
	unsigned users;
};

struct mcp_batch *mcp_batch_new(const struct mcp_sink *sink)
{
	struct mcp_batch *b = own_zeroed(1, sizeof(*b));

	b->sink = *sink;
	return b;
}

struct mcp_batch *mcp_batch_enter(struct mcp_batch *b)
{
	if (b)
		b->users++;
	return b;
}

void mcp_batch_add(struct mcp_batch *b, const struct buf *answer)
{
	if (!b->answers.length)
		json_put_begin(&b->answers, NULL, '[');
	json_put_key(&b->answers, NULL);
	buf_add(&b->answers, answer->data, answer->length);
}

void mcp_batch_leave(struct mcp_batch *b)
{
	if (!b || --b->users)
		return;
	if (b->answers.length) {
		json_put_end(&b->answers, ']');
		b->sink.send(b->sink.context, &b->answers);
	}
	buf_fini(&b->answers);
	free(b);
}

void mcp_batch_redirect(struct mcp_batch *b, const struct mcp_sink *sink)
{
	if (b)
		b->sink = *sink;
}
