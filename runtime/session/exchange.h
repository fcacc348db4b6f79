/*
 * exchange - send a request over a session's channel, and receive its answer over a pipe of its
 * own.
 *
 * frame.h gives the reason. No function here waits; the answer is bounded, and only its number is
 * checked.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_SESSION_EXCHANGE_H
#define GLOVEBOX_SESSION_EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "wire/frame.h"

#define EXCHANGE_HANDED 2 /* descriptors of one request, besides the pipe of its answer */

struct call_request {
	int socket;          /* the session's channel, or a checkpoint's */
	const char *members; /* of the request's JSON object, without "id" and braces; copied */
	size_t length;
	/* Descriptors to send along; owned, always closed. */
	int handed[EXCHANGE_HANDED];
	unsigned handed_count;
};

struct exchange {
	int socket;                  /* borrowed */
	int pipe;                    /* owned; read end for the answer */
	int theirs;                  /* owned; write end, until the request has been started */
	int handed[EXCHANGE_HANDED]; /* owned; sent along; -1 */
	unsigned handed_count;
	struct buf request;
	size_t sent;
	struct frame frame; /* of the answer */
};

/*
 * exchange_open - prepare a request; sends nothing yet.
 * @id     must be in the answer.
 * @marks  ask for marks in standard output (session/display_marks.h).
 * @out  always end with exchange_close().
 * Errors: ERR_INPUT: the request is larger than SESSION_REQUEST_MAX; ERR_SYSTEM.
 */
int exchange_open(struct exchange *out, const struct call_request *request, uint32_t id, bool marks,
		  struct err *e);
void exchange_close(struct exchange *x);

enum exchange_event {
	EXCHANGE_GOES_ON,
	EXCHANGE_HUNG_UP,
	EXCHANGE_NO_ROOM, /* nothing sent, for a limit of ours: exchange_no_room(errno) */
	EXCHANGE_TOO_LARGE,
	EXCHANGE_TWICE,    /* bytes follow the answer */
	EXCHANGE_ANSWERED, /* frame.body holds it */
};

/* Whether bytes remain to be sent when the socket accepts them. */
bool exchange_is_sending(const struct exchange *x);

/*
 * Whether the session has read all of the request. It ignores an interrupt before that
 * (rootfs/guest/sessionframes.py).
 */
bool exchange_is_taken(const struct exchange *x);

/* Send what the socket accepts; receive what has arrived. @answer_max: bytes. */
enum exchange_event exchange_send(struct exchange *x);
enum exchange_event exchange_receive(struct exchange *x, size_t answer_max);

/* Whether the answer is strict JSON of bounded cost, with the number of this request. */
bool exchange_has_answer(const struct exchange *x, uint32_t id);

/*
 * Whether a request was not sent for a limit of ours or the machine's, while its reader may live:
 * then *e is ERR_LIMIT.
 */
bool exchange_no_room(int error, struct err *e);

#endif
