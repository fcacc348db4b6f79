/*
 * http_peer - count the connections of each address: an IPv4 address, the first half of an IPv6
 * address (a subscriber has such a prefix), or the user at the other end of a unix socket.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_WEB_HTTP_PEER_H
#define GLOVEBOX_WEB_HTTP_PEER_H

#include <stdint.h>

#define HTTP_PEER_BUCKETS 256

struct http_peer {
	struct http_peer *next;
	uint64_t address;
	unsigned connections;
};

/* All zero at first. */
struct http_peers {
	struct http_peer *buckets[HTTP_PEER_BUCKETS];
};

/* Count a connection, @fd, until http_peer_leave(); borrowed until then. */
struct http_peer *http_peer_enter(struct http_peers *peers, int fd);
void http_peer_leave(struct http_peers *peers, struct http_peer *peer);

#endif
