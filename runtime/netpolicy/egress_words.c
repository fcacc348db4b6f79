/*
 * egress_words - tell a model which hosts its code may reach.
 */
#include "netpolicy/egress_words.h"

#define MOST_BYTES 320 /* no further host begins behind these bytes; one has at most 253 */

static bool egress_words_has(const struct egress_spec *network, size_t at)
{
	for (size_t i = 0; i < at; i++) {
		if (egress_same_host(&network->rules[i], &network->rules[at]))
			return true;
	}
	return false;
}

const char *egress_words(const struct egress_spec *network, struct buf *out)
{
	if (!network->has_list || !network->rule_count)
		return NULL;
	for (size_t i = 0; i < network->rule_count; i++) {
		if (egress_words_has(network, i))
			continue;
		if (out->length > MOST_BYTES) {
			buf_text(out, " and more");
			break;
		}
		buf_text(out, out->length ? ", " : "");
		egress_write_host(&network->rules[i], out);
	}
	return buf_string(out);
}
