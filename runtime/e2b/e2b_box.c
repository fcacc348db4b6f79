/*
 * e2b_box - a box as E2B's API has it.
 */
#include "e2b/e2b_box.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/encode.h"
#include "base/json_put.h"
#include "base/own.h"
#include "request/session_content.h"

#define ID_BEGIN 'i'
#define DIGITS   32
#define PURPOSE  "e2b token" /* no handle is hashed with it */

/* -- names ----------------------------------------------------------------------------------- */

void e2b_box_id(const char *name, char out[E2B_BOX_ID_SIZE])
{
	const char *label = name + strlen(HANDLE_PREFIX);
	const char *dash = strchr(label, '-');

	snprintf(out, E2B_BOX_ID_SIZE, "%c%s%.*s", ID_BEGIN, dash ? dash + 1 : label,
		 dash ? (int)(dash - label) : 0, label);
}

bool e2b_box_name(const char *id, char out[HANDLE_BYTES])
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

struct key *e2b_box_owner(const struct server *s, const char *name)
{
	if (!s->options.keys)
		return handle_check(&s->sessions.secret, s->local->id, name) ? s->local : NULL;
	for (size_t i = 0; i < s->keys.count; i++) {
		if (handle_check(&s->sessions.secret, s->keys.items[i]->id, name))
			return s->keys.items[i];
	}
	return NULL;
}

void e2b_box_token(const struct server *s, const char *name, char out[DIGEST_HEX])
{
	auto_buf struct buf parts = {0};
	uint8_t mac[HMAC_BYTES];

	buf_add(&parts, PURPOSE, sizeof(PURPOSE));
	buf_text(&parts, name);
	hmac_bytes(s->sessions.secret.bytes, HANDLE_SECRET, parts.data, parts.length, mac);
	encode_hex(mac, sizeof(mac), out);
}

/* -- the table ------------------------------------------------------------------------------- */

struct e2b_box *e2b_box_find(const struct server *s, const char *name)
{
	return (struct e2b_box *)box_find(s, &e2b_face, name);
}

struct e2b_box *e2b_box_meet(struct server *s, const char *name, const struct key *owner)
{
	return (struct e2b_box *)box_meet(s, &e2b_face, name, owner);
}

void e2b_box_begin(struct box *b)
{
	struct e2b_box *own = (struct e2b_box *)b;
	struct box_context *c = &b->contexts[0];

	e2b_box_id(b->name, own->id);
	list_add(&own->env, "HOME=" E2B_BOX_HOME);
	c->cwd = own_strdup(E2B_BOX_HOME);
	snprintf(c->id, sizeof(c->id), E2B_BOX_DEFAULT);
	snprintf(c->language, sizeof(c->language), E2B_BOX_DEFAULT);
}

void e2b_box_release(struct box *b)
{
	list_fini(&((struct e2b_box *)b)->env);
}

/* -- variables ------------------------------------------------------------------------------- */

int e2b_box_read_env(struct list *env, const struct json *envs, struct err *e)
{
	if (json_count(envs) + env->count > E2B_BOX_ENV)
		return err_input(e, "more than %d variables", E2B_BOX_ENV);
	for (const struct json *n = json_first(envs); n; n = json_next(n)) {
		const char *name = json_key(n);
		const char *value = json_string(n);

		if (!name || !*name || strchr(name, '=') || !value)
			return err_input(e, "a variable is a name and a text");
		list_addf(env, "%s=%s", name, value);
	}
	return 0;
}

void e2b_box_put_env(const struct list *env, size_t from, struct buf *out)
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

char *e2b_box_path(const char *text)
{
	const bool is_home = text[0] == '~' && (!text[1] || text[1] == '/');

	return session_content_path(E2B_BOX_HOME,
				    is_home ? text + 1 + strspn(text + 1, "/") : text);
}
