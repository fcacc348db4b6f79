/*
 * call_output - standard output and error of a call, on their way to its sinks.
 *
 * Nothing here waits. The limit of a call counts what the program has printed, marks not among it
 * (display_marks.h).
 *
 * Runs: client, while it has borrowed the session. Needs: nothing.
 */
#ifndef GLOVEBOX_CLIENT_CALL_OUTPUT_H
#define GLOVEBOX_CLIENT_CALL_OUTPUT_H

#include "client/display_marks.h"
#include "host/stream.h"

#define CALL_OUTPUT_SLOTS 4 /* a stream has two: its source and its destination */

/* All zero before it begins. */
struct call_output {
	struct stream streams[2];
	struct display_marks marks; /* in standard output, for a sink that takes them */
	uint64_t due[2]; /* of draining: bytes that have come when all is read that was there */
};

/*
 * call_output_begin - @from  the pipes of the session; borrowed.
 * @out  two, which outlive it; NULL: output is dropped. @id  of the request. @most  bytes of each.
 */
void call_output_begin(struct call_output *x, const int from[2], const struct sink *out,
		       uint32_t id, uint64_t most);

/* Whether standard output is to have marks. */
bool call_output_has_marks(const struct sink *out);

/* Fill in the slots for poll(), and act on what came of it: host/stream.h. */
void call_output_poll(const struct call_output *x, struct pollfd slots[CALL_OUTPUT_SLOTS]);
void call_output_pump(struct call_output *x, const struct pollfd slots[CALL_OUTPUT_SLOTS]);

/* Something has come that its sink has not taken yet; for 2 s it has taken nothing. */
bool call_output_has_pending(const struct call_output *x);
bool call_output_is_stuck(const struct call_output *x);

/*
 * call_output_drain - the call is over: what was printed before is in the pipes by now. From here
 * on that much is read, however much a process left behind adds to it.
 */
void call_output_drain(struct call_output *x);

/* Whether some of that has not been read. */
bool call_output_has_more(const struct call_output *x);

/*
 * call_output_end - give what is left to the sinks.
 * @abandoned  drop it instead: output that nobody took must not appear in the next call.
 * @truncated  gets whether some of each was dropped.
 * Returns the errno for which some of standard output could not be forwarded, or 0.
 */
int call_output_end(struct call_output *x, bool abandoned, bool truncated[2]);

#endif
