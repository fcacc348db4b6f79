/*
 * message - messages of Jupyter's protocol (5.3): signed, or refused.
 */
#include "kernel/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/encode.h"
#include "base/json_put.h"
#include "base/own.h"
#include "base/random.h"
#include "loop/clock.h"

#define DELIMITER "<IDS|MSG>"
#define ID_BYTES  16
#define SIGNATURE (2 * HMAC_BYTES)

enum { AT_SIGNATURE = 1, AT_HEADER, AT_PARENT, AT_METADATA, AT_CONTENT, AT_END };

/* -- signatures ------------------------------------------------------------------------------ */

void signer_init(struct signer *s, const char *key)
{
	unsigned char bytes[ID_BYTES];

	*s = (struct signer){.key = key};
	random_bytes(bytes, sizeof(bytes));
	encode_hex(bytes, sizeof(bytes), s->session);
	for (int i = 0; i < 2; i++)
		s->seen.slots[i] = own_zeroed(SEEN_SLOTS, sizeof(uint64_t));
}

void signer_fini(struct signer *s)
{
	for (int i = 0; i < 2; i++)
		free(s->seen.slots[i]);
	*s = (struct signer){0};
}

/* Signatures are as good as random: their first bytes are the place. 0 is an empty slot. */
static uint64_t *message_slot(uint64_t *slots, uint64_t mark)
{
	size_t i = mark % SEEN_SLOTS;

	while (slots[i] && slots[i] != mark)
		i = (i + 1) % SEEN_SLOTS;
	return &slots[i];
}

/* Whether a message has come before; from now on it has. */
static bool message_is_replayed(struct seen *s, uint64_t mark)
{
	uint64_t *oldest = s->slots[1];
	uint64_t *slot = message_slot(s->slots[0], mark);

	if (*slot || *message_slot(oldest, mark))
		return true;
	*slot = mark;
	if (++s->count < SEEN_SLOTS / 2)
		return false;
	s->slots[1] = s->slots[0];
	s->slots[0] = oldest;
	s->count = 0;
	memset(oldest, 0, SEEN_SLOTS * sizeof(*oldest));
	return false;
}

/* @first: of the four parts that are signed. */
static void message_sign(const struct signer *s, const struct buf *first, uint8_t mac[HMAC_BYTES],
			 char out[SIGNATURE + 1])
{
	auto_buf struct buf whole = {0};

	for (int i = 0; i < AT_END - AT_HEADER; i++)
		buf_add(&whole, first[i].data, first[i].length);
	hmac_bytes(s->key, strlen(s->key), buf_string(&whole), whole.length, mac);
	encode_hex(mac, HMAC_BYTES, out);
}

static bool message_is_signed(struct signer *s, const struct buf *delimiter)
{
	const struct buf *signature = &delimiter[AT_SIGNATURE];
	char right[SIGNATURE + 1];
	uint8_t mac[HMAC_BYTES];
	uint64_t mark;

	if (!*s->key)
		return true;
	message_sign(s, &delimiter[AT_HEADER], mac, right);
	if (signature->length != SIGNATURE || !secret_is(signature->data, right, SIGNATURE))
		return false;
	memcpy(&mark, mac, sizeof(mark));
	return !message_is_replayed(&s->seen, mark ? mark : 1);
}

/* -- reading --------------------------------------------------------------------------------- */

void message_fini(struct message *m)
{
	json_free(m->header);
	json_free(m->parent);
	json_free(m->content);
	frames_fini(&m->parts);
	*m = (struct message){0};
}

static size_t message_identities(const struct frames *parts)
{
	size_t n = 0;

	while (n < parts->count && strcmp(buf_string(&parts->items[n]), DELIMITER) != 0)
		n++;
	return n;
}

static struct json *message_parse(const struct buf *part)
{
	struct err ignored;
	struct json *object = json_parse(buf_string(part), part->length, &ignored);

	if (object && json_is_object(object))
		return object;
	json_free(object);
	return NULL;
}

bool message_read(struct signer *s, struct frames *parts, struct message *out)
{
	const struct buf *delimiter;

	*out = (struct message){.parts = *parts};
	parts->count = 0;
	out->identities = message_identities(&out->parts);
	delimiter = &out->parts.items[out->identities];
	if (out->identities + AT_END > out->parts.count || !message_is_signed(s, delimiter))
		return false;
	out->header = message_parse(&delimiter[AT_HEADER]);
	out->parent = message_parse(&delimiter[AT_PARENT]);
	out->content = message_parse(&delimiter[AT_CONTENT]);
	out->header_text = buf_string(&delimiter[AT_HEADER]);
	out->type = json_text_at(out->header, "msg_type");
	return out->header != NULL;
}

/* -- writing --------------------------------------------------------------------------------- */

static void message_put_header(struct signer *s, const char *type, struct buf *out)
{
	unsigned char bytes[ID_BYTES];
	char now[CLOCK_UTC_SIZE];

	random_bytes(bytes, sizeof(bytes));
	encode_hex(bytes, sizeof(bytes), s->newest);
	clock_utc_ms(now);
	json_put(out,
		 "{msg_id:%s, session:%s, username:'kernel', date:%s, msg_type:%s, version:'5.3'}",
		 s->newest, s->session, now, type);
}

void message_compose(struct signer *s, const struct message *to, const char *type,
		     const struct message *parent, const struct buf *content, struct frames *out)
{
	auto_buf struct buf header = {0};
	char signature[SIGNATURE + 1] = "";
	uint8_t mac[HMAC_BYTES];
	size_t at;

	for (size_t i = 0; to && i < to->identities; i++)
		frames_add(out, to->parts.items[i].data, to->parts.items[i].length);
	if (!to)
		frames_add(out, type, strlen(type));
	frames_add(out, DELIMITER, strlen(DELIMITER));
	at = out->count;
	frames_add(out, "", 0);
	message_put_header(s, type, &header);
	frames_add(out, header.data, header.length);
	frames_add(out, parent ? parent->header_text : "{}",
		   parent ? strlen(parent->header_text) : 2);
	frames_add(out, "{}", 2);
	frames_add(out, buf_string(content), content->length);
	if (*s->key)
		message_sign(s, &out->items[at + 1], mac, signature);
	buf_text(&out->items[at], signature);
}
