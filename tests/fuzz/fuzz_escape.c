/*
 * fuzz_escape - hostile bytes are harmless and the same at any cut, also in colours.
 */
#include "fuzz.h"

#include "agent/show/highlight.h"
#include "base/escape.h"
#include "base/utf8.h"

static void is_harmless(const struct buf *text)
{
	MUST(utf8_is_valid(buf_string(text), text->length));
	for (size_t i = 0; i < text->length; i++) {
		unsigned char c = (unsigned char)text->data[i];

		MUST(c >= 0x20 || c == '\n' || c == '\t');
		MUST(c != 0x7f);
		MUST(c != 0xc2 || (unsigned char)text->data[i + 1] >= 0xa0);
	}
}

/* Only colours of ours begin with ESC. */
static void is_coloured(const struct buf *text)
{
	for (size_t i = 0; i < text->length; i++) {
		if (text->data[i] != '\033')
			continue;
		MUST(text->data[i + 1] == '[');
		i += 2 + strspn(text->data + i + 2, "0123456789;");
		MUST(text->data[i] == 'm');
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_buf struct buf whole = {0};
	auto_buf struct buf parts = {0};
	auto_buf struct buf line = {0};
	struct python_at h = {0};
	struct escape s = {0};
	size_t step = size ? data[0] % 7 + 1 : 1;

	escape_text(data, size, &whole);
	is_harmless(&whole);
	for (size_t at = 0; at < size; at += step)
		escape_add(&s, data + at, size - at < step ? size - at : step, &parts);
	escape_end(&s, &parts);
	MUST(parts.length == whole.length);
	MUST(!parts.length || !memcmp(parts.data, whole.data, whole.length));
	for (int i = 0; i < 2; i++)
		highlight_line(&h, (const char *)data, size, &line);
	is_coloured(&line);
	return 0;
}
