/*
 * keys - the keys of a server: who may use it, and how much of it.
 */
#include "tenant/keys.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/own.h"
#include "base/random.h"
#include "loop/clock.h"

#define RANDOM_BYTES 32
#define SCHEME       "Bearer "

bool key_name_is_valid(const char *name)
{
	size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");

	return length && length <= KEY_NAME_MOST && !name[length] && *name != '-';
}

void key_free(struct key *key)
{
	free(key->ceiling_text);
	ceiling_fini(&key->ceiling);
	free(key->recent);
	free(key);
}

void key_hold(struct key *key)
{
	key->holders++;
}

void key_release(struct key *key)
{
	if (!--key->holders && key->removed)
		key_free(key);
}

void key_lower(struct key *key, const struct ceiling *above)
{
	struct err e;

	ceiling_fini(&key->ceiling);
	if (ceiling_read(NULL, above, &key->ceiling, &e))
		abort(); /* fails only for a looser document, and this one is empty */
}

struct key *key_of_local(const struct ceiling *above)
{
	struct key *key = own_zeroed(1, sizeof(*key));

	snprintf(key->name, sizeof(key->name), KEY_LOCAL);
	snprintf(key->id, sizeof(key->id), KEY_LOCAL);
	key->is_operator = true;
	spec_init(&key->ceiling.run);
	key_lower(key, above);
	return key;
}

void key_make(struct keys *keys, const char *name, bool is_operator, const struct json *ceiling,
	      char token[KEY_BYTES])
{
	struct key *key = own_zeroed(1, sizeof(*key));
	unsigned char bytes[RANDOM_BYTES];
	auto_buf struct buf text = {0};

	random_bytes(bytes, sizeof(bytes));
	buf_text(&text, KEY_PREFIX);
	encode_base64url(bytes, sizeof(bytes), &text);
	snprintf(token, KEY_BYTES, "%s", buf_string(&text));
	digest_hex(token, strlen(token), key->id);
	snprintf(key->name, sizeof(key->name), "%s", name);
	clock_utc(key->created);
	key->is_operator = is_operator;
	if (ceiling) {
		buf_cut(&text, 0);
		json_write(ceiling, &text);
		key->ceiling_text = buf_take(&text);
	}
	spec_init(&key->ceiling.run);
	keys->items = own_grow(keys->items, keys->count, sizeof(struct key *));
	keys->items[keys->count++] = key;
}

/* The key is in no list any more: mark it, and free it if nothing holds it. */
static void keys_let_go(struct key *key)
{
	key->removed = true;
	if (!key->holders)
		key_free(key);
}

void keys_drop(struct keys *keys, struct key *key)
{
	size_t at = 0;

	while (keys->items[at] != key)
		at++;
	keys->count--;
	memmove(keys->items + at, keys->items + at + 1, (keys->count - at) * sizeof(struct key *));
	keys_let_go(key);
}

void keys_fini(struct keys *keys)
{
	for (size_t i = 0; i < keys->count; i++)
		keys_let_go(keys->items[i]);
	free(keys->items);
	*keys = (struct keys){0};
}

struct key *keys_find(const struct keys *keys, const char *token, size_t length)
{
	struct key *found = NULL;
	char id[DIGEST_HEX];

	/* The form of keys is public: comparing it need not take constant time. */
	if (length != KEY_BYTES - 1 || memcmp(token, KEY_PREFIX, strlen(KEY_PREFIX)) != 0)
		return NULL;
	digest_hex(token, length, id);
	for (size_t i = 0; i < keys->count; i++) {
		if (secret_is(id, keys->items[i]->id, sizeof(id)))
			found = keys->items[i];
	}
	return found;
}

struct key *keys_find_bearer(const struct keys *keys, const char *authorization)
{
	const char *token = authorization;

	if (!token || strncasecmp(token, SCHEME, strlen(SCHEME)) != 0)
		return NULL;
	token += strlen(SCHEME);
	token += strspn(token, " ");
	return keys_find(keys, token, strlen(token));
}

struct key *keys_by_id(const struct keys *keys, const char *id)
{
	for (size_t i = 0; i < keys->count; i++) {
		if (!strcmp(keys->items[i]->id, id))
			return keys->items[i];
	}
	return NULL;
}

struct key *keys_by_name(const struct keys *keys, const char *name)
{
	for (size_t i = 0; i < keys->count; i++) {
		if (!strcmp(keys->items[i]->name, name))
			return keys->items[i];
	}
	return NULL;
}

/* Move the file's fields into the old key, whose address and usage stay; frees `read`. */
static struct key *keys_renew(struct key *old, struct key *read)
{
	struct ceiling ceiling = old->ceiling;
	char *ceiling_text = old->ceiling_text;

	memcpy(old->name, read->name, sizeof(old->name));
	memcpy(old->created, read->created, sizeof(old->created));
	old->is_operator = read->is_operator;
	old->ceiling = read->ceiling;
	old->ceiling_text = read->ceiling_text;
	read->ceiling = ceiling;
	read->ceiling_text = ceiling_text;
	key_free(read);
	return old;
}

int keys_reload(const char *path, const struct ceiling *above, struct keys *keys, struct keys *gone,
		struct err *e)
{
	struct keys read;

	*gone = (struct keys){0};
	if (keys_load(path, above, &read, e)) {
		keys_fini(&read);
		return -1;
	}
	for (size_t i = 0; i < read.count; i++) {
		struct key *old = keys_by_id(keys, read.items[i]->id);

		if (!old)
			continue;
		read.items[i] = keys_renew(old, read.items[i]);
		for (size_t at = 0; at < keys->count; at++) {
			if (keys->items[at] == old)
				keys->items[at] = keys->items[--keys->count];
		}
	}
	for (size_t i = 0; i < keys->count; i++)
		keys->items[i]->removed = true;
	*gone = *keys;
	*keys = read;
	return 0;
}
