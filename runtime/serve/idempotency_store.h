/*
 * idempotency_store - replies that are kept for who asks the same again (Idempotency-Key).
 *
 * A reply belongs to its owner: the same key of another is another key. It is kept for ten minutes,
 * or until its owner, or all together, need the room; the oldest goes first. One that is too large
 * is not kept, but that it was made is. What runs is never forgotten.
 *
 * No side effects: the caller says what time it is. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_IDEMPOTENCY_STORE_H
#define GLOVEBOX_SERVE_IDEMPOTENCY_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/encode.h"

#define IDEMPOTENCY_US          600000000ull /* kept, from the reply on */
#define IDEMPOTENCY_ENTRIES     1000
#define IDEMPOTENCY_BYTES       (16u << 20) /* of all replies */
#define IDEMPOTENCY_OWNER_SHARE 4           /* one owner has a fourth of these at most */
#define IDEMPOTENCY_REPLY_MOST  (IDEMPOTENCY_BYTES / IDEMPOTENCY_OWNER_SHARE)

enum idempotency_state {
	IDEMPOTENCY_NEW,     /* run it; then idempotency_keep() or idempotency_drop() */
	IDEMPOTENCY_RUNNING, /* it runs already */
	IDEMPOTENCY_OTHER,   /* the key was used for something else */
	IDEMPOTENCY_DONE,    /* here is the reply */
	IDEMPOTENCY_LARGE,   /* it has run, and the reply was too large */
};

struct idempotency_entry {
	char name[DIGEST_HEX]; /* of owner and key */
	char body[DIGEST_HEX];
	char owner[DIGEST_HEX];
	enum idempotency_state state; /* RUNNING, DONE or LARGE */
	uint64_t until_us;
	struct buf reply;
	struct idempotency_entry *next;
};

/* All zero in the beginning. */
struct idempotency_store {
	struct idempotency_entry *first; /* the oldest */
};

/*
 * idempotency_look - what is known of a request.
 * @owner  an id (serve/keys.h). @key  as it was sent, terminated.
 * @out    the entry, borrowed: until it is kept or dropped, or else until the next call.
 */
enum idempotency_state idempotency_look(struct idempotency_store *s, const char *owner,
					const char *key, const void *body, size_t length,
					uint64_t now_us, struct idempotency_entry **out);

/* It has run, and this is the reply, which is copied. */
void idempotency_keep(struct idempotency_store *s, struct idempotency_entry *x,
		      const struct buf *reply, uint64_t now_us);

/* It has not run, or nobody has its result: the same may be asked anew. */
void idempotency_drop(struct idempotency_store *s, struct idempotency_entry *x);

/* Forget all; nothing may run. */
void idempotency_fini(struct idempotency_store *s);

#endif
