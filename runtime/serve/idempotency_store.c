/*
 * idempotency_store - replies that are kept for who asks the same again.
 */
#include "serve/idempotency_store.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"

static void idempotency_store_take_out(struct idempotency_entry **at)
{
	struct idempotency_entry *x = *at;

	*at = x->next;
	buf_fini(&x->reply);
	free(x);
}

static void idempotency_store_sweep(struct idempotency_store *s, uint64_t now_us)
{
	struct idempotency_entry **at = &s->first;

	while (*at) {
		if ((*at)->state != IDEMPOTENCY_RUNNING && (*at)->until_us <= now_us)
			idempotency_store_take_out(at);
		else
			at = &(*at)->next;
	}
}

/* What is kept, of one owner or (NULL) of all, is more than a part of what may be. */
static bool idempotency_store_is_full(const struct idempotency_store *s, const char *owner,
				      unsigned part)
{
	uint64_t bytes = 0;
	unsigned count = 0;

	for (const struct idempotency_entry *x = s->first; x; x = x->next) {
		if (x->state == IDEMPOTENCY_RUNNING || (owner && strcmp(x->owner, owner) != 0))
			continue;
		count++;
		bytes += x->reply.length;
	}
	return count > IDEMPOTENCY_ENTRIES / part || bytes > IDEMPOTENCY_BYTES / part;
}

static void idempotency_store_take_oldest(struct idempotency_store *s, const char *owner)
{
	struct idempotency_entry **oldest = NULL;

	for (struct idempotency_entry **at = &s->first; *at; at = &(*at)->next) {
		if ((*at)->state == IDEMPOTENCY_RUNNING ||
		    (owner && strcmp((*at)->owner, owner) != 0))
			continue;
		if (!oldest || (*at)->until_us < (*oldest)->until_us)
			oldest = at;
	}
	if (oldest)
		idempotency_store_take_out(oldest);
}

static struct idempotency_entry *idempotency_store_add(struct idempotency_store *s,
						       const char *owner, const char *name,
						       const char *body)
{
	struct idempotency_entry *x = own_zeroed(1, sizeof(*x));

	memcpy(x->name, name, DIGEST_HEX);
	memcpy(x->body, body, DIGEST_HEX);
	memcpy(x->owner, owner, strnlen(owner, DIGEST_HEX - 1));
	x->state = IDEMPOTENCY_RUNNING;
	x->next = s->first;
	s->first = x;
	return x;
}

enum idempotency_state idempotency_look(struct idempotency_store *s, const char *owner,
					const char *key, const void *body, size_t length,
					uint64_t now_us, struct idempotency_entry **out)
{
	struct digest *d = digest_begin();
	struct idempotency_entry *x;
	char name[DIGEST_HEX];
	char hash[DIGEST_HEX];

	digest_add(d, owner, strlen(owner) + 1);
	digest_add(d, key, strlen(key));
	digest_end(d, name);
	digest_hex(body, length, hash);
	idempotency_store_sweep(s, now_us);
	for (x = s->first; x && memcmp(x->name, name, sizeof(name)) != 0;)
		x = x->next;
	*out = x ? x : idempotency_store_add(s, owner, name, hash);
	if (!x)
		return IDEMPOTENCY_NEW;
	return memcmp(x->body, hash, sizeof(hash)) != 0 ? IDEMPOTENCY_OTHER : x->state;
}

void idempotency_keep(struct idempotency_store *s, struct idempotency_entry *x,
		      const struct buf *reply, uint64_t now_us)
{
	x->until_us = now_us + IDEMPOTENCY_US;
	x->state = reply->length > IDEMPOTENCY_REPLY_MOST ? IDEMPOTENCY_LARGE : IDEMPOTENCY_DONE;
	if (x->state == IDEMPOTENCY_DONE)
		buf_add(&x->reply, reply->data, reply->length);
	while (idempotency_store_is_full(s, x->owner, IDEMPOTENCY_OWNER_SHARE))
		idempotency_store_take_oldest(s, x->owner);
	while (idempotency_store_is_full(s, NULL, 1))
		idempotency_store_take_oldest(s, NULL);
}

void idempotency_drop(struct idempotency_store *s, struct idempotency_entry *x)
{
	struct idempotency_entry **at = &s->first;

	while (*at != x)
		at = &(*at)->next;
	idempotency_store_take_out(at);
}

void idempotency_fini(struct idempotency_store *s)
{
	while (s->first)
		idempotency_store_take_out(&s->first);
}
