/*
 * fuzz_terminal_text - text without controls, the same at any cut, and the same when filtered
 * again.
 */
#include "fuzz.h"

#include "base/terminal_text.h"
#include "base/utf8.h"

static void is_plain(const struct buf *text)
{
	MUST(utf8_is_valid(buf_string(text), text->length));
	for (size_t i = 0; i < text->length; i++) {
		unsigned char c = (unsigned char)text->data[i];

		MUST((c >= 0x20 && c != 0x7f) || c == '\n' || c == '\t');
	}
}

static void is_same(const struct buf *a, const struct buf *b)
{
	MUST(a->length == b->length);
	MUST(!a->length || !memcmp(a->data, b->data, a->length));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_buf struct buf whole = {0};
	auto_buf struct buf parts = {0};
	auto_buf struct buf again = {0};
	struct buf little = {.cap = 64};
	struct terminal_text t = {.out = &parts};
	size_t step = size ? data[0] % 7 + 1 : 1;

	terminal_text(data, size, &whole);
	is_plain(&whole);
	MUST(whole.length <= 3 * size); /* an invalid byte becomes three */
	for (size_t at = 0; at < size; at += step)
		terminal_text_add(&t, data + at, size - at < step ? size - at : step);
	terminal_text_end(&t);
	terminal_text_fini(&t);
	is_same(&whole, &parts);
	terminal_text(whole.data, whole.length, &again);
	is_same(&whole, &again);
	terminal_text(data, size, &little);
	MUST(little.length <= 64);
	buf_fini(&little);
	return 0;
}
