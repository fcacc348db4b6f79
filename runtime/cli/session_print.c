/*
 * session_print - what came of a call, for people or for programs.
 */
#include "cli/session_print.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/say.h"

static void print_text(const struct json *bundle)
{
	const char *text = json_string(json_get(bundle, "text/plain"));

	if (!text)
		return;
	say_lines(stdout, text);
	putchar('\n');
}

static void print_lines(const struct json *lines)
{
	for (const struct json *n = json_first(lines); n; n = json_next(n)) {
		if (json_string(n))
			say_lines(stderr, json_string(n));
	}
}

int session_print_answer(const struct json *answer)
{
	const char *status = json_string(json_get(answer, "status"));
	uint64_t code = 1;

	for (const struct json *n = json_first(json_get(answer, "displays")); n; n = json_next(n))
		print_text(n);
	print_text(json_get(answer, "value"));
	print_lines(json_get(json_get(answer, "error"), "traceback"));
	if (status && !strcmp(status, "ok"))
		return 0;
	if (status && !strcmp(status, "exit"))
		json_number(json_get(answer, "exit_code"), &code);
	return (int)(code & 0xff);
}

int session_print_json(struct session_call *call, const char *lost)
{
	auto_buf struct buf text = {0};

	buf_printf(&text,
		   "{\"duration_ms\":%.3f,\"timed_out\":%s,\"interrupted\":%s,\"truncated\":%s",
		   (double)call->duration_us / 1000, call->timed_out ? "true" : "false",
		   call->interrupted ? "true" : "false",
		   call->truncated[0] || call->truncated[1] ? "true" : "false");
	buf_text(&text, ",\"stdout\":");
	buf_json_string(&text, call->captured[0].data, call->captured[0].length);
	buf_text(&text, ",\"stderr\":");
	buf_json_string(&text, call->captured[1].data, call->captured[1].length);
	if (lost) {
		buf_text(&text, ",\"lost\":");
		buf_json_text(&text, lost);
	}
	buf_text(&text, lost ? ",\"result\":null" : ",\"result\":");
	if (lost)
		buf_fini(&call->answer);
	return io_write_all(STDOUT_FILENO, text.data, text.length) ||
			       say_json(STDOUT_FILENO, &call->answer) ||
			       io_write_all(STDOUT_FILENO, "}\n", 2)
		       ? -1
		       : 0;
}
