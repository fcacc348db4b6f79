/*
 * scope_request - write the D-Bus request for a scope around the calling process.
 */
#include "cli/scope_request.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define OUR_ORDER    (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 'l' : 'B')
#define METHOD_CALL  1
#define NO_REPLY     1
#define PATH_FIELD   1
#define IFACE_FIELD  2
#define MEMBER_FIELD 3
#define SIGN_FIELD   8

/* -- D-Bus's types: each begins at a multiple of its size within the message --------------------
 */

static void scope_request_align(struct buf *b, size_t size)
{
	static const char zeros[8];

	buf_add(b, zeros, (size - b->length % size) % size);
}

static void scope_request_number(struct buf *b, uint32_t number)
{
	scope_request_align(b, sizeof(number));
	buf_add(b, &number, sizeof(number));
}

static void scope_request_text(struct buf *b, const char *text)
{
	scope_request_number(b, (uint32_t)strlen(text));
	buf_add(b, text, strlen(text) + 1);
}

static void scope_request_signature(struct buf *b, const char *signature)
{
	const uint8_t length = (uint8_t)strlen(signature);

	buf_add(b, &length, 1);
	buf_add(b, signature, length + 1u);
}

/* Write an array: its length, padding up to its first member, the members. */
static void scope_request_array(struct buf *b, const struct buf *members)
{
	scope_request_number(b, (uint32_t)members->length);
	scope_request_align(b, 8);
	buf_add(b, members->data, members->length);
}

/* -- the message ------------------------------------------------------------------------------ */

/* (yv) */
static void scope_request_field(struct buf *b, uint8_t field, const char *signature,
				const char *value)
{
	scope_request_align(b, 8);
	buf_add(b, &field, 1);
	scope_request_signature(b, signature);
	if (*signature == 'g')
		scope_request_signature(b, value);
	else
		scope_request_text(b, value);
}

/* Begin a property (sv). */
static void scope_request_property(struct buf *b, const char *name, const char *signature)
{
	scope_request_align(b, 8);
	scope_request_text(b, name);
	scope_request_signature(b, signature);
}

static void scope_request_body(const char *unit, struct buf *out)
{
	auto_buf struct buf properties = {0};
	const struct buf none = {0};

	scope_request_property(&properties, "PIDs", "au");
	scope_request_number(&properties, sizeof(uint32_t));
	scope_request_number(&properties, 0); /* the peer of the connection */
	scope_request_property(&properties, "Delegate", "b");
	scope_request_number(&properties, true);
	scope_request_property(&properties, "CollectMode", "s");
	scope_request_text(&properties, "inactive-or-failed"); /* collect the unit in any case */
	scope_request_text(out, unit);
	scope_request_text(out, "fail");
	scope_request_array(out, &properties);
	scope_request_array(out, &none);
}

void scope_request(uid_t uid, const char *unit, struct buf *out)
{
	auto_buf struct buf fields = {0};
	auto_buf struct buf body = {0};
	auto_buf struct buf message = {0};
	char number[16];

	scope_request_field(&fields, PATH_FIELD, "o", "/org/freedesktop/systemd1");
	scope_request_field(&fields, IFACE_FIELD, "s", "org.freedesktop.systemd1.Manager");
	scope_request_field(&fields, MEMBER_FIELD, "s", "StartTransientUnit");
	scope_request_field(&fields, SIGN_FIELD, "g", "ssa(sv)a(sa(sv))");
	scope_request_body(unit, &body);
	buf_add(&message, (const char[]){OUR_ORDER, METHOD_CALL, NO_REPLY, 1}, 4);
	scope_request_number(&message, (uint32_t)body.length);
	scope_request_number(&message, 1); /* its serial number */
	scope_request_array(&message, &fields);
	scope_request_align(&message, 8);

	/* Our uid (the kernel tells it, too), as the text of the number in hexadecimal. */
	buf_add(out, "", 1);
	buf_text(out, "AUTH EXTERNAL ");
	snprintf(number, sizeof(number), "%u", uid);
	for (const char *digit = number; *digit; digit++)
		buf_printf(out, "%02x", (unsigned)*digit);
	buf_text(out, "\r\nBEGIN\r\n");
	buf_add(out, message.data, message.length);
	buf_add(out, body.data, body.length);
}
