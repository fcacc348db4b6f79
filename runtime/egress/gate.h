/*
 * gate - admit only client bytes that are known to be for the connection's name.
 *
 * TLS: the gate holds the client's bytes until its ClientHello has named the right host. It then
 * reads the server's first answer: after a HelloRetryRequest (RFC 8446 4.1.4) the client sends a
 * second hello, which is judged like the first. Until that answer the gate holds all further client
 * bytes. Then the connection is opaque.
 *
 * HTTP: the gate follows every request, judges its Host, and holds it until its head is complete.
 * After an Upgrade the connection is opaque once the server has answered 101.
 *
 * No side effects. Runs: glovebox-egress. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_GATE_H
#define GLOVEBOX_EGRESS_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "netpolicy/egress.h"
#include "protocol/client_hello.h"
#include "protocol/http_answer.h"
#include "protocol/http_request.h"

#define GATE_MAX_HELD (96 << 10) /* client bytes: a head of 64 KiB, and some behind it */

enum gate_wait {
	GATE_HELLO,  /* waits for the client's hello */
	GATE_ANSWER, /* waits for the server's answer to it */
	GATE_FOLLOW, /* follows requests */
	GATE_OPEN,   /* opaque */
};

struct gate {
	enum egress_kind kind;
	enum gate_wait wait;
	const char *name; /* borrowed */
	struct buf held;  /* client bytes not forwarded yet */
	size_t judged;    /* the first of them, which may go out */
	struct hello_reader hello;
	struct server_hello_reader answer;
	struct http_follower http;
	struct answer_reader status;
	const char *why; /* a refusal; static */
};

/* @name: the listed name; outlives the gate. */
void gate_init(struct gate *g, enum egress_kind kind, const char *name, uint16_t port);
void gate_fini(struct gate *g);

/*
 * gate_client, gate_server - show the gate the bytes of one side. -1: g->why; end the connection.
 */
int gate_client(struct gate *g, const void *bytes, size_t size);
int gate_server(struct gate *g, const void *bytes, size_t size);

/* Remove bytes that have been forwarded. */
int gate_sent(struct gate *g, size_t size);

/* How many client bytes the gate can hold now; 0: none before another event. */
size_t gate_room(const struct gate *g);

/* Whether each side's bytes may be relayed unread from now on. */
bool gate_client_is_open(const struct gate *g);
bool gate_server_is_open(const struct gate *g);

#endif
