/*
 * call_output - relay standard output and error of a call to its sinks.
 *
 * No function here waits. The limit of a call counts the bytes that the program printed, without
 * marks (display_marks.h).
 *
 * Runs: client, while it has borrowed the session. Needs: nothing.
 */
#ifndef GLOVEBOX_SESSION_CALL_OUTPUT_H
#define GLOVEBOX_SESSION_CALL_OUTPUT_H

#include "sandbox/stream.h"
#include "session/display_marks.h"

#define CALL_OUTPUT_SLOTS 4 /* two per stream: its source and its destination */

/* Zero-initialise it. */
struct call_output {
	struct stream streams[2];
	struct display_marks marks; /* in standard output, for a sink that accepts them */
	uint64_t due[2];            /* when draining: total bytes once everything present is read */
};

/*
 * call_output_begin - start. @from: the pipes of the session; borrowed.
 * @out  two sinks, which outlive it; NULL: drop output. @id: of the request. @most: bytes per
 *       stream.
 */
void call_output_begin(struct call_output *x, const int from[2], const struct sink *out,
		       uint32_t id, uint64_t most);

/* Whether the session shall write marks to standard output. */
bool call_output_has_marks(const struct sink *out);

/* Fill in the slots for poll(), and act on the results: sandbox/stream.h. */
void call_output_poll(const struct call_output *x, struct pollfd slots[CALL_OUTPUT_SLOTS]);
void call_output_pump(struct call_output *x, const struct pollfd slots[CALL_OUTPUT_SLOTS]);

/* Whether a sink has bytes to take; whether one has taken nothing for 2 s. */
bool call_output_has_pending(const struct call_output *x);
bool call_output_is_stuck(const struct call_output *x);

/*
 * call_output_drain - the call is over, and its output is in the pipes. From here on read only that
 * much, however much a leftover process adds.
 */
void call_output_drain(struct call_output *x);

/* Whether some of that is still unread. */
bool call_output_has_more(const struct call_output *x);

/*
 * call_output_end - relay the rest to the sinks.
 * @abandoned  drop it instead: the next call must not show output that was not taken.
 * @truncated  whether bytes of each stream were dropped.
 * Returns the errno for which some of standard output could not be relayed, or 0.
 */
int call_output_end(struct call_output *x, bool abandoned, bool truncated[2]);

#endif
