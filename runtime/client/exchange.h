/*
 * exchange - a request down a session's channel, and its answer up a pipe of its own.
 *
 * See frame.h for the reason. Nothing here waits; the answer is bounded, and not interpreted.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_CLIENT_EXCHANGE_H
#define GLOVEBOX_CLIENT_EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "wire/frame.h"

struct call_request {
	int socket;          /* the session's channel, or a checkpoint's */
	const char *members; /* of the request's JSON object, without "id" and braces; copied */
	size_t length;
	int handed; /* a descriptor to send along; owned, always closed; -1 */
};

struct exchange {
	int socket; /* borrowed */
	int pipe;   /* owned; for the answer */
	int theirs; /* owned; its other end, until the request has begun */
	int handed; /* owned; sent along; -1 */
	struct buf request;
	size_t sent;
	struct frame frame; /* of the answer */
};

/*
 * exchange_open - prepare a request; nothing is sent yet.
 * @id   must be in the answer.
 * @out  always end with exchange_close().
 * Errors: ERR_INPUT: larger than SESSION_REQUEST_MAX; ERR_SYSTEM.
 */
int exchange_open(struct exchange *out, const struct call_request *request, uint32_t id,
		  struct err *e);
void exchange_close(struct exchange *x);

enum exchange_event {
	EXCHANGE_GOES_ON,
	EXCHANGE_HUNG_UP,
	EXCHANGE_TOO_LARGE,
	EXCHANGE_TWICE,    /* there is more after the answer */
	EXCHANGE_ANSWERED, /* frame.body has it */
};

/* Whether there is more to send when the socket accepts it. */
bool exchange_is_sending(const struct exchange *x);

/* Send what the socket accepts; receive what has come. @answer_max: bytes. */
enum exchange_event exchange_send(struct exchange *x);
enum exchange_event exchange_receive(struct exchange *x, size_t answer_max);

#endif
