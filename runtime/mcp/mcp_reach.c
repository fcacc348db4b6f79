/*
 * mcp_reach - text for a model: the hosts and the user's directories that its code can reach.
 */
#include "mcp/mcp_reach.h"

#include "netpolicy/egress_words.h"

void mcp_reach_put(const struct mcp_backend *backend, struct buf *out)
{
	const struct places none = places_none();
	const struct places *p = backend && backend->places ? backend->places : &none;
	auto_buf struct buf hosts = {0};

	if (backend && egress_words(&backend->terms.egress, &hosts))
		buf_printf(out, "The network reaches these hosts only: %s.", buf_string(&hosts));
	else
		buf_text(out, "The code has no network.");
	if (p->workspace)
		buf_text(out, " The user's files are in /data, which can be read only.");
	if (p->output)
		buf_text(out,
			 " What the user is to have as a file belongs into /output, which is "
			 "a directory of the user's.");
	buf_text(out, p->workspace || p->output ? " Nothing else of the host can be seen."
						: " Nothing of the host can be seen.");
	if (backend && backend->installed)
		buf_printf(out, " Installed: %s.", backend->installed);
}
