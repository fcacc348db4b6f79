/*
 * box - a sandbox as clients of E2B's API know it.
 */
#include "e2b/box.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/encode.h"
#include "base/json_put.h"
#include "base/own.h"
#include "base/random.h"
#include "loop/clock.h"
#include "request/session_content.h"

#define ID_BEGIN   'i'
#define DIGITS     32
#define UNKNOWN_MS (24 * 3600 * 1000ull) /* of a session that is not asked how long it lives */
#define PURPOSE    "e2b token"           /* no handle is hashed with it */

/* -- names ----------------------------------------------------------------------------------- */

void box_id(const char *name, char out[BOX_ID_SIZE])
{
	const char *label = name + strlen(HANDLE_PREFIX);
	const char *dash = strchr(label, '-');

	snprintf(out, BOX_ID_SIZE, "%c%s%.*s", ID_BEGIN, dash ? dash + 1 : label,
		 dash ? (int)(dash - label) : 0, label);
}

bool box_name(const char *id, char out[HANDLE_BYTES])
{
	const size_t length = strcspn(id, "-");
	const char *digits = id + 1;

	if (*id != ID_BEGIN || length < 1 + DIGITS || length > 1 + DIGITS + HANDLE_LABEL_MOST)
		return false;
	if (length == 1 + DIGITS)
		snprintf(out, HANDLE_BYTES, HANDLE_PREFIX "%.*s", DIGITS, digits);
	else
		snprintf(out, HANDLE_BYTES, HANDLE_PREFIX "%.*s-%.*s", (int)length - 1 - DIGITS,
			 digits + DIGITS, DIGITS, digits);
	return true;
}

struct key *box_owner(const struct server *s, const char *name)
{
	if (!s->options.keys)
		return handle_check(&s->sessions.secret, s->local->id, name) ? s->local : NULL;
	for (size_t i = 0; i < s->keys.count; i++) {
		if (handle_check(&s->sessions.secret, s->keys.items[i]->id, name))
			return s->keys.items[i];
	}
	return NULL;
}

void box_token(const struct server *s, const char *name, char out[DIGEST_HEX])
{
	auto_buf struct buf parts = {0};
	uint8_t mac[HMAC_BYTES];

	buf_add(&parts, PURPOSE, sizeof(PURPOSE));
	buf_text(&parts, name);
	hmac_bytes(s->sessions.secret.bytes, HANDLE_SECRET, parts.data, parts.length, mac);
	encode_hex(mac, sizeof(mac), out);
}

void box_lives(struct box *b, uint64_t ms)
{
	const uint64_t now = monotonic_us();

	b->ends_us = ms < (UINT64_MAX - now) / 1000 ? now + ms * 1000 : UINT64_MAX;
}

/* -- the table ------------------------------------------------------------------------------- */

struct box *box_find(const struct server *s, const char *name)
{
	struct box *b;

	LIST_FOREACH (b, &s->boxes, link) {
		if (!strcmp(b->name, name))
			return b;
	}
	return NULL;
}

static void box_context_set(struct box *b, unsigned slot, const char *language, const char *cwd)
{
	struct box_context *c = &b->contexts[slot];

	*c = (struct box_context){.cwd = own_strdup(cwd), .is_fresh = slot != 0};
	snprintf(c->language, sizeof(c->language), "%s", language);
	if (slot)
		snprintf(c->slot, sizeof(c->slot), "%u", slot);
}

struct box *box_meet(struct server *s, const char *name, const struct key *owner)
{
	struct box *b = box_find(s, name);

	if (b)
		return b;
	b = own_zeroed(1, sizeof(*b));
	snprintf(b->name, sizeof(b->name), "%s", name);
	snprintf(b->owner, sizeof(b->owner), "%s", owner->id);
	box_id(name, b->id);
	b->template = own_strdup(s->image);
	buf_text(&b->metadata, "{}");
	b->met_us = monotonic_us();
	box_lives(b, UNKNOWN_MS);
	list_add(&b->env, "HOME=" BOX_HOME);
	box_context_set(b, 0, BOX_DEFAULT, BOX_HOME);
	snprintf(b->contexts[0].id, sizeof(b->contexts[0].id), BOX_DEFAULT);
	LIST_INSERT_HEAD(&s->boxes, b, link);
	return b;
}

void box_free(struct box *b)
{
	for (unsigned i = 0; i < BOX_CONTEXTS; i++)
		box_context_drop(&b->contexts[i]);
	LIST_REMOVE(b, link);
	free(b->template);
	buf_fini(&b->metadata);
	list_fini(&b->env);
	free(b);
}

/* -- contexts -------------------------------------------------------------------------------- */

struct box_context *box_context(struct box *b, const char *id)
{
	for (unsigned i = 0; i < BOX_CONTEXTS; i++) {
		if (*id && !strcmp(b->contexts[i].id, id))
			return &b->contexts[i];
	}
	return NULL;
}

struct box_context *box_context_add(struct box *b, const char *language, const char *cwd)
{
	unsigned char bytes[16];
	unsigned slot = 1;

	while (slot < BOX_CONTEXTS && *b->contexts[slot].id)
		slot++;
	if (slot == BOX_CONTEXTS)
		return NULL;
	box_context_set(b, slot, language, cwd);
	random_bytes(bytes, sizeof(bytes));
	encode_hex(bytes, sizeof(bytes), b->contexts[slot].id);
	return &b->contexts[slot];
}

void box_context_drop(struct box_context *c)
{
	free(c->cwd);
	*c = (struct box_context){0};
}

/* -- variables ------------------------------------------------------------------------------- */

int box_read_env(struct list *env, const struct json *envs, struct err *e)
{
	if (json_count(envs) + env->count > BOX_ENV)
		return err_input(e, "more than %d variables", BOX_ENV);
	for (const struct json *n = json_first(envs); n; n = json_next(n)) {
		const char *name = json_key(n);
		const char *value = json_string(n);

		if (!name || !*name || strchr(name, '=') || !value)
			return err_input(e, "a variable is a name and a text");
		list_addf(env, "%s=%s", name, value);
	}
	return 0;
}

void box_put_env(const struct list *env, size_t from, struct buf *out)
{
	json_put_begin(out, NULL, '{');
	for (size_t i = from; i < env->count; i++) {
		const char *value = strchr(env->items[i], '=');
		auto_free char *name = own_strndup(env->items[i], (size_t)(value - env->items[i]));

		json_put_text(out, name, value + 1);
	}
	json_put_end(out, '}');
}

/* -- paths ----------------------------------------------------------------------------------- */

char *box_path(const char *text)
{
	const bool is_home = text[0] == '~' && (!text[1] || text[1] == '/');

	return session_content_path(BOX_HOME, is_home ? text + 1 + strspn(text + 1, "/") : text);
}
