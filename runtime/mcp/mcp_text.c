/*
 * mcp_text - foreign texts in a result, cut to their share of it.
 */
#include "mcp/mcp_text.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/json_put.h"
#include "base/own.h"
#include "base/utf8.h"

#define MARK "[...]\n"

/* Bytes of a character as buf_json_string() writes it. */
static size_t mcp_text_cost(uint32_t code)
{
	if (code >= 0x10000)
		return 12;
	if (code == '"' || code == '\\' || code == '\n')
		return 2;
	return code < 0x20 || code >= 0x7f ? 6 : 1;
}

size_t mcp_text_fits(const char *bytes, size_t length, size_t most)
{
	size_t at = 0;

	while (at < length) {
		uint32_t code;
		size_t used = utf8_decode((const unsigned char *)bytes + at, length - at, &code);

		if (mcp_text_cost(code) > most)
			break;
		most -= mcp_text_cost(code);
		at += used;
	}
	return at;
}

static size_t mcp_text_character_length(unsigned char first)
{
	return first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
}

/* Remove an incomplete character from the end of a text that was cut. */
static void mcp_text_trim(struct buf *text)
{
	for (size_t back = 1; back <= 3 && back <= text->length; back++) {
		const unsigned char byte = (unsigned char)text->data[text->length - back];

		if (byte < 0x80)
			return;
		if (byte < 0xc0)
			continue;
		if (mcp_text_character_length(byte) > back)
			buf_cut(text, text->length - back);
		return;
	}
}

bool mcp_text_cut(struct buf *text, size_t most_bytes, size_t most_json)
{
	const size_t before = text->length;

	if (text->length > most_bytes) {
		buf_cut(text, most_bytes);
		mcp_text_trim(text);
	}
	buf_cut(text, mcp_text_fits(text->data, text->length, most_json));
	return text->length < before;
}

/* Cut between characters. */
bool mcp_text_cut_front(struct buf *text, size_t most_bytes)
{
	struct buf kept = {0};
	size_t from;

	if (text->length <= most_bytes)
		return false;
	from = text->length - most_bytes;
	while (from < text->length && (text->data[from] & 0xc0) == 0x80)
		from++;
	buf_text(&kept, MARK);
	buf_add(&kept, text->data + from, text->length - from);
	buf_fini(text);
	*text = kept;
	return true;
}

static void mcp_text_add_escaped(struct buf *out, const char *text, const char *also)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";

	for (; *text; text++) {
		if (strchr(plain, *text) || strchr(also, *text))
			buf_add(out, text, 1);
		else
			buf_printf(out, "%%%02X", (unsigned char)*text);
	}
}

static char *mcp_text_line_before_end(const struct buf *text, size_t most)
{
	size_t end = text->length;
	size_t begin;

	while (end && text->data[end - 1] == '\n')
		end--;
	begin = end;
	while (begin && text->data[begin - 1] != '\n' && end - begin < most)
		begin--;
	if (begin == end || !utf8_is_valid(text->data + begin, end - begin))
		return NULL;
	return own_strndup(text->data + begin, end - begin);
}

char *mcp_text_last_line(const struct terminal_text *shown, size_t most)
{
	auto_buf struct buf line = {0};

	if (!shown->out)
		return NULL;
	terminal_text_put_line(shown, &line);
	return mcp_text_line_before_end(line.length ? &line : shown->out, most);
}

void mcp_text_put_uri(struct buf *out, const char *key, const char *handle, const char *path)
{
	auto_buf struct buf uri = {0};

	buf_text(&uri, MCP_URI);
	mcp_text_add_escaped(&uri, handle, "");
	buf_text(&uri, "/");
	mcp_text_add_escaped(&uri, path, "/");
	json_put_text(out, key, buf_string(&uri));
}

const char *mcp_text_type(const char *path)
{
	static const struct {
		const char *suffix;
		const char *type;
	} types[] = {
		{".png",  "image/png"       },
                {".jpg",  "image/jpeg"      },
		{".jpeg", "image/jpeg"      },
                {".gif",  "image/gif"       },
		{".webp", "image/webp"      },
                {".svg",  "image/svg+xml"   },
		{".pdf",  "application/pdf" },
                {".json", "application/json"},
		{".csv",  "text/csv"        },
                {".txt",  "text/plain"      },
		{".md",   "text/markdown"   },
                {".html", "text/html"       },
		{".py",   "text/x-python"   },
	};
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && i < sizeof(types) / sizeof(types[0]); i++) {
		if (!strcasecmp(types[i].suffix, dot))
			return types[i].type;
	}
	return "application/octet-stream";
}

void mcp_text_put_block(struct buf *out, const struct buf *text)
{
	json_put_begin(out, NULL, '{');
	json_put_text(out, "type", "text");
	json_put_bytes(out, "text", buf_string(text), text->length);
	json_put_end(out, '}');
}

void mcp_text_put_image(struct buf *out, const char *type, const struct buf *base64)
{
	json_put_begin(out, NULL, '{');
	json_put_text(out, "type", "image");
	json_put_key(out, "data");
	buf_text(out, "\"");
	buf_add(out, base64->data, base64->length);
	buf_text(out, "\"");
	json_put_text(out, "mimeType", type);
	json_put_end(out, '}');
}
