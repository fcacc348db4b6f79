/*
 * egress_publish - parse -p: which ports of the host lead to which ports of the sandbox.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_SPEC_EGRESS_PUBLISH_H
#define GLOVEBOX_SPEC_EGRESS_PUBLISH_H

#include "spec/egress.h"

/*
 * egress_publish_add - add [ADDRESS:][HOSTPORT:]PORT[/tcp], where each port may be a range
 * FIRST-LAST and both ranges are of one length. Without HOSTPORT the kernel chooses a free one.
 * Without ADDRESS it is 127.0.0.1, where docker binds every address of the machine.
 *
 * Errors: ERR_INPUT; ERR_UNSUPPORTED for udp and sctp.
 */
int egress_publish_add(struct egress_spec *s, const char *text, struct err *e);

#endif
