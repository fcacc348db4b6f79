/*
 * log - messages of a server to its operator, on stderr.
 */
#include "tenant/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/json_put.h"
#include "base/say.h"
#include "loop/clock.h"
#include "loop/fd.h"
#include "tenant/keys.h"
#include "web/http.h"

#define LINE_MOST   4096 /* PIPE_BUF: a pipe takes so much whole or not at all */
#define PATH_MOST   500  /* bytes of a path; each may become six */
#define METHOD_MOST 20

enum log_priority { LOG_LINE_ERROR = 3, LOG_LINE_INFO = 6 }; /* of syslog(3) */

void log_open(struct log *log, bool is_json, bool has_requests)
{
	*log = (struct log){.is_json = is_json,
			    .is_journal = say_is_journal(STDERR_FILENO),
			    .has_requests = has_requests};
}

/* -- writing --------------------------------------------------------------------------------- */

static bool log_write(const struct log *log, enum log_priority priority, struct buf *line)
{
	auto_buf struct buf whole = {.cap = LINE_MOST - 1};

	if (log->is_journal)
		buf_printf(&whole, "<%d>", (int)priority);
	buf_add(&whole, line->data, line->length);
	whole.cap = 0;
	buf_text(&whole, "\n");
	return fd_is_ready(STDERR_FILENO, POLLOUT) &&
	       write(STDERR_FILENO, whole.data, whole.length) == (ssize_t)whole.length;
}

static void log_put_message(const struct log *log, enum log_priority priority, const char *text,
			    struct buf *line)
{
	char now[CLOCK_UTC_SIZE];

	if (!log->is_json) {
		buf_text(line, "glovebox: ");
		escape_line(text, strlen(text), line);
		return;
	}
	clock_utc_ms(now);
	json_put_begin(line, NULL, '{');
	json_put_text(line, "time", now);
	json_put_text(line, "level", priority == LOG_LINE_INFO ? "info" : "error");
	json_put_text(line, "message", text);
	json_put_end(line, '}');
}

static void log_put(struct log *log, enum log_priority priority, struct buf *line)
{
	auto_buf struct buf before = {0};
	char text[64];

	if (log->unsaid) {
		snprintf(text, sizeof(text), "%" PRIu64 " lines of the log were lost", log->unsaid);
		log_put_message(log, LOG_LINE_ERROR, text, &before);
		if (log_write(log, LOG_LINE_ERROR, &before))
			log->unsaid = 0;
	}
	if (log_write(log, priority, line))
		return;
	log->lost++;
	log->unsaid++;
}

void log_say(struct log *log, const char *format, ...)
{
	auto_buf struct buf text = {.cap = 500};
	auto_buf struct buf line = {0};
	va_list arguments;

	va_start(arguments, format);
	buf_vprintf(&text, format, arguments);
	va_end(arguments);
	log_put_message(log, LOG_LINE_INFO, buf_string(&text), &line);
	log_put(log, LOG_LINE_INFO, &line);
}

void log_error(struct log *log, const struct err *e)
{
	auto_buf struct buf line = {0};
	char text[600];

	log_put_message(log, LOG_LINE_ERROR, err_string(e, text, sizeof(text)), &line);
	log_put(log, LOG_LINE_ERROR, &line);
}

/* -- a request ------------------------------------------------------------------------------- */

/* Write one word without blanks, which would forge another field. */
static void log_put_word(struct buf *line, const char *text, size_t most)
{
	auto_buf struct buf safe = {0};

	escape_line(text, strnlen(text, most), &safe);
	for (size_t i = 0; i < safe.length; i++) {
		if (safe.data[i] == ' ')
			buf_text(line, "\\x20");
		else
			buf_add(line, &safe.data[i], 1);
	}
}

static void log_put_plain(const struct log *log, const struct request *r, uint64_t us,
			  struct buf *line)
{
	char now[CLOCK_UTC_SIZE];

	clock_utc_ms(now);
	if (!log->is_journal)
		buf_printf(line, "%s ", now);
	log_put_word(line, r->method, METHOD_MOST);
	buf_text(line, " ");
	log_put_word(line, r->path, PATH_MOST);
	buf_printf(line, " %u %" PRIu64 ".%03" PRIu64 "ms %" PRIu64 "B key=%s id=%s%s",
		   request_status(r), us / 1000, us % 1000, request_sent(r),
		   r->key ? r->key->name : "-", r->id, request_is_complete(r) ? "" : " incomplete");
}

static void log_put_json(const struct request *r, uint64_t us, struct buf *line)
{
	char now[CLOCK_UTC_SIZE];

	clock_utc_ms(now);
	json_put_begin(line, NULL, '{');
	json_put_text(line, "time", now);
	json_put_text(line, "level", "info");
	json_put_text(line, "message", "request");
	json_put_bytes(line, "method", r->method, strnlen(r->method, METHOD_MOST));
	json_put_bytes(line, "path", r->path, strnlen(r->path, PATH_MOST));
	json_put_uint(line, "status", request_status(r));
	json_put_key(line, "duration_ms");
	buf_printf(line, "%" PRIu64 ".%03" PRIu64, us / 1000, us % 1000);
	json_put_uint(line, "bytes", request_sent(r));
	json_put_bool(line, "complete", request_is_complete(r));
	json_put_text(line, "key", r->key ? r->key->name : NULL);
	json_put_text(line, "request_id", r->id);
	json_put_end(line, '}');
}

void log_request(struct log *log, const struct request *r)
{
	const uint64_t us = monotonic_us() - r->began_us;
	auto_buf struct buf line = {0};

	if (!log->has_requests)
		return;
	if (log->is_json)
		log_put_json(r, us, &line);
	else
		log_put_plain(log, r, us, &line);
	log_put(log, LOG_LINE_INFO, &line);
}
