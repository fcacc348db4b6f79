/*
 * socket_address - addresses as sockets have them, and as we do.
 *
 * Touches the OS (socket_address_own()). Runs: glovebox-egress. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_SOCKET_ADDRESS_H
#define GLOVEBOX_EGRESS_SOCKET_ADDRESS_H

#include <stdint.h>
#include <sys/socket.h>

#include "base/address.h"

/*
 * socket_address_own - the address and port that a socket has on our side (getsockname(2)): of one
 * that was accepted, what the connection came to. An IPv4 one of an IPv6 socket is that IPv4 one.
 * -1: it has none.
 */
int socket_address_own(int fd, struct address *out, uint16_t *port);

/* The address in one of the two Internet families', as it stands; -1: it is of another. */
int socket_address_take(const struct sockaddr *from, struct address *out);

/* The same, but an IPv4-mapped one is that IPv4 one, as above. Not for what is to be judged. */
int socket_address_read(const struct sockaddr *from, struct address *out);

/* Returns the length. */
socklen_t socket_address_make(const struct address *a, uint16_t port, struct sockaddr_storage *out);

#endif
