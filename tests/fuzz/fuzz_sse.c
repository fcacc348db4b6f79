/*
 * fuzz_sse - the cuts of a stream change nothing, and no event holds a carriage return.
 */
#include "fuzz.h"

#include "agent/server/parts.h"

static int collect(void *context, char *data, size_t length, struct err *e)
{
	struct buf *out = context;

	(void)e;
	MUST(length > 0);
	MUST(!memchr(data, '\r', length));
	MUST(data[length] == '\0');
	buf_text(out, "[");
	buf_add(out, data, length);
	buf_text(out, "]");
	return 0;
}

static void run(const uint8_t *data, size_t size, size_t step, struct buf *out)
{
	struct parts s = {.form = PARTS_EVENTS, .part = collect, .context = out, .max = 1 << 20};
	struct err e = {0};

	for (size_t at = 0; at < size; at += step) {
		size_t part = size - at < step ? size - at : step;

		MUST(!parts_take(&s, (const char *)data + at, part, &e));
	}
	MUST(!parts_finish(&s, &e));
	parts_fini(&s);
}

/* With a bound it holds whatever comes: nothing grows past it. */
static void run_bounded(const uint8_t *data, size_t size)
{
	auto_buf struct buf out = {0};
	struct parts s = {.form = PARTS_EVENTS, .part = collect, .context = &out, .max = 40};
	struct err e = {0};

	for (size_t at = 0; at < size; at++) {
		if (parts_take(&s, (const char *)data + at, 1, &e)) {
			fuzz_check_error(&e);
			break;
		}
		MUST(s.line.length + s.data.length <= 42);
	}
	parts_fini(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_buf struct buf whole = {0};

	run(data, size, size + 1, &whole);
	for (size_t step = 1; step < 8; step++) {
		auto_buf struct buf cut = {0};

		run(data, size, step, &cut);
		MUST(cut.length == whole.length);
		MUST(!cut.length || !memcmp(cut.data, whole.data, cut.length));
	}
	run_bounded(data, size);
	return 0;
}
