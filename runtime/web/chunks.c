/*
 * chunks - read a body that comes in chunks (RFC 9112, 7.1).
 */
#include "web/chunks.h"

#include <stdbool.h>

#include "base/hex.h"

#define MOST (UINT64_MAX >> 8) /* of one chunk */

static bool chunks_is_control(char c)
{
	return ((unsigned char)c < ' ' && c != '\t') || c == 0x7f;
}

static bool chunks_take_size(struct chunks *c, char byte)
{
	int digit = hex_digit(byte);

	if (digit >= 0 && c->left <= MOST >> 4) {
		c->left = c->left << 4 | (uint64_t)digit;
		return true;
	}
	if (digit >= 0 || c->line == 1)
		return false; /* too large, or without a digit */
	if (byte == '\r')
		c->state = CHUNKS_AT_SIZE_END;
	else if (byte == ';')
		c->state = CHUNKS_IN_EXTENSION;
	return c->state != CHUNKS_IN_SIZE;
}

static bool chunks_take_trailer(struct chunks *c, char byte)
{
	if (byte == '\r')
		c->state = c->state == CHUNKS_AT_TRAILER ? CHUNKS_AT_END : CHUNKS_AT_TRAILER_END;
	else
		c->state = CHUNKS_IN_TRAILER;
	return byte == '\r' || !chunks_is_control(byte);
}

static bool chunks_expect(struct chunks *c, bool is_there, int next)
{
	c->state = next;
	return is_there;
}

/* Take a byte that is not data. Returns false if it cannot stand there. */
static bool chunks_take(struct chunks *c, char byte)
{
	switch (c->state) {
	case CHUNKS_IN_SIZE:
		return ++c->line <= CHUNKS_LINE_BYTES && chunks_take_size(c, byte);
	case CHUNKS_IN_EXTENSION:
		if (byte == '\r')
			c->state = CHUNKS_AT_SIZE_END;
		return ++c->line <= CHUNKS_LINE_BYTES && (byte == '\r' || !chunks_is_control(byte));
	case CHUNKS_AT_SIZE_END:
		c->line = 0;
		return chunks_expect(c, byte == '\n', c->left ? CHUNKS_IN_DATA : CHUNKS_AT_TRAILER);
	case CHUNKS_AT_DATA_END:
		return chunks_expect(c, byte == '\r', CHUNKS_BEHIND_DATA);
	case CHUNKS_BEHIND_DATA:
		return chunks_expect(c, byte == '\n', CHUNKS_IN_SIZE);
	case CHUNKS_AT_TRAILER:
	case CHUNKS_IN_TRAILER:
		return ++c->line <= CHUNKS_TRAILER_BYTES && chunks_take_trailer(c, byte);
	case CHUNKS_AT_TRAILER_END:
		return chunks_expect(c, byte == '\n', CHUNKS_AT_TRAILER);
	case CHUNKS_AT_END:
		return byte == '\n';
	case CHUNKS_IN_DATA:
		break;
	}
	return false;
}

static enum chunks_event chunks_take_data(struct chunks *c, const char **bytes, size_t *length,
					  const char **data, size_t *size)
{
	*data = *bytes;
	*size = c->left < *length ? (size_t)c->left : *length;
	*bytes += *size;
	*length -= *size;
	c->left -= *size;
	if (!c->left)
		c->state = CHUNKS_AT_DATA_END;
	return CHUNKS_DATA;
}

enum chunks_event chunks_read(struct chunks *c, const char **bytes, size_t *length,
			      const char **data, size_t *size)
{
	while (*length) {
		bool is_end = c->state == CHUNKS_AT_END;

		if (c->state == CHUNKS_IN_DATA)
			return chunks_take_data(c, bytes, length, data, size);
		if (!chunks_take(c, **bytes))
			return CHUNKS_BAD;
		++*bytes;
		--*length;
		if (is_end)
			return CHUNKS_END;
	}
	return CHUNKS_MORE;
}
