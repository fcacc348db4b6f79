/*
 * update_change - what a request "update" changes of a sandbox's network, judged by what the
 * monitor knows of it.
 *
 * Runs: monitor. Needs: nothing.
 */
#ifndef GLOVEBOX_MONITOR_UPDATE_CHANGE_H
#define GLOVEBOX_MONITOR_UPDATE_CHANGE_H

#include "monitor/messages.h"
#include "sandbox/egress.h"

struct update_ports {
	struct egress_published items[EGRESS_MAX_PUBLISHED];
	size_t count;
};

struct update_change {
	bool has_list;           /* the list is replaced */
	struct egress_spec list; /* owned */
	bool publishes;          /* `more` or `less` has some */
	struct update_ports more;
	struct update_ports less;
	struct update_ports before; /* as they are bound */
	struct update_ports after;
	int fds[EGRESS_MAX_PUBLISHED]; /* owned: of those of `more` that are at a new place */
	unsigned fd_count;
};

/*
 * update_change_read - read the change.
 *
 * @x         the network as it is; its published ports are the ones that `less` may name.
 * @document  borrowed: "list" is as egress_to_json() writes it.
 * @m         the sockets are taken out; what follows them stays.
 * @out       end with update_change_fini(), whatever is returned.
 * Errors: ERR_INPUT: a socket is missing, or does not listen where it is said to; a place is taken.
 */
int update_change_read(const struct egress *x, const struct monitor_request *r,
		       const struct json *document, struct wire_message *m,
		       struct update_change *out, struct err *e);
void update_change_fini(struct update_change *c);

#endif
