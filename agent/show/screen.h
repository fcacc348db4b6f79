/*
 * screen - show the events of a task to people.
 *
 * The answer goes to `out`; everything else (tokens as they arrive, code, output, notices, the
 * summary, errors) goes to `progress`, so that `glovebox agent "..." > answer.txt` writes the
 * answer alone. It is written once: if both are the same terminal, a streamed answer is not
 * repeated; otherwise `progress` gets a reply's text only once it is known not to be the answer.
 *
 * Texts of models and programs pass escape.c unless `raw`. On a terminal thinking is dimmed and
 * code highlighted, and a status line updates its time at each empty EVENT_PIECE; otherwise the
 * text is plain (console.h).
 *
 * Touches the OS: writes to its descriptors, reads PNG files below output_fd.
 */
#ifndef GLOVEBOX_AGENT_SCREEN_H
#define GLOVEBOX_AGENT_SCREEN_H

#include <stdbool.h>

#include "agent/data/event.h"

struct screen_options {
	int out;       /* borrowed: STDOUT_FILENO */
	int progress;  /* borrowed: STDERR_FILENO */
	bool raw;      /* pass control sequences of models and programs through */
	bool verbose;  /* show the whole conversation with every request; do not shorten outputs */
	bool images;   /* show PNG files if the terminal can; else print their names */
	int output_fd; /* borrowed: the host's directory of /output; -1: no images */
	const char *output_name; /* borrowed: name of that directory for people */
};

/*
 * Owned by the caller: screen_free(). Descriptors stay open. sink->error reports an answer that
 * could not be written.
 */
struct event_sink *screen_new(const struct screen_options *options);
void screen_free(struct event_sink *sink);

#endif
