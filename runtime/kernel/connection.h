/*
 * connection - the connection file of a kernel: where its client expects it, and the key of its
 * messages.
 *
 * The client writes the file, and chooses address and ports; the kernel binds them. Members that we
 * do not know are ignored, as the protocol asks, but for those that demand encryption.
 *
 * Touches the OS. Runs: kernel. Needs: read access to the file.
 */
#ifndef GLOVEBOX_KERNEL_CONNECTION_H
#define GLOVEBOX_KERNEL_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum kernel_socket {
	SOCKET_SHELL,     /* requests, one after the other */
	SOCKET_CONTROL,   /* requests that do not wait for these: interrupt, shutdown */
	SOCKET_STDIN,     /* replies to what input() asks */
	SOCKET_IOPUB,     /* what happens, for all clients */
	SOCKET_HEARTBEAT, /* bytes that are sent back */
	KERNEL_SOCKETS,
};

struct connection {
	char *places[KERNEL_SOCKETS]; /* owned: "tcp://127.0.0.1:5555" */
	char *key;                    /* owned; "": messages are not signed */
};

/* @out  always end with connection_fini(). Errors: ERR_INPUT names the member; ERR_SYSTEM. */
int connection_read(const char *path, struct connection *out, struct err *e);
void connection_fini(struct connection *c);

#endif
