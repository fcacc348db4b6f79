/*
 * egress_publish - parse -p: which ports of the host lead to which ports of the sandbox.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_NETPOLICY_EGRESS_PUBLISH_H
#define GLOVEBOX_NETPOLICY_EGRESS_PUBLISH_H

#include "netpolicy/egress.h"

/*
 * egress_publish_add - add [ADDRESS:][HOSTPORT:]PORT[/tcp], where each port may be a range
 * FIRST-LAST and both ranges are of one length. Without HOSTPORT the kernel chooses a free one.
 * Without ADDRESS it is 127.0.0.1, where docker binds every address of the machine.
 *
 * Errors: ERR_INPUT; ERR_UNSUPPORTED for udp and sctp.
 */
int egress_publish_add(struct egress_spec *s, const char *text, struct err *e);

#define EGRESS_PUBLISH_ALL "all"

/* Ports of the sandbox. */
struct port_range {
	uint16_t first; /* 0: none */
	uint16_t last;
};

/* egress_publish_range - read PORT[/tcp], FIRST-LAST[/tcp] or EGRESS_PUBLISH_ALL. ERR_INPUT. */
int egress_publish_range(const char *text, struct port_range *out, struct err *e);

/*
 * egress_publish_remove - take published ports out: all host ports of a port of the sandbox.
 * @text  as egress_publish_range() reads it.
 * Errors: ERR_INPUT: it is not published, unless @text is EGRESS_PUBLISH_ALL.
 */
int egress_publish_remove(struct egress_spec *s, const char *text, struct err *e);

/* Append one as egress_publish_add() reads it: "127.0.0.1:8080:8000". */
void egress_publish_write(const struct egress_published *p, struct buf *out);

#endif
