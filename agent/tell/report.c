/*
 * report - tell the model the outcome of an execution.
 */
#include "agent/tell/report.h"

#include <stdbool.h>
#include <string.h>

#include "agent/tell/excerpt.h"
#include "agent/tell/path_text.h"
#include "agent/tell/prompt.h"
#include "base/terminal_text.h"

enum {
	FILES_SHOWN = 40,
	BYTES_PER_TOKEN = 3,
	LEAST_OUTPUT = 1000,
	MOST_OUTPUT = 24000,
};

size_t report_output_bytes(uint64_t num_ctx)
{
	/* The context keeps two rounds, each with code and two streams: a stream gets an eighth. */
	uint64_t bytes = num_ctx * BYTES_PER_TOKEN / 8;

	if (num_ctx == 0)
		return REPORT_OUTPUT_BYTES;
	if (bytes < LEAST_OUTPUT)
		return LEAST_OUTPUT;
	return bytes > MOST_OUTPUT ? MOST_OUTPUT : (size_t)bytes;
}

/* The texts of a program, as a terminal would finally show them. */
struct report_texts {
	struct buf output[2];
	struct buf value;
	struct buf traceback;
};

static void report_resolve(const char *text, size_t length, struct buf *out)
{
	if (text)
		terminal_text(text, length, out);
}

static void report_open(const struct execution *x, struct report_texts *t)
{
	*t = (struct report_texts){0};
	for (int i = 0; i < 2; i++)
		report_resolve(x->output[i].data, x->output[i].length, &t->output[i]);
	report_resolve(x->value, x->value ? strlen(x->value) : 0, &t->value);
	report_resolve(x->traceback, x->traceback ? strlen(x->traceback) : 0, &t->traceback);
}

static void report_close(struct report_texts *t)
{
	buf_fini(&t->output[0]);
	buf_fini(&t->output[1]);
	buf_fini(&t->value);
	buf_fini(&t->traceback);
}

static void report_put_heading(const struct execution *x, struct buf *out)
{
	switch (x->verdict) {
	case CODE_OK:
	case CODE_ERROR:
	case CODE_EXIT:
		buf_printf(out, "[EXECUTION RESULT]\nExit code: %d\n", x->exit_code);
		return;
	case CODE_TIMEOUT:
		buf_printf(out, "[TIMEOUT] Script exceeded %llu",
			   (unsigned long long)(x->limit_ms / 1000));
		if (x->limit_ms % 1000)
			buf_printf(out, ".%03llu", (unsigned long long)(x->limit_ms % 1000));
		buf_text(out,
			 " second execution limit\n"
			 "Look for an endless loop, or do less work.\n");
		return;
	case CODE_MEMORY:
		buf_text(out, "[MEMORY LIMIT] Script exceeded the memory limit of ");
		size_text(x->limit_bytes, out);
		buf_text(out, x->in_sockets ? ", in sockets\nOpen fewer of them.\n"
					    : "\nLoad less data at a time.\n");
		return;
	case CODE_CRASHED:
		buf_printf(out, "[CRASHED] The Python process ended (exit code %d)\n",
			   x->exit_code);
		return;
	case CODE_CANCELLED:
		buf_text(out, "[CANCELLED] The user stopped the script\n");
		return;
	}
}

static void report_open_fence(const char *title, struct buf *out)
{
	buf_printf(out, "%s:\n```\n", title);
}

static void report_close_fence(struct buf *out)
{
	if (buf_string(out)[out->length - 1] != '\n')
		buf_text(out, "\n");
	buf_text(out, "```\n");
}

static bool report_is_blank(const struct buf *text)
{
	return strspn(buf_string(text), " \t\r\n") == text->length;
}

static void report_put_stdout(const struct execution *x, const struct buf *text, size_t max,
			      struct buf *out)
{
	if (!report_is_blank(text)) {
		report_open_fence("stdout", out);
		excerpt_output(buf_string(text), text->length, max, REPORT_TRACEBACK_BYTES, out);
		report_close_fence(out);
	}
	if (x->truncated[0])
		buf_text(out, "The program printed more: the rest of stdout is lost.\n");
}

static void report_put_stderr(const struct execution *x, const struct report_texts *t, size_t max,
			      struct buf *out)
{
	const struct buf *text = &t->output[1];

	if (!report_is_blank(text) || x->traceback)
		report_open_fence("stderr", out);
	if (!report_is_blank(text)) {
		excerpt_output(buf_string(text), text->length, x->traceback ? max / 2 : max,
			       REPORT_TRACEBACK_BYTES, out);
		if (buf_string(out)[out->length - 1] != '\n')
			buf_text(out, "\n");
	}
	if (x->traceback)
		excerpt_traceback(buf_string(&t->traceback), REPORT_TRACEBACK_BYTES, out);
	if (!report_is_blank(text) || x->traceback)
		report_close_fence(out);
	if (x->truncated[1])
		buf_text(out, "The program printed more: the rest of stderr is lost.\n");
}

static void report_put_value(const struct execution *x, const struct buf *value, size_t max,
			     struct buf *out)
{
	if (!x->value)
		return;
	report_open_fence("Value of the last expression", out);
	excerpt_output(buf_string(value), value->length, max, REPORT_TRACEBACK_BYTES, out);
	report_close_fence(out);
}

static void report_put_files(const struct execution *x, struct buf *out)
{
	size_t shown = x->file_count < FILES_SHOWN ? x->file_count : FILES_SHOWN;

	if (!x->file_count && !x->files_truncated)
		return;
	buf_text(out, "New or changed files:\n");
	for (size_t i = 0; i < shown; i++) {
		buf_text(out, "- ");
		path_text("/output", x->files[i].path, out);
		buf_text(out, " (");
		size_text(x->files[i].size, out);
		buf_text(out, ")\n");
	}
	if (x->file_count > shown || x->files_truncated)
		buf_printf(out, "- and %s%zu more\n", x->files_truncated ? "at least " : "",
			   x->file_count - shown + x->files_truncated);
}

static bool report_went_well(const struct execution *x)
{
	return x->verdict == CODE_OK || (x->verdict == CODE_EXIT && x->exit_code == 0);
}

/* Whether a relative name of a file in /data failed: the working directory is /output. */
static bool report_misses_relative_name(const struct execution *x)
{
	static const char says[] = "No such file or directory: '";
	const char *name = x->traceback ? strstr(x->traceback, says) : NULL;

	return name && name[strlen(says)] != '/';
}

/* Advise the model what to do now. */
static void report_put_advice(const struct execution *x, const struct report_options *o,
			      struct buf *out)
{
	bool last = o->say_rounds && o->rounds_left == 1; /* the next prompt says everything */

	if (x->state_lost)
		buf_text(out, "All variables are lost: import and define everything again.\n");
	if (o->note)
		buf_printf(out, "Note: %s\n", o->note);
	if (!o->has_network && x->traceback && strstr(x->traceback, "ModuleNotFoundError"))
		buf_text(out,
			 "It cannot be installed: there is no network. "
			 "Use what is installed.\n");
	if (report_misses_relative_name(x))
		buf_text(out,
			 "The working directory is /output. Files of /data need their "
			 "full names.\n");
	if (!last && x->verdict == CODE_ERROR)
		buf_text(out, "Fix the error and send the corrected code.\n");
	if (!last && report_went_well(x) && o->say_answer)
		buf_text(out,
			 "If the task is done, reply with "
			 "<FINAL_ANSWER>the answer</FINAL_ANSWER>. If not, send the next code.\n");
	if (o->say_rounds)
		prompt_put_rounds_left(o->rounds_left, out);
}

void report_write(const struct execution *x, const struct report_options *o, struct buf *out)
{
	size_t max = o->output_bytes ? o->output_bytes : REPORT_OUTPUT_BYTES;
	struct report_texts t;
	bool silent;

	report_open(x, &t);
	silent = report_is_blank(&t.output[0]) && report_is_blank(&t.output[1]) && !x->value;
	report_put_heading(x, out);
	report_put_stdout(x, &t.output[0], max, out);
	report_put_stderr(x, &t, max, out);
	report_put_value(x, &t.value, max, out);
	if (silent && report_went_well(x))
		buf_text(out, "Nothing was printed. Use print() to see values.\n");
	report_put_files(x, out);
	report_put_advice(x, o, out);
	report_close(&t);
}
