/*
 * event_json - print the events of a task for programs: --json.
 *
 * One JSON object per line, in ASCII (other characters as \uXXXX; invalid UTF-8 as U+FFFD), written
 * at once. Keys are stable: new ones may be added, none is removed or changes its type. The last
 * line of a task is its "result". Every line has
 *
 *   event       the kind, see below
 *   iteration   from 1; 0 before the first
 *   iterations  at most
 *
 * and, by event:
 *
 *   task        text
 *   request     model, messages (how many), tools (whether offered), stream
 *   piece       kind ("content", "thinking"), text: never cut inside a character
 *   reply       content, thinking (or null), calls [{id, name, arguments (JSON text)}],
 *               model (or null), done_reason, stats {prompt_tokens, reply_tokens, load_us,
 *               prompt_us, reply_us, total_us}
 *   execute     code, description (or null), code_sha256
 *   executed    verdict ("ok", "error", "exit", "timeout", "memory", "crashed",
 *               "cancelled"), exit_code, stdout, stderr, stdout_truncated,
 *               stderr_truncated, value (or null), traceback (or null),
 *               files [{path, size}], files_truncated, limit_ms, limit_bytes,
 *               duration_us, state_lost, code_sha256, report (what the model is told)
 *   feedback    text: told to the model in place of a result
 *   notice      text
 *   answer      text
 *   result      outcome ("answered", "cap", "deadline", "model", "sandbox", "cancelled";
 *               "refused": no round began, because of a flag, a file, the image),
 *               answer (or null), missing_files, error (or null), iterations_used,
 *               files [{path, size}]: of all executions, the last state of each that
 *               is still there, files_truncated,
 *               executions [{verdict, exit_code, duration_us, state_lost, code_sha256}],
 *               prompt_tokens, reply_tokens, model_us, sandbox_us, start_us,
 *               person_us, total_us
 *
 * Touches the OS: writes to its descriptor.
 */
#ifndef GLOVEBOX_AGENT_EVENT_JSON_H
#define GLOVEBOX_AGENT_EVENT_JSON_H

#include "agent/data/event.h"

/* Return the name of a kind: "task", "request", ... */
const char *event_kind_name(enum event_kind kind);

/*
 * Append to the current object (json_put.h), also for the transcript: a message without its empty
 * members, except for role and content; the members of an event by its kind. Pieces and requests
 * have members of their own in both.
 */
void event_json_message(struct buf *out, const struct chat_message *m);
void event_json_fields(struct buf *out, const struct event *event);

/*
 * Owned by the caller: event_json_free(). @fd is borrowed. After a failed write (sink->error)
 * nothing more is written.
 */
struct event_sink *event_json_new(int fd);
void event_json_free(struct event_sink *sink);

#endif
