/*
 * socket_address - convert between struct address and socket addresses.
 *
 * Touches the OS (socket_address_own()).
 */
#ifndef GLOVEBOX_NET_SOCKET_ADDRESS_H
#define GLOVEBOX_NET_SOCKET_ADDRESS_H

#include <stdint.h>
#include <sys/socket.h>

#include "net/address.h"

/*
 * socket_address_own - the local address and port of a socket (getsockname(2)); of an accepted one,
 * the address that the client connected to. An IPv4-mapped address is returned as IPv4. -1: the
 * socket has none.
 */
int socket_address_own(int fd, struct address *out, uint16_t *port);

/* Convert an Internet address as it stands; -1: another family. */
int socket_address_take(const struct sockaddr *from, struct address *out);

/* The same, but return an IPv4-mapped address as IPv4. Not for an address that is to be judged. */
int socket_address_read(const struct sockaddr *from, struct address *out);

/* Returns the length. */
socklen_t socket_address_make(const struct address *a, uint16_t port, struct sockaddr_storage *out);

#endif
