/*
 * event - what becomes of sandboxes that stay: a line for each event, in STATE/events/lines.
 *
 * Each process that does something to a sandbox writes the line itself: its monitor, or a client
 * where none runs. A line is the JSON object that `docker events --format json` prints
 * (timeNano is a text), shorter than a pipe's atomic write, written below a lock. When the file is
 * large it becomes lines.old, and the one before that is gone. An event that cannot be written (a
 * full disk) is lost.
 *
 * A monitor that is killed writes nothing: the end of a sandbox that was lost has no event.
 *
 * Runs: monitor, its clients. Needs: nothing.
 */
#ifndef GLOVEBOX_RECORD_EVENT_H
#define GLOVEBOX_RECORD_EVENT_H

#include "record/record.h"

#define EVENT_FOLDER "events"
#define EVENT_LINES  "lines"
#define EVENT_OLD    "lines.old"
#define EVENT_MOST   (1u << 20) /* bytes of a file */

/* An event, in docker's words. A member that is 0 or NULL is not told. */
struct event {
	const char *action;
	const char *detail;   /* behind the action: "exec_start: DETAIL" */
	const char *old_name; /* of a rename */
	const char *ports;    /* of an update: all that are published, as docker ps has them */
	int signal;
	uint32_t exec;
	bool ended; /* exit_code is told */
	int exit_code;
};

/* Write an event of the sandbox, with its name, image and labels. */
void event_write(const struct record *r, const struct event *what);

/* The same of an id. A record that is gone writes nothing. */
void event_write_of(const char *id, const struct event *what);

#endif
