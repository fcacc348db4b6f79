/*
 * network_words - what a model is told of the network that its code has.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_NETWORK_WORDS_H
#define GLOVEBOX_AGENT_NETWORK_WORDS_H

#include "base/buf.h"
#include "spec/egress.h"

/*
 * network_words - the hosts of a list, each once, with commas between them.
 *
 * @out  what is returned lives there; some 600 bytes at most, and then it says that there are more.
 * Returns NULL if there is no network.
 */
const char *network_words(const struct egress_spec *network, struct buf *out);

#endif
