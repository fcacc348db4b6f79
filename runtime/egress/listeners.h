/*
 * listeners - accept connections: at the sandbox's ports, and at published ports.
 *
 * Runs: glovebox-egress. Needs: sockets of the sandbox's network namespace; for a published port
 * below 1024, CAP_NET_BIND_SERVICE.
 */
#ifndef GLOVEBOX_EGRESS_LISTENERS_H
#define GLOVEBOX_EGRESS_LISTENERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "egress/egress.h"

#define LISTENERS_MAX (EGRESS_INSIDE_PORTS + EGRESS_MAX_PUBLISHED)

/* One listening socket. */
struct listener {
	struct watch watch;
	struct egress *egress;
	int fd;            /* owned */
	uint64_t retry_ms; /* paused until then; 0: not paused */
	bool is_published;
	uint16_t port; /* of the sandbox */
	uint16_t host_port;
	struct address address; /* of the host */
};

struct listeners {
	struct listener items[LISTENERS_MAX];
	unsigned count;
};

/* Listen at the published ports. Errors: ERR_EXISTS: the port is taken; ERR_DENIED. */
int listeners_publish(struct listeners *l, struct egress *g, const struct egress_spec *spec,
		      struct err *e);

/* Add a listener of the sandbox; @fd: owned. */
void listeners_add(struct listeners *l, struct egress *g, int fd, uint16_t port);

/* Start to accept. */
int listeners_start(struct listeners *l, struct err *e);

/*
 * listeners_tick - retry listeners that paused for lack of descriptors. Returns whether one is
 * still paused.
 */
bool listeners_tick(struct listeners *l);

/* Whether a port of the sandbox has a listener. */
bool listeners_have(const struct listeners *l, uint16_t port);

/* Append the published ports, as an array under @key. */
void listeners_put(const struct listeners *l, struct buf *out, const char *key);

/* Stop accepting. */
void listeners_close(struct listeners *l);

#endif
