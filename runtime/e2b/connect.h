/*
 * connect - the messages of E2B's envd: Connect's protocol with JSON (https://connectrpc.com).
 *
 * A call with one answer has JSON as its body, and an error a status. A stream, in either
 * direction, is a sequence of envelopes: a byte of flags, the length (4 bytes, the highest first),
 * JSON. The last one of an answer has flag 2, and an error if there is one; the status is 200.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_E2B_CONNECT_H
#define GLOVEBOX_E2B_CONNECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "web/http.h"

#define CONNECT_STREAM "application/connect+json"
#define CONNECT_HEAD   5          /* bytes before the JSON of an envelope */
#define CONNECT_END    2          /* flag */
#define CONNECT_MOST   (2u << 20) /* bytes of one envelope of a client */

enum connect_code {
	CONNECT_INVALID,
	CONNECT_NOT_FOUND,
	CONNECT_EXISTS,
	CONNECT_DENIED,
	CONNECT_EXHAUSTED,
	CONNECT_UNIMPLEMENTED,
	CONNECT_UNAVAILABLE,
	CONNECT_LATE,
	CONNECT_INTERNAL,
};

/* The code of an error of ours. */
enum connect_code connect_code_of(const struct err *e);

/* An object that a client has sent, owned; NULL: another value, or too many of them. */
struct json *connect_parse(const char *text, size_t length);

/* The message of a call with one answer, owned; NULL: refused and answered. */
struct json *connect_read(struct request *r);

/* The first message of a stream, owned; NULL: refused and answered. */
struct json *connect_read_stream(struct request *r);

/*
 * connect_take - take an envelope from the front of what has come.
 * @message  out, owned. Returns 1; 0: more must come; -1: it is malformed.
 */
int connect_take(struct buf *in, struct json **message);

/* Append an envelope. */
void connect_put(struct buf *out, uint8_t flags, const struct buf *json);

/* Append the last envelope of an answer. @message  NULL: no error. */
void connect_put_end(struct buf *out, enum connect_code code, const char *message);

/* Answer a call: with this message, or an error. */
void connect_reply(struct request *r, struct buf *json);
void connect_refuse(struct request *r, enum connect_code code, const char *message);

/* Answer a stream that has not begun with an error. */
void connect_refuse_stream(struct request *r, enum connect_code code, const char *message);

/* The time that the client gives the call, in ms; 0: no bound. */
uint64_t connect_timeout_ms(const struct request *r);

#endif
