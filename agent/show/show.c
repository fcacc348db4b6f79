/*
 * show - render one part of a task as text for people.
 */
#include "agent/show/show.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/ioctl.h>

#include "agent/data/text.h"
#include "agent/show/highlight.h"
#include "base/escape.h"
#include "base/parse.h"

#define HEAD_LINES    30
#define TAIL_LINES    15
#define LINE_BYTES    2000 /* of one line */

#define SHOWN_US      100000
#define LONG_START_US 1000000

void show_safe(const struct show *s, const void *bytes, size_t length, struct buf *out)
{
	if (s->raw)
		buf_add(out, bytes, length);
	else
		escape_text(bytes, length, out);
}

static size_t show_count_lines(const char *text, size_t length)
{
	size_t lines = 0;

	for (size_t at = 0; at < length; lines++)
		at = text_next_line(text, at, length);
	return lines;
}

/* Write a line behind a bar; cut a very long one. */
static void show_line(const struct show *s, enum style style, const char *line, size_t length)
{
	size_t shown = s->whole || length <= LINE_BYTES ? length : escape_whole(line, LINE_BYTES);
	auto_buf struct buf safe = {0};

	show_safe(s, line, shown, &safe);
	console_text(s->console, STYLE_DIM, "| ");
	console_add(s->console, style, buf_string(&safe), safe.length);
	if (shown < length)
		console_printf(s->console, STYLE_DIM, " ... %zu bytes more", length - shown);
	console_text(s->console, STYLE_PLAIN, "\n");
}

/* Write several lines; leave out the middle of many. */
static void show_block(const struct show *s, enum style style, const char *text, size_t length)
{
	size_t lines = show_count_lines(text, length);
	bool shortened = !s->whole && lines > HEAD_LINES + TAIL_LINES + 1;
	size_t number = 0;

	console_fresh_line(s->console);
	for (size_t at = 0; at < length; number++) {
		size_t n = text_line_end(text, at, length) - at;
		size_t shown = n && text[at + n - 1] == '\r' && !s->raw ? n - 1 : n;

		if (!shortened || number < HEAD_LINES || number >= lines - TAIL_LINES)
			show_line(s, style, text + at, shown);
		else if (number == HEAD_LINES)
			console_printf(s->console, STYLE_DIM, "| ... %zu lines more ...\n",
				       lines - HEAD_LINES - TAIL_LINES);
		at += n + 1;
	}
}

void show_code(const struct show *s, const char *code, size_t length)
{
	struct python_at state = {0};

	console_fresh_line(s->console);
	for (size_t at = 0; at < length;) {
		size_t n = text_line_end(code, at, length) - at;
		size_t shown = n && code[at + n - 1] == '\r' ? n - 1 : n;
		auto_buf struct buf line = {0};

		if (s->console->colour)
			highlight_line(&state, code + at, shown, &line);
		else
			escape_text(code + at, shown, &line);
		console_painted(s->console, &line);
		at += n + 1;
	}
}

/* Describe the end of an execution in a few words. Returns their style. */
static enum style show_verdict(const struct execution *x, char *out, size_t out_size)
{
	char size[24];

	switch (x->verdict) {
	case CODE_OK:
		snprintf(out, out_size, "ran");
		return STYLE_DIM;
	case CODE_ERROR:
		snprintf(out, out_size, "failed");
		return STYLE_WARN;
	case CODE_EXIT:
		snprintf(out, out_size, "exit status %d", x->exit_code);
		return x->exit_code ? STYLE_WARN : STYLE_DIM;
	case CODE_TIMEOUT:
		snprintf(out, out_size, "stopped: more than %g s", (double)x->limit_ms / 1000);
		return STYLE_WARN;
	case CODE_MEMORY:
		snprintf(out, out_size, "stopped: more than %s of memory",
			 format_size(x->limit_bytes, size));
		return STYLE_WARN;
	case CODE_CRASHED:
		snprintf(out, out_size, "the interpreter crashed (exit status %d)", x->exit_code);
		return STYLE_WARN;
	case CODE_CANCELLED:
		snprintf(out, out_size, "stopped by you");
		return STYLE_WARN;
	}
	return STYLE_DIM;
}

static bool show_is_png(const char *path)
{
	size_t length = strlen(path);

	return length > 4 && !strcasecmp(path + length - 4, ".png");
}

/* Return the window's width in pixels; 0: unknown. */
static uint32_t show_window_pixels(const struct console *c)
{
	struct winsize size = {0};

	return ioctl(c->fd, TIOCGWINSZ, &size) ? 0 : size.ws_xpixel;
}

static void show_image(const struct show *s, const char *path)
{
	auto_buf struct buf sequence = {0};
	struct err e;

	if (s->images == IMAGE_NONE || s->output_fd < 0 || !show_is_png(path))
		return;
	if (!images_load(s->images, s->output_fd, path, show_window_pixels(s->console),
			 console_width(s->console), &sequence, &e))
		console_painted(s->console, &sequence);
}

static void show_files(const struct show *s, const struct execution *x)
{
	for (size_t i = 0; i < x->file_count; i++) {
		auto_buf struct buf name = {0};

		escape_line(x->files[i].path, strlen(x->files[i].path), &name);
		console_text(s->console, STYLE_DIM, "file: ");
		console_printf(s->console, STYLE_PLAIN, "%s%s%s", s->output_name,
			       s->output_name[0] ? "/" : "", buf_string(&name));
		console_printf(s->console, STYLE_DIM, " (%" PRIu64 " bytes)\n", x->files[i].size);
		show_image(s, x->files[i].path);
	}
	if (x->files_truncated)
		console_text(s->console, STYLE_DIM, "file: ... and more\n");
}

static enum style show_stream_style(int stream)
{
	return stream ? STYLE_WARN : STYLE_PLAIN;
}

void show_output(const struct show *s, int stream, const char *line, size_t length)
{
	size_t shown = length && line[length - 1] == '\r' && !s->raw ? length - 1 : length;

	console_fresh_line(s->console);
	show_line(s, show_stream_style(stream), line, shown);
}

void show_execution(const struct show *s, const struct execution *x, const size_t shown[2])
{
	char words[100];
	enum style style = show_verdict(x, words, sizeof(words));

	for (int i = 0; i < 2; i++) {
		size_t from = shown[i] < x->output[i].length ? shown[i] : x->output[i].length;

		show_block(s, show_stream_style(i), buf_string(&x->output[i]) + from,
			   x->output[i].length - from);
		if (x->truncated[i])
			console_text(s->console, STYLE_DIM, "| ... cut by the sandbox's limit\n");
	}
	if (x->value)
		show_block(s, STYLE_PLAIN, x->value, strlen(x->value));
	if (x->traceback)
		show_block(s, STYLE_ERROR, x->traceback, strlen(x->traceback));
	console_fresh_line(s->console);
	console_printf(s->console, style, "%s, %.2f s%s\n", words, (double)x->duration_us / 1e6,
		       x->state_lost ? ", variables are lost" : "");
	show_files(s, x);
}

static void show_message(const struct show *s, const struct chat_message *m)
{
	console_fresh_line(s->console);
	console_printf(s->console, STYLE_HEAD, "[%s]\n", chat_role_name(m->role));
	if (m->thinking)
		show_block(s, STYLE_DIM, m->thinking, strlen(m->thinking));
	show_block(s, STYLE_PLAIN, m->content, strlen(m->content));
	for (size_t i = 0; i < m->call_count; i++) {
		auto_buf struct buf call = {0};

		buf_printf(&call, "%s %s", m->calls[i].name, m->calls[i].arguments);
		show_block(s, STYLE_PLAIN, call.data, call.length);
	}
}

void show_conversation(const struct show *s, const struct chat_request *r)
{
	for (size_t i = 0; i < r->message_count; i++)
		show_message(s, &r->messages[i]);
}

static void show_error(const struct show *s, const char *what, const char *why)
{
	auto_buf struct buf line = {0};

	escape_line(why, strlen(why), &line);
	console_printf(s->console, STYLE_ERROR, "glovebox: %s%s\n", what, buf_string(&line));
}

static void show_end(const struct show *s, const struct task_result *r)
{
	switch (r->outcome) {
	case OUTCOME_ANSWERED:
	case OUTCOME_REFUSED: /* reported already */
		return;
	case OUTCOME_CAP:
		console_printf(s->console, STYLE_WARN,
			       "glovebox: no answer after %u iterations (--iterations)%s\n",
			       r->iterations, r->answer ? ": the last text stands for it" : "");
		return;
	case OUTCOME_DEADLINE:
		console_text(s->console, STYLE_WARN, "glovebox: no answer in time (--deadline)\n");
		return;
	case OUTCOME_MODEL:
		show_error(s, "", r->error ? r->error : "the model failed");
		return;
	case OUTCOME_SANDBOX:
		show_error(s, "sandbox: ", r->error ? r->error : "it could not be made");
		return;
	case OUTCOME_CANCELLED:
		console_text(s->console, STYLE_WARN, "glovebox: stopped\n");
		return;
	}
}

/* Write names from a model or a program, escaped. */
static void show_names(const struct show *s, const char *before, char *const *names, size_t count,
		       const char *between)
{
	for (size_t i = 0; i < count; i++) {
		auto_buf struct buf name = {0};

		escape_line(names[i], strlen(names[i]), &name);
		console_printf(s->console, STYLE_DIM, "%s%s%s", i ? between : "", before,
			       buf_string(&name));
	}
}

/* Accept the other decimal comma. */
static void show_doubt(const struct show *s, const struct task_result *r)
{
	const bool both = r->unknown_number_count && r->missing_file_count;

	if (r->unknown_number_count) {
		console_text(s->console, STYLE_DIM, "No output shows ");
		show_names(s, "", r->unknown_numbers, r->unknown_number_count, "; ");
		console_text(s->console, STYLE_DIM, both ? ". " : ".");
	}
	if (r->missing_file_count) {
		show_names(s, "/output/", r->missing_files, r->missing_file_count, ", ");
		console_text(s->console, STYLE_DIM,
			     r->missing_file_count == 1 ? " does not exist." : " do not exist.");
	}
	console_fresh_line(s->console);
}

void show_result(const struct show *s, const struct task_result *r)
{
	console_fresh_line(s->console);
	show_end(s, r);
	show_doubt(s, r);
	if (!r->iterations)
		return; /* the model was not asked */
	console_printf(s->console, STYLE_DIM, "%u iteration%s, %.1f s", r->iterations,
		       r->iterations == 1 ? "" : "s", (double)r->total_us / 1e6);
	console_printf(s->console, STYLE_DIM, " (model %.1f s", (double)r->model_us / 1e6);
	if (r->start_us >= SHOWN_US)
		console_printf(s->console, STYLE_DIM, ", start %.1f s", (double)r->start_us / 1e6);
	console_printf(s->console, STYLE_DIM, ", sandbox %.2f s", (double)r->sandbox_us / 1e6);
	if (r->person_us >= SHOWN_US)
		console_printf(s->console, STYLE_DIM, ", you %.1f s", (double)r->person_us / 1e6);
	console_text(s->console, STYLE_DIM, ")");
	if (r->reply_tokens)
		console_printf(s->console, STYLE_DIM, ", %" PRIu64 " tokens", r->reply_tokens);
	if (r->start_us >= LONG_START_US)
		console_text(s->console, STYLE_DIM, "; \"glovebox warm start\" spares the start");
	console_text(s->console, STYLE_PLAIN, "\n");
}
