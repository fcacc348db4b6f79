/*
 * http_peer - count the connections of each address.
 */
#include "web/http_peer.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/own.h"

static uint64_t http_peer_address(int fd)
{
	struct sockaddr_storage where = {0};
	socklen_t size = sizeof(where);
	struct ucred user = {0};
	uint64_t address = 0;

	if (getpeername(fd, (struct sockaddr *)&where, &size))
		return 0;
	if (where.ss_family == AF_INET)
		return ((struct sockaddr_in *)&where)->sin_addr.s_addr;
	if (where.ss_family == AF_INET6) {
		memcpy(&address, &((struct sockaddr_in6 *)&where)->sin6_addr, sizeof(address));
		return address;
	}
	size = sizeof(user);
	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &user, &size) ? 0 : user.uid;
}

static struct http_peer **http_peer_bucket(struct http_peers *peers, uint64_t address)
{
	const uint64_t mixed = (address ^ address >> 32) * 0x9e3779b97f4a7c15;

	return &peers->buckets[(mixed >> 32) % HTTP_PEER_BUCKETS];
}

struct http_peer *http_peer_enter(struct http_peers *peers, int fd)
{
	const uint64_t address = http_peer_address(fd);
	struct http_peer **bucket = http_peer_bucket(peers, address);
	struct http_peer *peer = *bucket;

	while (peer && peer->address != address)
		peer = peer->next;
	if (!peer) {
		peer = own_zeroed(1, sizeof(*peer));
		peer->address = address;
		peer->next = *bucket;
		*bucket = peer;
	}
	peer->connections++;
	return peer;
}

void http_peer_leave(struct http_peers *peers, struct http_peer *peer)
{
	struct http_peer **at = http_peer_bucket(peers, peer->address);

	if (--peer->connections)
		return;
	while (*at != peer)
		at = &(*at)->next;
	*at = peer->next;
	free(peer);
}
