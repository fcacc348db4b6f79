/*
 * fuzz_segment - any reply is told whole, and the same at any cut but for where text is parted.
 */
#include "fuzz.h"

#include "agent/show/segment.h"

struct told {
	struct buf text;
	size_t longest;
};

static void take(void *context, enum segment_kind kind, const char *text, size_t length)
{
	struct told *told = context;
	char letter = (char)('0' + kind);

	if (length > told->longest)
		told->longest = length;
	for (size_t i = 0; i < length; i++) {
		buf_add(&told->text, &letter, 1);
		buf_add(&told->text, text + i, 1);
	}
}

static void tell(const uint8_t *data, size_t size, size_t step, struct told *told)
{
	struct segments s = {.take = take, .context = told};

	for (size_t at = 0; at < size; at += step) {
		segments_add(&s, (const char *)data + at, size - at < step ? size - at : step);
		MUST(s.held.length <= 2 * SEGMENT_LINE);
	}
	segments_end(&s);
	MUST(!s.held.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct told whole = {0};
	struct told parts = {0};

	tell(data, size, size ? size : 1, &whole);
	tell(data, size, size ? data[0] % 11 + 1 : 1, &parts);
	MUST(whole.longest <= 2 * SEGMENT_LINE && parts.longest <= 2 * SEGMENT_LINE);
	/* Lines too long to be held are parted wherever the pieces are. */
	if (size < SEGMENT_LINE) {
		MUST(whole.text.length == parts.text.length);
		MUST(!whole.text.length ||
		     !memcmp(whole.text.data, parts.text.data, whole.text.length));
	}
	buf_fini(&whole.text);
	buf_fini(&parts.text);
	return 0;
}
