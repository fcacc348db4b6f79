/*
 * egress_words - tell a model which hosts its code may reach.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_NETPOLICY_EGRESS_WORDS_H
#define GLOVEBOX_NETPOLICY_EGRESS_WORDS_H

#include "base/buf.h"
#include "netpolicy/egress.h"

/*
 * egress_words - the hosts of a list, each once, separated by commas.
 *
 * @out  owns the returned text: some 600 bytes at most, which then say that more hosts follow.
 * Returns NULL if the list has no hosts.
 */
const char *egress_words(const struct egress_spec *network, struct buf *out);

#endif
