/*
 * client_hello - read the host name from a client's first TLS messages, and believe none too early.
 */
#include "protocol/client_hello.h"

#include <string.h>

#include "net/address.h"

#define HEADER          5 /* of a record */
#define RECORD_MAX      16384
#define RECORD_MORE     256 /* the most bytes that encryption adds to a record */
#define MESSAGE_HEADER  4
#define SESSION_ID_MAX  32
#define RANDOM          32
#define SERVER_HELLO_AT 6 /* offset of the random: after type, length and version */
#define WARNINGS        4

enum {
	RECORD_CCS = 20,
	RECORD_ALERT = 21,
	RECORD_HANDSHAKE = 22,
	RECORD_DATA = 23,
	MESSAGE_CLIENT_HELLO = 1,
	MESSAGE_SERVER_HELLO = 2,
	EXTENSION_SERVER_NAME = 0,
	NAME_IS_HOST = 0,
	ALERT_IS_WARNING = 1,
};

/* The unread rest of a vector. */
struct client_hello_span {
	const uint8_t *bytes;
	size_t left;
};

static void client_hello_refuse(struct hello_reader *r, const char *why)
{
	r->state = HELLO_REFUSED;
	r->why = why;
}

/* -- the message ------------------------------------------------------------------------------ */

static int client_hello_take(struct client_hello_span *from, size_t size,
			     struct client_hello_span *out)
{
	if (from->left < size)
		return -1;
	*out = (struct client_hello_span){from->bytes, size};
	from->bytes += size;
	from->left -= size;
	return 0;
}

/* A number of `width` bytes: at most 3. */
static int client_hello_number(struct client_hello_span *from, size_t width, size_t *out)
{
	struct client_hello_span bytes;

	if (client_hello_take(from, width, &bytes))
		return -1;
	*out = 0;
	for (size_t i = 0; i < width; i++)
		*out = *out << 8 | bytes.bytes[i];
	return 0;
}

/* Read a vector after its length of `width` bytes. */
static int client_hello_vector(struct client_hello_span *from, size_t width,
			       struct client_hello_span *out)
{
	size_t size;

	if (client_hello_number(from, width, &size))
		return -1;
	return client_hello_take(from, size, out);
}

/* The encrypted hello (RFC 9849), and the drafts before it that were once deployed. */
static bool client_hello_is_encrypted(size_t type)
{
	return (type >= 0xfe08 && type <= 0xfe0d) || type == 0xff02 || type == 0xffce;
}

/* Tell whether an invalid name is an address. */
static bool client_hello_is_address(struct client_hello_span name)
{
	struct address ignored;
	char text[ADDRESS_TEXT_SIZE];

	if (name.left >= sizeof(text))
		return false;
	memcpy(text, name.bytes, name.left);
	text[name.left] = '\0';
	return !address_parse(text, &ignored);
}

/* RFC 6066, 3: a list with one kind of entry, which occurs at most once. */
static const char *client_hello_server_name(struct hello_reader *r, struct client_hello_span body)
{
	struct client_hello_span list;
	struct client_hello_span name;
	size_t type;

	if (client_hello_vector(&body, 2, &list) || body.left)
		return "server_name does not fit";
	if (client_hello_number(&list, 1, &type) || client_hello_vector(&list, 2, &name))
		return "server_name does not fit";
	if (type != NAME_IS_HOST)
		return "server_name of an unknown type";
	if (list.left)
		return "more than one server_name";
	if (client_hello_is_address(name))
		return "server_name is an address";
	if (host_name_canonical((const char *)name.bytes, name.left, r->name))
		return "server_name is not a name";
	return NULL;
}

static const char *client_hello_extensions(struct hello_reader *r, struct client_hello_span list)
{
	uint16_t seen[HELLO_EXTENSIONS];
	size_t count = 0;
	bool is_named = false;

	while (list.left) {
		struct client_hello_span body;
		const char *why;
		size_t type;

		if (client_hello_number(&list, 2, &type) || client_hello_vector(&list, 2, &body))
			return "an extension does not fit";
		if (client_hello_is_encrypted(type))
			return "an encrypted ClientHello (ECH)";
		for (size_t i = 0; i < count; i++) {
			if (seen[i] == type)
				return type == EXTENSION_SERVER_NAME
					       ? "more than one server_name"
					       : "an extension is there twice";
		}
		if (count == HELLO_EXTENSIONS)
			return "too many extensions";
		seen[count++] = (uint16_t)type;
		if (type != EXTENSION_SERVER_NAME)
			continue;
		why = client_hello_server_name(r, body);
		if (why)
			return why;
		is_named = true;
	}
	return is_named ? NULL : "no server_name";
}

/* Judge the body of a whole ClientHello. Returns NULL, or why it is refused. */
static const char *client_hello_body(struct hello_reader *r)
{
	struct client_hello_span hello = {r->bytes + MESSAGE_HEADER, r->have - MESSAGE_HEADER};
	struct client_hello_span part;
	size_t version;

	if (client_hello_number(&hello, 2, &version) || version >> 8 != 3)
		return "a ClientHello of an unknown version";
	if (client_hello_take(&hello, RANDOM, &part))
		return "the ClientHello ends early";
	if (client_hello_vector(&hello, 1, &part) || part.left > SESSION_ID_MAX)
		return "the session id does not fit";
	if (client_hello_vector(&hello, 2, &part) || part.left < 2 || part.left % 2)
		return "the cipher suites do not fit";
	if (client_hello_vector(&hello, 1, &part) || !part.left)
		return "the compression methods do not fit";
	if (!hello.left)
		return "no server_name";
	if (client_hello_vector(&hello, 2, &part) || hello.left)
		return "the extensions do not fit";
	return client_hello_extensions(r, part);
}

static void client_hello_judge(struct hello_reader *r)
{
	const char *why = client_hello_body(r);

	if (why)
		client_hello_refuse(r, why);
	else
		r->state = HELLO_NAMED;
}

/* -- its records ------------------------------------------------------------------------------ */

/* Judge the message once its type and length are complete. */
static void client_hello_message(struct hello_reader *r)
{
	struct client_hello_span length = {r->bytes + 1, 3};
	size_t size = 0;

	(void)client_hello_number(&length, 3, &size);
	if (r->bytes[0] != MESSAGE_CLIENT_HELLO)
		client_hello_refuse(r, "a handshake that does not begin with a ClientHello");
	else if (size > HELLO_BODY_MAX)
		client_hello_refuse(r, "the ClientHello is too long");
}

static size_t client_hello_missing(const struct hello_reader *r)
{
	if (r->have < MESSAGE_HEADER)
		return MESSAGE_HEADER - r->have;
	return MESSAGE_HEADER +
	       ((size_t)r->bytes[1] << 16 | (size_t)r->bytes[2] << 8 | r->bytes[3]) - r->have;
}

/* Take bytes of the message, up to its length as far as that is known. Returns the bytes used. */
static size_t client_hello_handshake(struct hello_reader *r, const uint8_t *bytes, size_t size)
{
	size_t missing = client_hello_missing(r);
	bool is_header = r->have < MESSAGE_HEADER;

	if (!is_header && r->record_left > missing) {
		client_hello_refuse(r, "more than a ClientHello in its record");
		return 0;
	}
	if (size > missing)
		size = missing;
	memcpy(r->bytes + r->have, bytes, size);
	r->have += size;
	if (size < missing)
		return size;
	if (is_header)
		client_hello_message(r);
	if (r->state == HELLO_MORE && !client_hello_missing(r))
		client_hello_judge(r);
	return size;
}

static const char *client_hello_type(const struct hello_reader *r, uint8_t type)
{
	bool may_skip = r->may_skip_ccs && !r->have;

	if (type == RECORD_HANDSHAKE || (type == RECORD_DATA && may_skip))
		return NULL;
	if (type == RECORD_CCS && may_skip && !r->has_skipped_ccs)
		return NULL;
	if (type == RECORD_ALERT)
		return "an alert in place of a ClientHello";
	if (type == RECORD_CCS || type == RECORD_DATA)
		return "a record of another type in place of a ClientHello";
	return type & 0x80 ? "not TLS, or a hello of SSLv2" : "not TLS";
}

/* Returns NULL, or why no record may have this length. */
static const char *client_hello_length(struct hello_reader *r)
{
	switch (r->header[0]) {
	case RECORD_CCS:
		r->has_skipped_ccs = true;
		return r->record_left == 1 ? NULL : "an odd ChangeCipherSpec";
	case RECORD_DATA:
		r->skipped += HEADER + r->record_left;
		if (r->record_left > RECORD_MAX + RECORD_MORE)
			return "a record is too long";
		return r->skipped <= HELLO_SKIP_MAX ? NULL : "too much early data";
	default:
		if (!r->record_left || r->record_left > RECORD_MAX)
			return "a record is empty or too long";
		return ++r->records <= HELLO_RECORDS ? NULL : "a ClientHello in too many pieces";
	}
}

/* Take one byte of a record's header; judge each byte as it arrives. */
static void client_hello_header(struct hello_reader *r, uint8_t byte)
{
	const char *why = NULL;

	r->header[r->header_have++] = byte;
	if (r->header_have == 1)
		why = client_hello_type(r, byte);
	else if (r->header_have == 2 && byte != 3)
		why = r->header[0] == RECORD_HANDSHAKE ? "not TLS" : "a record of an odd version";
	else if (r->header_have == HEADER) {
		r->record_left = (size_t)r->header[3] << 8 | r->header[4];
		why = client_hello_length(r);
		if (!r->record_left)
			r->header_have = 0;
	}
	if (why)
		client_hello_refuse(r, why);
}

/* Take bytes of a record. Returns how many it used. */
static size_t client_hello_payload(struct hello_reader *r, const uint8_t *bytes, size_t size)
{
	if (size > r->record_left)
		size = r->record_left;
	if (r->header[0] == RECORD_HANDSHAKE)
		size = client_hello_handshake(r, bytes, size);
	else if (r->header[0] == RECORD_CCS && bytes[0] != 1)
		client_hello_refuse(r, "an odd ChangeCipherSpec");
	r->record_left -= size;
	if (!r->record_left)
		r->header_have = 0;
	return size;
}

enum hello_state hello_feed(struct hello_reader *reader, const uint8_t *bytes, size_t size)
{
	while (reader->state == HELLO_MORE && size) {
		size_t n = 1;

		if (reader->header_have < HEADER)
			client_hello_header(reader, *bytes);
		else
			n = client_hello_payload(reader, bytes, size);
		bytes += n;
		size -= n;
		reader->used += n;
	}
	return reader->state;
}

/* -- the server's answer ---------------------------------------------------------------------- */

/* Take one byte of the server's first message. */
static void client_hello_answer(struct server_hello_reader *r, uint8_t byte)
{
	/* SHA-256 of "HelloRetryRequest". */
	static const uint8_t retry[RANDOM] = {
		0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c,
		0x02, 0x1e, 0x65, 0xb8, 0x91, 0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb,
		0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c,
	};
	size_t at = r->have++;

	if (at == 0 && byte != MESSAGE_SERVER_HELLO)
		r->state = SERVER_FINAL;
	if (at < SERVER_HELLO_AT)
		return;
	if (byte != retry[at - SERVER_HELLO_AT])
		r->state = SERVER_FINAL;
	else if (at == SERVER_HELLO_AT + RANDOM - 1)
		r->state = SERVER_RETRY;
}

static void client_hello_answer_header(struct server_hello_reader *r, uint8_t byte)
{
	bool is_alert;

	r->header[r->header_have++] = byte;
	if (r->header_have < HEADER)
		return;
	r->record_left = (size_t)r->header[3] << 8 | r->header[4];
	is_alert = r->header[0] == RECORD_ALERT && !r->have && r->record_left == 2;
	if (is_alert && ++r->warnings > WARNINGS)
		is_alert = false;
	if (r->header[1] != 3 || !r->record_left || (r->header[0] != RECORD_HANDSHAKE && !is_alert))
		r->state = SERVER_FINAL;
}

enum server_hello_state server_hello_feed(struct server_hello_reader *reader, const uint8_t *bytes,
					  size_t size)
{
	for (; reader->state == SERVER_MORE && size; bytes++, size--) {
		if (reader->header_have < HEADER) {
			client_hello_answer_header(reader, *bytes);
			continue;
		}
		if (reader->header[0] == RECORD_HANDSHAKE)
			client_hello_answer(reader, *bytes);
		else if (reader->record_left == 2 && *bytes != ALERT_IS_WARNING)
			reader->state = SERVER_FINAL;
		if (--reader->record_left == 0)
			reader->header_have = 0;
	}
	return reader->state;
}
