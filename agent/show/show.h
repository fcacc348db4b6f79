/*
 * show - render one part of a task as text for people: code, an execution, a conversation, the end.
 *
 * Text of programs and models has a bar before each line, which sets it apart from ours, and passes
 * escape.c unless `raw`.
 *
 * Writes to the console; reads PNG files below output_fd.
 */
#ifndef GLOVEBOX_AGENT_SHOW_H
#define GLOVEBOX_AGENT_SHOW_H

#include "agent/data/event.h"
#include "agent/show/console.h"
#include "agent/show/images.h"

struct show {
	struct console *console; /* borrowed */
	bool raw;
	bool whole; /* shorten nothing */
	enum image_protocol images;
	int output_fd;           /* borrowed; -1 */
	const char *output_name; /* borrowed */
};

/* Append text fit to be shown: escaped, or unchanged with `raw`. */
void show_safe(const struct show *s, const void *bytes, size_t length, struct buf *out);

/* Show Python, highlighted if there are colours. */
void show_code(const struct show *s, const char *code, size_t length);
/* Output, value, traceback, verdict, files and pictures. */
/* @shown  bytes of stdout and stderr that were shown already, by show_output(). */
void show_execution(const struct show *s, const struct execution *x, const size_t shown[2]);
/* Show a whole line of a program's output. */
void show_output(const struct show *s, int stream, const char *line, size_t length);
/* Show every message of a request. */
void show_conversation(const struct show *s, const struct chat_request *r);
/* Show why the task ended without an answer, and its cost. */
void show_result(const struct show *s, const struct task_result *r);

#endif
