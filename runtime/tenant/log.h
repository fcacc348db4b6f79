/*
 * log - messages of a server to its operator, on stderr: a line per request, and errors.
 *
 * Plain text or JSON, one line each, of printable ASCII or UTF-8 without control characters,
 * whatever a client sends. If stderr is the journal (JOURNAL_STREAM), each line begins with its
 * priority (sd-daemon(3)).
 *
 * Logging never blocks: a line that does not fit is dropped and counted, and the next line that
 * fits reports the count first.
 *
 * Touches the OS. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_TENANT_LOG_H
#define GLOVEBOX_TENANT_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct request;

struct log {
	bool is_json;
	bool is_journal;
	bool has_requests; /* --access-log */
	uint64_t lost;     /* lines dropped, in total */
	uint64_t unsaid;   /* lines dropped since the last one that fitted */
};

/* Set up the log, and find out what stderr is. */
void log_open(struct log *log, bool is_json, bool has_requests);

/* Log a line of text; log_error() logs an error. */
void log_say(struct log *log, const char *format, ...) __attribute__((format(printf, 2, 3)));
void log_error(struct log *log, const struct err *e);

/* Log the end of a request, with --access-log. */
void log_request(struct log *log, const struct request *r);

#endif
