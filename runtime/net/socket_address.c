/*
 * socket_address - convert between struct address and socket addresses.
 */
#include "net/socket_address.h"

#include <netinet/in.h>
#include <string.h>

int socket_address_take(const struct sockaddr *from, struct address *out)
{
	if (from->sa_family != AF_INET && from->sa_family != AF_INET6)
		return -1;
	*out = (struct address){.is_v4 = from->sa_family == AF_INET};
	if (out->is_v4)
		memcpy(out->bytes, &((const struct sockaddr_in *)from)->sin_addr, 4);
	else
		memcpy(out->bytes, &((const struct sockaddr_in6 *)from)->sin6_addr, 16);
	return 0;
}

int socket_address_read(const struct sockaddr *from, struct address *out)
{
	struct address mapped;

	if (socket_address_take(from, out))
		return -1;
	if (out->is_v4 || !IN6_IS_ADDR_V4MAPPED((const struct in6_addr *)out->bytes))
		return 0;
	mapped = *out;
	*out = (struct address){.is_v4 = true};
	memcpy(out->bytes, mapped.bytes + 12, 4);
	return 0;
}

int socket_address_own(int fd, struct address *out, uint16_t *port)
{
	union {
		struct sockaddr any;
		struct sockaddr_in6 v6;
	} own = {0};
	socklen_t length = sizeof(own);

	if (getsockname(fd, &own.any, &length))
		return -1;
	*port = ntohs(own.v6.sin6_port); /* IPv4 has the port at the same offset */
	return socket_address_read(&own.any, out);
}

socklen_t socket_address_make(const struct address *a, uint16_t port, struct sockaddr_storage *out)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)out;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)out;

	memset(out, 0, sizeof(*out));
	if (a->is_v4) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons(port);
		memcpy(&v4->sin_addr, a->bytes, 4);
		return sizeof(*v4);
	}
	v6->sin6_family = AF_INET6;
	v6->sin6_port = htons(port);
	memcpy(&v6->sin6_addr, a->bytes, 16);
	return sizeof(*v6);
}
