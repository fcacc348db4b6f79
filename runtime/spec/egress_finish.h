/*
 * egress_finish - check the network of a spec before anything starts.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_SPEC_EGRESS_FINISH_H
#define GLOVEBOX_SPEC_EGRESS_FINISH_H

#include "spec/spec.h"

/*
 * egress_finish - mark the rules that --allow-private names, sort rules from precise to general,
 * and check the rest.
 *
 * It refuses an --allow-private name that is not listed, a private address without --allow-private,
 * a port that is both published and listed, a host port published twice, too many ports, and a log
 * without a network. Callers: spec_finish(), and the reader of a session's list.
 *
 * Errors: ERR_INPUT, naming the flags.
 */
int egress_finish(struct sandbox_spec *s, struct err *e);

#endif
