/*
 * fuzz_ndjson - the cuts of a stream change nothing, and no line holds its own end.
 */
#include "fuzz.h"

#include "agent/server/parts.h"

static int collect(void *context, char *text, size_t length, struct err *e)
{
	struct buf *out = context;

	(void)e;
	MUST(length > 0);
	MUST(!memchr(text, '\n', length));
	MUST(text[length] == '\0');
	buf_add(out, text, length);
	buf_text(out, "\n");
	return 0;
}

static int run(const uint8_t *data, size_t size, size_t step, struct buf *out)
{
	struct parts n = {.part = collect, .context = out, .max = 200};
	struct err e = {0};
	int status = 0;

	for (size_t at = 0; at < size && !status; at += step) {
		size_t part = size - at < step ? size - at : step;

		status = parts_take(&n, (const char *)data + at, part, &e);
	}
	if (!status)
		status = parts_finish(&n, &e);
	if (status)
		fuzz_check_error(&e);
	parts_fini(&n);
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_buf struct buf whole = {0};
	int status = run(data, size, size + 1, &whole);

	for (size_t step = 1; step < 8; step++) {
		auto_buf struct buf cut = {0};

		MUST(run(data, size, step, &cut) == status);
		MUST(cut.length == whole.length);
		MUST(!cut.length || !memcmp(cut.data, whole.data, cut.length));
	}
	return 0;
}
