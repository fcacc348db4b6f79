/*
 * screen - the events of a task for people.
 *
 * The answer goes to `out`; everything else (tokens as they come, code, output, notices, the
 * summary, why it failed) goes to `progress`, so that `glovebox agent "..." > answer.txt` contains
 * the answer alone. It is written once: if both are the same terminal, an answer that was streamed
 * is not repeated; otherwise `progress` does not get it, and the text of a reply appears there when
 * it is known to be something else.
 *
 * Texts of models and programs pass escape.c unless `raw`. On a terminal: thinking dimmed, code
 * highlighted, a status line, which updates its time at each empty EVENT_PIECE; else plain text
 * (console.h).
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
	bool verbose;  /* every request shows the whole conversation; outputs are not shortened */
	bool images;   /* show PNG files if the terminal can; else name them */
	int output_fd; /* borrowed: the host's directory of /output; -1: no images */
	const char *output_name; /* borrowed: people's name for that directory */
};

/*
 * Owned by the caller: screen_free(). Descriptors stay open. An answer that could not be written
 * sets sink->error.
 */
struct event_sink *screen_new(const struct screen_options *options);
void screen_free(struct event_sink *sink);

#endif
