/*
 * listeners - where connections come from: the sandbox's ports, and those that are published.
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
	uint64_t retry_ms; /* it pauses until then; 0: it does not */
	bool is_published;
	uint16_t port; /* inside */
	uint16_t host_port;
	struct address address; /* outside */
};

struct listeners {
	struct listener items[LISTENERS_MAX];
	unsigned count;
};

/* Listen outside for what is published. Errors: ERR_EXISTS, the port is taken; ERR_DENIED. */
int listeners_publish(struct listeners *l, struct egress *g, const struct egress_spec *spec,
		      struct err *e);

/* Take a listener inside; @fd owned. */
void listeners_add(struct listeners *l, struct egress *g, int fd, uint16_t port);

/* Accept from now on. */
int listeners_start(struct listeners *l, struct err *e);

/*
 * listeners_tick - after a pause, in which no descriptor was left: try again.
 * Returns whether one pauses still.
 */
bool listeners_tick(struct listeners *l);

/* Whether a port inside has a listener. */
bool listeners_have(const struct listeners *l, uint16_t port);

/* What is published, as an array under @key. */
void listeners_put(const struct listeners *l, struct buf *out, const char *key);

/* Nobody is accepted any more. */
void listeners_close(struct listeners *l);

#endif
