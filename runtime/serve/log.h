/*
 * log - what a server tells its operator, on stderr: a line per request, and what went wrong.
 *
 * Plain text or JSON, one line each, of printable ASCII or UTF-8 without control characters,
 * whatever a stranger had put into it. If stderr is the journal (JOURNAL_STREAM) each line begins
 * with its priority (sd-daemon(3)).
 *
 * A log that nobody reads stops nobody: a line for which there is no room is counted instead, and
 * the next one that fits is preceded by the count.
 *
 * Touches the OS. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_LOG_H
#define GLOVEBOX_SERVE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct request;

struct log {
	bool is_json;
	bool is_journal;
	bool has_requests; /* --access-log */
	uint64_t lost;     /* lines, in all */
	uint64_t unsaid;   /* of these, since the last that fitted */
};

/* All that is needed of the flags; stderr is looked at. */
void log_open(struct log *log, bool is_json, bool has_requests);

/* A line for people; log_error() for an error. */
void log_say(struct log *log, const char *format, ...) __attribute__((format(printf, 2, 3)));
void log_error(struct log *log, const struct err *e);

/* A request has ended: its line, if these are wanted. */
void log_request(struct log *log, const struct request *r);

#endif
