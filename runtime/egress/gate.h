/*
 * gate - what a client may say to a server before a connection is believed to be for its name.
 *
 * TLS: nothing goes out before the ClientHello has named the right host. The server's first answer
 * is watched: a HelloRetryRequest (RFC 8446 4.1.4) has the client say hello once more, and that is
 * judged like the first. Until the answer is known nothing else of the client's goes out. Then the
 * connection is opaque.
 *
 * HTTP: each request is followed, its Host judged, and none goes out before its head is whole.
 * After an Upgrade the connection is opaque once the server has said 101.
 *
 * No side effects. Runs: glovebox-egress. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_GATE_H
#define GLOVEBOX_EGRESS_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "egress/client_hello.h"
#include "egress/http_answer.h"
#include "egress/http_request.h"
#include "spec/egress.h"

#define GATE_MAX_HELD                                                                              \
	(96 << 10) /* of a client's bytes: a head of 64 KiB, and what comes behind it */

enum gate_wait {
	GATE_HELLO,  /* for the client's hello */
	GATE_ANSWER, /* for the server's answer to it */
	GATE_FOLLOW, /* for nothing: requests are followed */
	GATE_OPEN,   /* opaque */
};

struct gate {
	enum egress_kind kind;
	enum gate_wait wait;
	const char *name; /* borrowed */
	struct buf held;  /* of the client's: not forwarded yet */
	size_t judged;    /* of them: may go out */
	struct hello_reader hello;
	struct server_hello_reader answer;
	struct http_follower http;
	struct answer_reader status;
	const char *why; /* a refusal; static */
};

/* @name  the listed one; outlives the gate. */
void gate_init(struct gate *g, enum egress_kind kind, const char *name, uint16_t port);
void gate_fini(struct gate *g);

/* gate_client, gate_server - bytes that one side has said. -1: g->why; the connection must end. */
int gate_client(struct gate *g, const void *bytes, size_t size);
int gate_server(struct gate *g, const void *bytes, size_t size);

/* Bytes have gone out. */
int gate_sent(struct gate *g, size_t size);

/* How many of the client's bytes can be taken in now; 0: none before something else has happened.
 */
size_t gate_room(const struct gate *g);

/* Whether each side's bytes may go on unseen from now on. */
bool gate_client_is_open(const struct gate *g);
bool gate_server_is_open(const struct gate *g);

#endif
