/*
 * completion - ask the session itself how a name could continue.
 */
#include "repl/completion.h"

#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "repl/turn.h"

#define TIMEOUT_MS  1500
#define ANSWER_MAX  (1u << 20)
#define MATCHES_MAX 200
#define PREFIX_MAX  1000

/* Add only names that a terminal shows unchanged, and that continue the typed one. */
static void completion_add(const char *name, const char *match, struct buf *out)
{
	auto_buf struct buf shown = {0};

	if (!match || strncmp(match, name, strlen(name)) != 0)
		return;
	escape_line(match, strlen(match), &shown);
	if (!strcmp(buf_string(&shown), match))
		buf_printf(out, "%s\n", match);
}

static void completion_read(const struct json *answer, const char *name, struct buf *out)
{
	const struct json *matches =
		answer && json_is_object(answer) ? json_get(answer, "matches") : NULL;
	unsigned count = 0;

	if (!matches || !json_is_array(matches))
		return;
	for (const struct json *n = json_first(matches); n && count < MATCHES_MAX;
	     n = json_next(n), count++)
		completion_add(name, json_string(n), out);
}

void completion_find(void *context, const char *name, struct buf *out)
{
	const struct completion *c = context;
	struct turn turn = {
		.request.call = {.timeout_ms = TIMEOUT_MS,
				 .answer_max = ANSWER_MAX,
				 .spares = true,
				 .out = {{.fd = -1}, {.fd = -1}}},
		.signal_fd = c->signal_fd
        };
	auto_buf struct buf members = {0};
	struct err e;

	if (strlen(name) > PREFIX_MAX)
		return;
	buf_text(&members, "\"op\":\"complete\",\"text\":");
	buf_json_text(&members, name);
	if (!turn_make(&turn, c->place, &members, false, &e))
		completion_read(turn.result.outcome.answer, name, out);
	else if (turn.result.call.left)
		fputs("\nglovebox: looking for names runs code of the session that cannot be "
		      "interrupted; the next line waits for its end\n",
		      stderr);
	turn_fini(&turn);
}
