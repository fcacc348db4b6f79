/*
 * egress_publish - what -p says: which ports inside are reached through which outside.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_SPEC_EGRESS_PUBLISH_H
#define GLOVEBOX_SPEC_EGRESS_PUBLISH_H

#include "spec/egress.h"

/*
 * egress_publish_add - add [ADDRESS:][HOSTPORT:]PORT[/tcp], where each port may be a range
 * FIRST-LAST and both ranges are of one length. Without HOSTPORT it is any that is free; without
 * ADDRESS it is 127.0.0.1, whereas docker takes every address of the machine.
 *
 * Errors: ERR_INPUT; ERR_UNSUPPORTED for udp and sctp.
 */
int egress_publish_add(struct egress_spec *s, const char *text, struct err *e);

#endif
