/*
 * client_hello - the name in the first messages of TLS, before they are believed.
 *
 * The client's first message names the host in clear (server_name, RFC 6066). A server may answer
 * it with a HelloRetryRequest (RFC 8446, 4.1.4); then a second ClientHello comes in clear, and
 * servers believe that one. How both readers are used, on each new connection:
 *
 *  1. Keep what the client sends and feed it to a hello_reader until there is a verdict.
 *  2. On HELLO_NAMED, if the name is the right one: forward the first `used` bytes, and nothing
 *     behind them. Feed what the server sends to a server_hello_reader, and forward that at once.
 *  3. On SERVER_FINAL everything is opaque from there on. On SERVER_RETRY, judge what the client
 * has sent behind the first hello, and what follows, with another reader that has `may_skip_ccs`
 *     set, as in 1; then forward the first `used` bytes and go on with 2.
 *
 * In 2 nothing more may be forwarded, or a client could send its second hello together with the
 * first one, before anybody knows that the server will ask for it. Early data (0-RTT) is late by a
 * round trip therefore, and honest otherwise.
 *
 * No side effects, no allocation. Runs: egress. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_CLIENT_HELLO_H
#define GLOVEBOX_EGRESS_CLIENT_HELLO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hostname.h"

#define HELLO_BODY_MAX   16384 /* bytes of one ClientHello; real ones have less than 2,000 */
#define HELLO_RECORDS    64    /* in which it may come in pieces */
#define HELLO_EXTENSIONS 128
#define HELLO_SKIP_MAX   65536 /* bytes of early data before a second hello, with their headers */

/*
 * What a caller must keep at most until the verdict of one reader, and some more that it has read
 * by then: the hello, the header of each record, and what was skipped before.
 */
#define HELLO_WIRE_MAX (4 + HELLO_BODY_MAX + 5 * HELLO_RECORDS + HELLO_SKIP_MAX + 6)

enum hello_state {
	HELLO_MORE,
	HELLO_NAMED,
	HELLO_REFUSED,
};

/* All zero is the start. Some 17 kB: keep it no longer than until the verdict. */
struct hello_reader {
	bool may_skip_ccs; /* set by the caller: a HelloRetryRequest was sent before */

	char name[HOST_NAME_SIZE]; /* HELLO_NAMED: canonical */
	size_t used;     /* HELLO_NAMED: bytes fed until the end of the hello's last record */
	const char *why; /* HELLO_REFUSED: static, for people */

	enum hello_state state; /* what follows is the reader's own */
	bool has_skipped_ccs;
	uint8_t header[5]; /* of the record */
	size_t header_have;
	size_t record_left;
	size_t records;
	size_t skipped;
	size_t have;
	uint8_t bytes[4 + HELLO_BODY_MAX]; /* of the handshake */
};

/*
 * hello_feed - read more of what the client sends, in pieces of any size.
 *
 * @bytes  borrowed; the reader takes what belongs to the hello and ignores the rest.
 *
 * HELLO_NAMED means one well-formed ClientHello with exactly one name, and nothing by which a
 * server could be led to another: no encrypted hello (ECH, and its drafts), no extension that is
 * there twice, nothing behind the hello in its record. Everything else is HELLO_REFUSED: other
 * protocols, SSLv2's hello, alerts, no name or an address, lengths that do not fit, too many bytes,
 * records or extensions. A verdict is final, and the same for the same bytes however they were cut.
 *
 * With `may_skip_ccs` one ChangeCipherSpec and records of early data may come before the hello.
 */
enum hello_state hello_feed(struct hello_reader *reader, const uint8_t *bytes, size_t size)
	__attribute__((nonnull(1)));

enum server_hello_state {
	SERVER_MORE,
	SERVER_FINAL,
	SERVER_RETRY,
};

/* All zero is the start. */
struct server_hello_reader {
	enum server_hello_state state;
	uint8_t header[5]; /* of the record */
	size_t header_have;
	size_t record_left;
	size_t have; /* of the handshake */
	size_t warnings;
};

/*
 * server_hello_feed - whether the server's first hello is a HelloRetryRequest: SERVER_RETRY. It is
 * known by its random (RFC 8446, 4.1.3). Any other hello, a fatal alert, and what is not TLS are
 * SERVER_FINAL: no server takes another hello in clear after those. A warning is skipped, since the
 * hello still follows.
 */
enum server_hello_state server_hello_feed(struct server_hello_reader *reader, const uint8_t *bytes,
					  size_t size) __attribute__((nonnull(1)));

#endif
