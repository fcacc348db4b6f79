/*
 * egress_refusals - say what a sandbox's network refused.
 */
#include "netpolicy/egress_refusals.h"

#include <inttypes.h>
#include <string.h>

#include "base/escape.h"

#define HOSTS_MAX 4 /* hosts that the line names */

/* "pypi.org:443: a private address (--allow-private NAME); evil.example: not listed" */
static void egress_refusals_hosts(const struct egress_summary *s, size_t from, struct buf *out)
{
	for (size_t i = from; i < s->refusal_count && i - from < HOSTS_MAX; i++) {
		const struct egress_refusal *one = &s->refusals[i];
		const bool v6 = strchr(one->name, ':');

		buf_text(out, i > from ? "; " : ": ");
		buf_text(out, v6 ? "[" : "");
		escape_line(one->name, strlen(one->name), out);
		buf_text(out, v6 ? "]" : "");
		if (one->port)
			buf_printf(out, ":%u", one->port);
		buf_text(out, ": ");
		escape_line(one->reason, strlen(one->reason), out);
	}
	if (s->refusal_count > from + HOSTS_MAX)
		buf_text(out, "; ...");
}

void egress_refusals_line(const struct egress_summary *before, const struct egress_summary *now,
			  struct buf *out)
{
	const uint64_t refused = now->counters.refused - before->counters.refused;

	if (now->counters.refused <= before->counters.refused)
		return;
	buf_printf(out, "[NETWORK] refused %" PRIu64 " %s", refused,
		   refused == 1 ? "connection or lookup" : "connections or lookups");
	if (now->refusal_count > before->refusal_count)
		egress_refusals_hosts(now, before->refusal_count, out);
	else if (before->counters.refused && now->refusal_count < EGRESS_SUMMARY_NAMES)
		buf_text(out, ", as in earlier calls");
	buf_text(out, "\n");
}
