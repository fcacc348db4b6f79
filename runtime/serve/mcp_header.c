/*
 * mcp_header - compare headers of MCP with the body.
 */
#include "serve/mcp_header.h"

#include <string.h>

#include "base/encode.h"

#define OPENING "=?base64?"
#define CLOSING "?="

static bool mcp_header_is(const char *header, size_t length, const char *value)
{
	return length == strlen(value) && !memcmp(header, value, length);
}

/* Compare encoded texts: each value has one encoding. */
bool mcp_header_says(const char *header, const char *value)
{
	auto_buf struct buf written = {0};
	size_t length;

	if (!header)
		return false;
	header += strspn(header, " \t");
	length = strlen(header);
	while (length && (header[length - 1] == ' ' || header[length - 1] == '\t'))
		length--;
	if (strncmp(header, OPENING, strlen(OPENING)) != 0 || length < strlen(OPENING CLOSING) ||
	    memcmp(header + length - strlen(CLOSING), CLOSING, strlen(CLOSING)) != 0)
		return mcp_header_is(header, length, value);
	buf_text(&written, OPENING);
	encode_base64(value, strlen(value), &written);
	buf_text(&written, CLOSING);
	return mcp_header_is(header, length, buf_string(&written));
}
