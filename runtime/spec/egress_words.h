/*
 * egress_words - what a model is told of the network that its code has.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_SPEC_EGRESS_WORDS_H
#define GLOVEBOX_SPEC_EGRESS_WORDS_H

#include "base/buf.h"
#include "spec/egress.h"

/*
 * egress_words - the hosts of a list, each once, with commas between them.
 *
 * @out  what is returned lives there; some 600 bytes at most, and then it says that there are more.
 * Returns NULL where no host is listed.
 */
const char *egress_words(const struct egress_spec *network, struct buf *out);

#endif
