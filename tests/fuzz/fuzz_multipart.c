/*
 * fuzz_multipart - a body of multipart/form-data. The first line of an input is what Content-Type
 * says behind the type, the rest is the body: its parts, or what is wrong with it, are the same
 * however it was cut into pieces. Any bytes without the boundary come through a form as they are.
 */
#include "fuzz.h"

#include "base/buf.h"
#include "web/multipart.h"

#define HEAD "--part\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n"

struct taken {
	struct buf parts;
	size_t length; /* of all contents */
};

static void take_part(void *context, const char *name, const char *filename, const char *bytes,
		      size_t length)
{
	struct taken *t = context;

	MUST(name && bytes);
	if (!length)
		buf_printf(&t->parts, "\n[%s|%s]", name, filename ? filename : "");
	buf_add(&t->parts, bytes, length);
	t->length += length;
}

/* Returns whether the form is whole; else why not is added to the parts. */
static bool read_form(const char *kind, const uint8_t *body, size_t size, size_t piece,
		      struct taken *t)
{
	struct multipart *m = NULL;
	struct err e = {0};
	int bad = multipart_open(kind, take_part, t, &m, &e);

	for (size_t at = 0; !bad && at < size; at += piece) {
		size_t length = size - at < piece ? size - at : piece;

		bad = multipart_add(m, (const char *)body + at, length, &e);
	}
	if (!bad)
		bad = multipart_end(m, &e);
	if (bad) {
		fuzz_check_error(&e);
		buf_printf(&t->parts, "\n%s", e.text);
	}
	multipart_close(m);
	return !bad;
}

static void check_pieces(const char *kind, const uint8_t *body, size_t size)
{
	const size_t pieces[] = {1, 2 + size % 62};
	struct taken whole = {0};
	const bool is_whole = read_form(kind, body, size, size + 1, &whole);

	MUST(whole.length <= size);
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		struct taken cut = {0};

		MUST(read_form(kind, body, size, pieces[i], &cut) == is_whole);
		MUST(whole.parts.length == cut.parts.length);
		MUST(!memcmp(buf_string(&whole.parts), buf_string(&cut.parts), cut.parts.length));
		buf_fini(&cut.parts);
	}
	buf_fini(&whole.parts);
}

static void check_content(const uint8_t *content, size_t size)
{
	auto_buf struct buf body = {0};
	struct taken t = {0};

	if (memmem(content, size, "--part", 6))
		return;
	buf_text(&body, HEAD);
	buf_add(&body, content, size);
	buf_text(&body, "\r\n--part--\r\n");
	MUST(read_form("multipart/form-data; boundary=part", (const uint8_t *)body.data,
		       body.length, 1 + size % 100, &t));
	MUST(t.length == size);
	MUST(!size || !memcmp(t.parts.data + t.parts.length - size, content, size));
	buf_fini(&t.parts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = memchr(data, '\n', size);
	const size_t line = end ? (size_t)(end - data) : size;
	char *parameters = fuzz_string(data, line);
	auto_buf struct buf kind = {0};

	buf_printf(&kind, "multipart/form-data;%s", parameters);
	free(parameters);
	if (end)
		check_pieces(buf_string(&kind), end + 1, size - line - 1);
	check_content(data, size);
	return 0;
}
