/*
 * sockets - the five sockets of a kernel; the only user of libzmq.
 *
 * libzmq moves bytes on threads of its own; here nothing waits, with one exception: where a client
 * does not take what is published as fast as it comes, a sender waits until there is room, because
 * output must not be lost. A client that takes nothing for SOCKETS_WAIT_MS loses some, until it
 * takes again: it must not hold up the others.
 *
 * Touches the OS. Runs: kernel. Needs: nothing.
 */
#ifndef GLOVEBOX_KERNEL_SOCKETS_H
#define GLOVEBOX_KERNEL_SOCKETS_H

#include <stdbool.h>

#include "base/err.h"
#include "kernel/connection.h"
#include "kernel/frames.h"

#define SOCKETS_WAIT_MS 500

struct sockets;

/* Bind all of them. @out: sockets_close(). Errors: ERR_SYSTEM: a port is taken. */
int sockets_open(const struct connection *c, struct sockets **out, struct err *e);

/* Send what has been published, for a second at most, and close them. Safe on NULL. */
void sockets_close(struct sockets *s);

/* A descriptor that tells when libzmq has something to do: then call sockets_receive(). */
int sockets_fd(const struct sockets *s, enum kernel_socket which);

/*
 * sockets_receive - receive one whole message, if there is one. A message of too many parts is
 * dropped. Before a wait for sockets_fd(), receive until there is none, or call sockets_settle().
 * @out  empty.
 */
bool sockets_receive(struct sockets *s, enum kernel_socket which, struct frames *out);

/* Do what libzmq has to do, and leave messages where they are. */
void sockets_settle(struct sockets *s, enum kernel_socket which);

/* Send a message; its parts stay. */
void sockets_send(struct sockets *s, enum kernel_socket which, const struct frames *message);

#endif
