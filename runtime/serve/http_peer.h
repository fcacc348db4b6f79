/*
 * http_peer - how many connections come from one address: an IPv4 one, the first half of an IPv6
 * one (a subscriber has such a prefix), or the user at the other end of a unix socket.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_HTTP_PEER_H
#define GLOVEBOX_SERVE_HTTP_PEER_H

#include <stdint.h>

#define HTTP_PEER_BUCKETS 256

struct http_peer {
	struct http_peer *next;
	uint64_t address;
	unsigned connections;
};

/* All zero in the beginning. */
struct http_peers {
	struct http_peer *buckets[HTTP_PEER_BUCKETS];
};

/* One more connection, @fd; borrowed until http_peer_leave(). */
struct http_peer *http_peer_enter(struct http_peers *peers, int fd);
void http_peer_leave(struct http_peers *peers, struct http_peer *peer);

#endif
