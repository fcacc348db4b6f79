/*
 * egress_finish - what of a network disagrees, found before anything is done.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_SPEC_EGRESS_FINISH_H
#define GLOVEBOX_SPEC_EGRESS_FINISH_H

#include "spec/spec.h"

/*
 * egress_finish - mark the rules that --allow-private names, put those that mean fewer hosts before
 * those that mean more, and check the rest.
 *
 * Refused are: such a name that is not listed, a private address without it, a port that is
 * published and in the list, or twice outside, too many ports, and a log of nothing. spec_finish()
 * calls it; so does who reads a list alone, for a session.
 *
 * Errors: ERR_INPUT, naming the flags.
 */
int egress_finish(struct sandbox_spec *s, struct err *e);

#endif
