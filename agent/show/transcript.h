/*
 * transcript - record the events of a task or a conversation as JSON lines.
 *
 * ASCII only; each line is written as a whole, at once. Every line has
 *
 *   kind        "transcript" (the first), else the event's name (event_json.h)
 *   previous    SHA-256 of the previous line, without its newline; 64 zeros in the first
 *   time_ms     since the epoch
 *   iteration, iterations
 *
 * "transcript" has version (1) and glovebox (the program's version). The others have the members of
 * event_json.h, with two differences: pieces are left out, since the reply is recorded (folded);
 * and a request has what was sent:
 *
 *   model, tools, think ("unset", "off", "on"), stream, num_ctx, num_predict, temperature
 *   (or null), seed, keep_alive (or null)
 *   messages    in order; each element is a message {role, content, thinking, calls,
 *               tool_name, tool_call_id}, or {"from": i, "count": n}: n messages of the
 *               request before this one, from its message i (counted from 0) on
 *
 * Touches the OS: writes one file.
 */
#ifndef GLOVEBOX_AGENT_TRANSCRIPT_H
#define GLOVEBOX_AGENT_TRANSCRIPT_H

#include "agent/data/event.h"
#include "fs/trusted_path.h"

#define TRANSCRIPT_VERSION 1

/*
 * transcript_open - create a file, replacing an old one.
 *
 * @path  as for trusted_path_write(), by LINKS_OF_SYSTEM; mode 0600: it contains what /data
 * contains.
 * Returns a sink, owned: transcript_close(). NULL on error.
 */
struct event_sink *transcript_open(struct written_path path, struct err *e);

/* -1: a write failed: *e says why. The sink is freed in any case. */
int transcript_close(struct event_sink *sink, struct err *e);

#endif
