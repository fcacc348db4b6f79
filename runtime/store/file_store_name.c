/*
 * file_store_name - names of files as clients send them, made fit for records and headers.
 */
#include "store/file_store_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

#define FILE_STORE_NAME_NONE "unnamed"

/* Some clients treat line and paragraph separators as line ends, as they do control characters. */
static bool file_store_name_is_control(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029;
}

void file_store_name_clean(const char *sent, size_t length, char out[FILE_STORE_NAME_MAX + 1])
{
	const unsigned char *p = (const unsigned char *)sent;
	size_t filled = 0;

	for (size_t i = 0; sent && i < length;) {
		uint32_t code;
		size_t used = utf8_decode(p + i, length - i, &code);
		const char *bytes = (const char *)p + i;
		size_t count = used;

		if (file_store_name_is_control(code)) {
			bytes = "_";
			count = 1;
		} else if (utf8_is_substitute(p + i, used, code)) {
			bytes = "\xef\xbf\xbd";
			count = 3;
		}
		if (filled + count > FILE_STORE_NAME_MAX)
			break;
		memcpy(out + filled, bytes, count);
		filled += count;
		i += used;
	}
	out[filled] = '\0';
	if (!filled)
		memcpy(out, FILE_STORE_NAME_NONE, sizeof(FILE_STORE_NAME_NONE));
}

/*
 * Keep characters that every client shows in a quoted name: some decode %XX there, and some treat
 * '\' as '/'.
 */
static char file_store_name_in_quotes(uint32_t code)
{
	return code < 0x20 || code >= 0x7f || strchr("\"\\%/", (int)code) ? '_' : (char)code;
}

/* attr-char of RFC 8187. */
static bool file_store_name_is_plain(unsigned char byte)
{
	return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
	       (byte >= 'a' && byte <= 'z') || (byte && strchr("!#$&+-.^_`|~", byte));
}

void file_store_name_for_header(const char *filename, char out[FILE_STORE_HEADER_SIZE])
{
	const char *slash = strrchr(filename, '/');
	const char *name = slash ? slash + 1 : filename;
	char *end = out;
	size_t length;
	uint32_t code;

	if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
		name = FILE_STORE_NAME_NONE;
	length = strnlen(name, FILE_STORE_NAME_MAX);
	end += sprintf(end, "attachment; filename=\"");
	for (size_t i = 0; i < length;) {
		i += utf8_decode((const unsigned char *)name + i, length - i, &code);
		*end++ = file_store_name_in_quotes(code);
	}
	end += sprintf(end, "\"; filename*=UTF-8''");
	for (size_t i = 0; i < length; i++) {
		unsigned char byte = (unsigned char)name[i];

		end += sprintf(end, file_store_name_is_plain(byte) ? "%c" : "%%%02X", byte);
	}
}
