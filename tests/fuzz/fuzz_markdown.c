/*
 * fuzz_markdown - any text is written, and the same at any cut.
 */
#include "fuzz.h"

#include <fcntl.h>
#include <unistd.h>

#include "agent/show/markdown.h"
#include "base/escape.h"

/* What waits to be written; more than that is not compared. */
#define COMPARED_BYTES 2000

static void show(const struct buf *text, size_t step, struct console *c)
{
	struct markdown m = {.console = c};

	console_open(c, open("/dev/null", O_WRONLY | O_CLOEXEC));
	c->colour = true;
	for (size_t at = 0; at < text->length; at += step)
		markdown_add(&m, text->data + at,
			     text->length - at < step ? text->length - at : step);
	markdown_end(&m);
	MUST(!m.line.data && !m.table.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf text = {0};
	struct console whole;
	struct console parts;

	setenv("COLUMNS", "30", 1);
	escape_text(data, size, &text);
	show(&text, size ? size : 1, &whole);
	show(&text, size ? data[0] % 11 + 1 : 1, &parts);
	if (text.length < COMPARED_BYTES) {
		MUST(whole.pending.length == parts.pending.length);
		MUST(!whole.pending.length ||
		     !memcmp(whole.pending.data, parts.pending.data, whole.pending.length));
	}
	close(whole.fd);
	close(parts.fd);
	whole.fd = parts.fd = -1;
	console_close(&whole);
	console_close(&parts);
	buf_fini(&text);
	return 0;
}
