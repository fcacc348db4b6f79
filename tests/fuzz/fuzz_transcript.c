/*
 * fuzz_transcript - a hostile transcript is read as far as it goes or refused.
 */
#include "fuzz.h"

#include "agent/show/replay_file.h"
#include "base/utf8.h"

static void warn(void *context, const char *text)
{
	size_t *warnings = context;

	MUST(text[0]);
	MUST(++*warnings <= 4);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct recording r = {0};
	struct err e = {0};
	size_t warnings = 0;
	int status = recording_parse((const char *)data, size, &r, warn, &warnings, &e);

	if (status)
		fuzz_check_error(&e);
	MUST((status == 0) == (r.reply_count > 0));
	for (size_t i = 0; i < r.reply_count; i++) {
		const struct chat_message *m = &r.replies[i].reply.message;

		MUST(m->content);
		for (size_t k = 0; k < m->call_count; k++)
			MUST(m->calls[k].name && m->calls[k].arguments);
	}
	recording_fini(&r);
	return 0;
}
