/*
 * client_hello - read the host name from a client's first TLS messages, and believe none too early.
 *
 * The client's first message names the host in clear (server_name, RFC 6066). A server may answer
 * it with a HelloRetryRequest (RFC 8446, 4.1.4); then the client sends a second ClientHello in
 * clear, and servers use that one's name. How both readers are used, on each new connection:
 *
 *  1. Keep what the client sends and feed it to a hello_reader until there is a verdict.
 *  2. On HELLO_NAMED, if the name is the right one: forward the first `used` bytes, and hold the
 *  rest. Feed the server's bytes to a server_hello_reader, and forward them at once.
 *  3. On SERVER_FINAL relay all further bytes unread. On SERVER_RETRY, judge the client's bytes
 *  after the first hello with another reader that has `may_skip_ccs` set, as in 1; then forward the
 *  first `used` bytes and go on with 2.
 *
 * Step 2 must not forward more: a client could send its second hello right after the first, before
 * we know that the server will ask for it. This delays early data (0-RTT) by a round trip.
 *
 * No side effects, no allocation. Runs: egress. Needs: nothing.
 */
#ifndef GLOVEBOX_PROTOCOL_CLIENT_HELLO_H
#define GLOVEBOX_PROTOCOL_CLIENT_HELLO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/hostname.h"

#define HELLO_BODY_MAX   16384 /* bytes of one ClientHello; real ones have less than 2,000 */
#define HELLO_RECORDS    64    /* records that one ClientHello may span */
#define HELLO_EXTENSIONS 128
#define HELLO_SKIP_MAX   65536 /* bytes of early data before a second hello, with their headers */

/*
 * The most bytes that a caller must keep until one reader's verdict, and what it may have read
 * beyond them: the hello, the header of each record, and skipped records before it.
 */
#define HELLO_WIRE_MAX (4 + HELLO_BODY_MAX + 5 * HELLO_RECORDS + HELLO_SKIP_MAX + 6)

enum hello_state {
	HELLO_MORE,
	HELLO_NAMED,
	HELLO_REFUSED,
};

/* Zero-initialise it. It has some 17 kB: free it after the verdict. */
struct hello_reader {
	bool may_skip_ccs; /* set by the caller after a HelloRetryRequest */

	char name[HOST_NAME_SIZE]; /* HELLO_NAMED: canonical */
	size_t used;     /* HELLO_NAMED: bytes fed until the end of the hello's last record */
	const char *why; /* HELLO_REFUSED: a static message */

	enum hello_state state; /* private to the reader */
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
 * hello_feed - read more of the client's bytes, in pieces of any size.
 *
 * @bytes  borrowed; the reader takes the hello's bytes and ignores the rest.
 *
 * HELLO_NAMED means one well-formed ClientHello with exactly one name, and nothing that could lead
 * a server to another name: no encrypted hello (ECH, and its drafts), no repeated extension, no
 * bytes after the hello in its record. Everything else is HELLO_REFUSED: other protocols, SSLv2's
 * hello, alerts, no name or an address, lengths that do not fit, too many bytes, records or
 * extensions. A verdict is final, and does not depend on how the bytes were cut.
 *
 * With `may_skip_ccs` one ChangeCipherSpec and records of early data may precede the hello.
 */
enum hello_state hello_feed(struct hello_reader *reader, const uint8_t *bytes, size_t size)
	__attribute__((nonnull(1)));

enum server_hello_state {
	SERVER_MORE,
	SERVER_FINAL,
	SERVER_RETRY,
};

/* Zero-initialise it. */
struct server_hello_reader {
	enum server_hello_state state;
	uint8_t header[5]; /* of the record */
	size_t header_have;
	size_t record_left;
	size_t have; /* of the handshake */
	size_t warnings;
};

/*
 * server_hello_feed - SERVER_RETRY if the server's first hello is a HelloRetryRequest, which its
 * random tells (RFC 8446, 4.1.3). Any other hello, a fatal alert, and bytes that are not TLS are
 * SERVER_FINAL: no server accepts another clear hello after those. Warnings are skipped, since the
 * hello still follows.
 */
enum server_hello_state server_hello_feed(struct server_hello_reader *reader, const uint8_t *bytes,
					  size_t size) __attribute__((nonnull(1)));

#endif
