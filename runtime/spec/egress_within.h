/*
 * egress_within - whether one list of hosts lies within another.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_SPEC_EGRESS_WITHIN_H
#define GLOVEBOX_SPEC_EGRESS_WITHIN_H

#include "spec/spec.h"

/*
 * egress_within - refuse a network that reaches more than a list.
 *
 * A host is within a rule of the list that has its port, and its name, a pattern over it, or a
 * network around it; `raw` covers each kind. A list has neither ports of this machine
 * (--allow-host), nor names with private addresses (--allow-private), nor a proxy.
 *
 * @s     its flags are read, and egress_finish() has not run: what the machine's own files add to
 *        the flags is not judged.
 * @most  the list.
 * @file  that has it, for the message; NULL: a ceiling of a server.
 * Errors: ERR_LIMIT, naming the host.
 */
int egress_within(const struct sandbox_spec *s, const struct egress_spec *most, const char *file,
		  struct err *e);

#endif
