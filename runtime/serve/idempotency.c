/*
 * idempotency - Idempotency-Key: who did not get a reply asks again, and nothing runs twice.
 */
#include "serve/idempotency.h"

#include <string.h>

#include "base/clock.h"
#include "serve/server.h"

#define HEADER   "Idempotency-Key"
#define KEY_MOST 255
#define RETRY_S  "1" /* the other one may end at any time */

/* Visible ASCII, and not endless. */
static bool idempotency_is_sane(const char *key)
{
	const size_t length = strlen(key);

	for (size_t i = 0; i < length; i++) {
		if (key[i] < '!' || key[i] > '~')
			return false;
	}
	return length > 0 && length <= KEY_MOST;
}

static void idempotency_replay(struct request *r, const struct buf *reply)
{
	struct buf body = {0};

	buf_add(&body, reply->data, reply->length);
	request_set_header(r, "Idempotent-Replayed", "true");
	request_reply(r, 200, "application/json", &body);
}

/* Returns whether it is new. */
static bool idempotency_answer(struct request *r, enum idempotency_state state,
			       const struct idempotency_entry *x)
{
	switch (state) {
	case IDEMPOTENCY_NEW:
		return true;
	case IDEMPOTENCY_RUNNING:
		request_set_header(r, "Retry-After", RETRY_S);
		request_refuse(r, 409, "a request with this " HEADER " runs");
		return false;
	case IDEMPOTENCY_OTHER:
		request_refuse(r, 422, "this " HEADER " was used for another request");
		return false;
	case IDEMPOTENCY_DONE:
		idempotency_replay(r, &x->reply);
		return false;
	case IDEMPOTENCY_LARGE:
		request_refuse(r, 409, "this has run; its reply was too large to be kept");
		return false;
	}
	return false;
}

bool idempotency_enter(struct request *r, bool streams, struct idempotency_entry **out)
{
	const char *key = request_header(r, HEADER);
	struct idempotency_entry *x;
	enum idempotency_state state;

	*out = NULL;
	if (!key)
		return true;
	if (streams || !idempotency_is_sane(key)) {
		request_refuse(r, 422, "%s",
			       streams ? "a stream has no " HEADER
				       : HEADER " is 1 to 255 visible characters of ASCII");
		return false;
	}
	state = idempotency_look(&r->server->idempotency, r->key->id, key, r->body.data,
				 r->body.length, monotonic_us(), &x);
	if (!idempotency_answer(r, state, x))
		return false;
	*out = x;
	return true;
}
